"""The samples that come with every protocol: where the fuzzer starts from.

A new protocol comes in of itself, by the folder `protocols/NAME/sample`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fullmarks.protocols.sample import read_sample, sample_folder, sample_names


@dataclass(frozen=True)
class Sample:
    """One protocol's files: gold, predictions (None where one file holds both), files of options, plain options."""

    protocol: str
    gold: Path
    predictions: Path | None
    files: tuple[tuple[str, Path], ...] = ()
    options: tuple[str, ...] = ()


def find_samples() -> list[Sample]:
    """The samples of all protocols of ours whose gold is a file; folders of files are not changed here."""
    found = map(_sample, sample_names())
    return [sample for sample in found if sample.gold.is_file()]


def _sample(name: str) -> Sample:
    sample, folder = read_sample(name), sample_folder(name)
    return Sample(
        name,
        folder / sample.gold,
        None if sample.predictions is None else folder / sample.predictions,
        tuple((flag, folder / file) for flag, file in sample.files.items()),
        tuple(word for pair in sample.options.items() for word in pair if word),
    )
