"""`--engine`: the same bytes whatever engine and kernel, and one table or many files."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fullmarks.readers import shards
from tests.cli.conftest import Run
from tests.cli.run_cli import fullmarks

WORDS = ["the cat", "a dog", "Paris", "42", "", "блин"]
FEW, MANY = 4_000, 40_000
"""Rows of the quick and of the long search; both tables are large enough to be cut into shards."""
PADDING = {FEW: 600, MANY: 0}


def rows(count: int) -> Iterator[dict[str, Any]]:
    chance = random.Random(2)
    for number in range(count):
        yield {
            "id": f"q{number}",
            "prediction": chance.choice(WORDS),
            "references": chance.choices(WORDS[:4], k=2),
            "kind": f"k{number % 7}",
            "note": "x" * PADDING[count],
        }


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A folder with a table of so many rows, and the same as three files."""
    made: dict[int, Path] = {}

    def folder(count: int) -> Path:
        if count not in made:
            place = made[count] = tmp_path_factory.mktemp("tables")
            lines = [json.dumps(row) for row in rows(count)]
            (place / "table.jsonl").write_text("\n".join(lines), encoding="utf-8")
            assert (place / "table.jsonl").stat().st_size > 2 * shards.SMALLEST
            (place / "many").mkdir()
            third = count // 3
            for number in range(3):
                part = lines[third * number : third * (number + 1) if number < 2 else None]
                (place / "many" / f"part-{number}.jsonl").write_text("\n".join(part) + "\n", encoding="utf-8")
        return made[count]

    return folder


def shown(run: Run, table: Path, engine: str, kernel: str = "c") -> str:
    """What the command prints: in this process with the kernel it has, in another with another kernel."""
    words = ("score", "squad1", table, "--engine", engine, "--by", "kind", "--ci", "-f", "full")
    if kernel == "c":
        ended = run(*words)
        assert (ended.code, ended.err) == (0, "")
        return ended.out
    there = fullmarks(*words, variables={"FULLMARKS_KERNEL": kernel})
    assert (there.returncode, there.stderr) == (0, b"")
    return there.stdout.decode()


QUICK = [("table.jsonl", "here", "python"), ("many", "here", "c"), ("table.jsonl", "cores:3", "c")]
ALL = [
    (name, engine, kernel)
    for name in ("table.jsonl", "many")
    for engine in ("here", "cores:1", "cores:3")
    for kernel in ("c", "python")
]


@pytest.mark.parametrize(
    ("count", "cases"),
    [pytest.param(FEW, QUICK, id="quick"), pytest.param(MANY, ALL, id="all", marks=pytest.mark.deep)],
)
def test_engines_and_kernels_print_the_same(run: Run, tables: Any, count: int, cases: list[tuple[str, ...]]) -> None:
    folder = tables(count)
    expected = shown(run, folder / "table.jsonl", "here")
    assert json.loads(expected)["n"] == count
    different = [case for case in cases if shown(run, folder / case[0], *case[1:]) != expected]
    assert different == []


def test_a_pattern_is_a_table(run: Run, tables: Any) -> None:
    folder = tables(FEW)
    assert shown(run, folder / "many" / "part-*.jsonl", "cores:2") == shown(run, folder / "table.jsonl", "here")
