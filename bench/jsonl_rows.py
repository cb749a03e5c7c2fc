"""A table of examples read and scored, from a file of JSON lines to the official result."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import official_squad2
from case import Case, Settings
from data import write_rows
from fullmarks.evaluate import score


def plain(path: Path) -> tuple[float, float, int]:
    exact = f1 = 0.0
    count = 0
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            row = json.loads(line)
            one, other = official_squad2.squad2_scores(row["prediction"], row["references"])
            exact += one
            f1 += other
            count += 1
    return 100.0 * exact / count, 100.0 * f1 / count, count


def ours(path: Path) -> tuple[float, float, int]:
    official = score("squad2", path, keep=False).official
    return official["exact"], official["f1"], official["total"]


def cases(settings: Settings) -> Iterator[Case]:
    for size in settings.sizes:
        if size > 1_000_000:
            continue  # memory.py goes on from here; the plain loop would take minutes
        path = write_rows(settings.folder / "rows.jsonl", size)
        yield Case(
            "read and score a table, squad2",
            "made JSON lines",
            size,
            lambda path=path: ours(path),
            {"plain loop": lambda path=path: plain(path)},
            wanted={"plain loop": 60} if size == 1_000_000 else {},
            turns=3 if size <= 100_000 else 1,
        )
        path.unlink()
