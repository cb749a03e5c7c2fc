"""Slices on top of the overall sums: what a breakdown by a column costs, with few labels and with many.

The plain loop adds every row to the sums of its label, one after the other. A table is read and scored with and without
the breakdown, which must cost little beside it.
"""

from __future__ import annotations

import json
import random
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fullmarks
from case import Case, Settings
from data import LATIN, make_pairs
from fullmarks.metrics.squad import SquadScores
from fullmarks.metrics.tally import Tally
from fullmarks.types import Examples

LABELS = (10, 1_000, 100_000)
BLOCK = 1 << 14
"""The number of rows that a table is read in."""
Chunk = tuple[Examples, "array[float]"]
Sums = dict[Any, tuple[int, tuple[float, ...]]]


def chunks_of(size: int, labels: int) -> list[Chunk]:
    source = random.Random(labels)
    chunks = []
    for start in range(0, size, BLOCK):
        count = min(BLOCK, size - start)
        kinds = [f"label {source.randrange(labels)}" for _ in range(count)]
        rows = array("d", [source.random() for _ in range(2 * count)])
        chunks.append((Examples(range(count), [""] * count, [[]] * count, {"kind": kinds}), rows))
    return chunks


def plain(chunks: list[Chunk]) -> Sums:
    found: dict[str, list[Any]] = {}
    for examples, rows in chunks:
        for at, label in enumerate(examples.columns["kind"]):
            sums = found.setdefault(label, [0, 0.0, 0.0])
            sums[0] += 1
            sums[1] += rows[2 * at]
            sums[2] += rows[2 * at + 1]
    return {label: (n, (exact, f1)) for label, (n, exact, f1) in found.items()}


def ours(chunks: list[Chunk]) -> Sums:
    tally = Tally((SquadScores(),), ["kind"], keep=False)
    for examples, rows in chunks:
        tally.add(examples, (rows,))
    return {label: (total.n, total.sums) for label, (total,) in tally.by("kind").items()}


def write_labelled(path: Path, size: int, labels: int) -> Path:
    source = random.Random(labels)
    with path.open("w", encoding="utf-8") as stream:
        for number, (prediction, golds) in enumerate(make_pairs(LATIN, size, 1)):
            row = {"id": f"q{number:08d}", "kind": f"label {source.randrange(labels)}"}
            stream.write(json.dumps({**row, "prediction": prediction, "references": golds}, ensure_ascii=False) + "\n")
    return path


def official(path: Path, **options: Any) -> dict[str, Any]:
    return dict(fullmarks.score("squad1", path, keep=False, **options).official)


def cases(settings: Settings) -> Iterator[Case]:
    size = 100_000 if settings.quick else 1_000_000
    for labels in LABELS:
        chunks = chunks_of(size, labels)
        yield Case(
            "slices of rows",
            f"made, {labels:,} labels",
            size,
            lambda chunks=chunks: ours(chunks),
            {"plain loop": lambda chunks=chunks: plain(chunks)},
            wanted={"plain loop": 3},
            turns=3,
        )
        del chunks
        path = write_labelled(settings.folder / "labelled.jsonl", size, labels)
        yield Case(
            "read and score a table by a column, squad1",
            f"made JSON lines, {labels:,} labels",
            size,
            lambda path=path: official(path, by="kind"),
            {"without the column": lambda path=path: official(path)},
            rounds=3,
        )
        path.unlink()
