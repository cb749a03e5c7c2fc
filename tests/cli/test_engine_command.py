"""`--engine`: the same bytes whatever engine and kernel, and one table or many files."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tests.cli.run_cli import fullmarks

WORDS = ["the cat", "a dog", "Paris", "42", "", "блин"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of 40,000 rows, large enough to be cut, and the same as three files."""
    place = tmp_path_factory.mktemp("tables")
    chance = random.Random(2)
    lines = [
        json.dumps(
            {
                "id": f"q{number}",
                "prediction": chance.choice(WORDS),
                "references": chance.choices(WORDS[:4], k=2),
                "kind": f"k{number % 7}",
            }
        )
        for number in range(40_000)
    ]
    (place / "table.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (place / "many").mkdir()
    for number in range(3):
        part = lines[13_000 * number : 13_000 * (number + 1) if number < 2 else None]
        (place / "many" / f"part-{number}.jsonl").write_text("\n".join(part) + "\n", encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def expected(folder: Path) -> bytes:
    return shown(folder / "table.jsonl", "here", "c")


def shown(table: Path, engine: str, kernel: str) -> bytes:
    variables = {"FULLMARKS_KERNEL": kernel} if kernel == "python" else {}
    words = ("score", "squad1", table, "--engine", engine, "--by", "kind", "--ci", "-f", "full")
    ended = fullmarks(*words, variables=variables)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == b""
    return ended.stdout


@pytest.mark.parametrize("kernel", ["c", "python"])
@pytest.mark.parametrize("engine", ["here", "cores:1", "cores:3"])
@pytest.mark.parametrize("name", ["table.jsonl", "many"])
def test_engines_and_kernels_print_the_same(folder: Path, expected: bytes, name: str, engine: str, kernel: str) -> None:
    assert shown(folder / name, engine, kernel) == expected


def test_a_pattern_is_a_table(folder: Path, expected: bytes) -> None:
    assert shown(folder / "many" / "part-*.jsonl", "cores:2", "c") == expected
