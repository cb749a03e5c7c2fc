"""The samples that come with every protocol: where the fuzzer starts from.

A new protocol comes in of itself: either `fullmarks demo` shows it, or its folder `protocols/NAME/sample` is found.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import fullmarks

PACKAGE = Path(fullmarks.__file__).parent
GOLD_NAMES = ("gold", "annotations", "ground_truth", "examples", "outputs", "questions")
PREDICTION_NAMES = ("predictions", "results", "answers")


@dataclass(frozen=True)
class Sample:
    """One protocol's files: gold, predictions (None where one file holds both), files of options, plain options."""

    protocol: str
    gold: Path
    predictions: Path | None
    files: tuple[tuple[str, Path], ...] = ()
    options: tuple[str, ...] = ()


def find_samples() -> list[Sample]:
    """All samples, those of `fullmarks demo` first."""
    found = {sample.protocol: sample for sample in _shown()}
    for folder in sorted((PACKAGE / "protocols").glob("*/sample")):
        sample = _guessed(folder.parent.name, folder)
        if sample is not None:
            found.setdefault(sample.protocol, sample)
    return list(found.values())


def _shown() -> list[Sample]:
    from fullmarks.cli.demo import DEMONSTRATIONS, SAMPLES

    return [
        Sample(
            shown.protocol,
            SAMPLES / shown.gold,
            None if shown.predictions is None else SAMPLES / shown.predictions,
            tuple((flag, SAMPLES / name) for flag, name in shown.files.items()),
            tuple(word for pair in shown.options.items() for word in pair),
        )
        for shown in DEMONSTRATIONS
    ]


def _guessed(protocol: str, folder: Path) -> Sample | None:
    """The sample of a folder by the names of its files; None where no gold file is among them."""
    by_stem = {path.name.partition(".")[0]: path for path in sorted(folder.iterdir()) if path.is_file()}
    gold = next((by_stem[name] for name in GOLD_NAMES if name in by_stem), None)
    predictions = next((by_stem[name] for name in PREDICTION_NAMES if name in by_stem), None)
    return None if gold is None else Sample(protocol, gold, predictions)
