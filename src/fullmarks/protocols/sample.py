"""The small sample in a benchmark's folder: its files, how it is scored, what it teaches, and the expected result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from fullmarks.errors import UsageError
from fullmarks.protocols import PROTOCOLS
from fullmarks.protocols.folder import HOME, folder_of

__all__ = ["HOME", "Sample", "expected_result", "read_sample", "sample_folder", "sample_names", "shown_unasked"]


class Sample(msgspec.Struct, frozen=True):
    """What `sample/sample.json` says; file names are relative to that folder."""

    gold: str
    lesson: str
    """What it shows, in one sentence."""
    look_at: str
    """The id of the question that is worth a closer look."""
    predictions: str | None = None
    files: dict[str, str] = msgspec.field(default_factory=dict)
    """Options that are files, as they are typed."""
    options: dict[str, str] = msgspec.field(default_factory=dict)
    """Other options, as they are typed; one that is a switch has an empty value."""
    by: tuple[str, ...] = ()
    demo_place: int | None = None
    """Its place among those that `fullmarks demo` shows unasked."""

    def words(self, folder: str) -> list[str]:
        """Gold, predictions and options as they are typed, the files being in the folder."""
        named = [f"{folder}/{name}" for name in (self.gold, self.predictions) if name is not None]
        pairs = {flag: f"{folder}/{name}" for flag, name in self.files.items()} | self.options
        return [*named, *(word for pair in pairs.items() for word in pair if word)]

    def arguments(self, folder: Path) -> tuple[str, str | None]:
        """Gold and predictions for a call from Python."""
        return str(folder / self.gold), None if self.predictions is None else str(folder / self.predictions)

    def keywords(self, folder: Path) -> dict[str, Any]:
        """The options for a call from Python."""
        found: dict[str, Any] = {flag: str(folder / name) for flag, name in self.files.items()}
        found.update((flag, value or True) for flag, value in self.options.items())
        return {flag[2:].replace("-", "_"): value for flag, value in found.items()}


def sample_folder(name: str) -> Path:
    """The folder of a benchmark's sample."""
    return folder_of(name) / "sample"


def sample_names() -> list[str]:
    """The benchmarks of ours that have a sample."""
    return [name for name in PROTOCOLS.built_in if (sample_folder(name) / "sample.json").is_file()]


def shown_unasked() -> list[str]:
    """Those of them that `fullmarks demo` shows unasked, in order."""
    places = {name: read_sample(name).demo_place for name in sample_names()}
    return sorted((name for name, place in places.items() if place is not None), key=lambda name: places[name] or 0)


def read_sample(name: str) -> Sample:
    """The sample of a benchmark, ours or that of another package."""
    path = sample_folder(name) / "sample.json"
    if not path.is_file():
        raise UsageError(f"{name} has no sample. Those that have one: {', '.join(sample_names())}")
    return msgspec.json.decode(path.read_bytes(), type=Sample)


def expected_result(name: str) -> Any:
    """The official result that the sample must have."""
    return msgspec.json.decode((sample_folder(name) / "expected.json").read_bytes())
