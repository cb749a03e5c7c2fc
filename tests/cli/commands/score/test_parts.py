"""`--per-example FOLDER/`: a file for each shard, and nothing else in the folder is touched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


def write(path: Path, count: int) -> Path:
    rows = ({"id": f"q{number}", "prediction": "a", "references": ["a"]} for number in range(count))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("resume", [[], ["--resume"]], ids=["new", "resumed"])
def test_an_input_in_the_folder_is_not_written_over(run: Run, tmp_path: Path, resume: list[str]) -> None:
    write(tmp_path / "part-00000.jsonl", 10)
    before = (tmp_path / "part-00000.jsonl").read_bytes()
    for given in (tmp_path, f"{tmp_path}/part-*.jsonl", tmp_path / "part-00000.jsonl"):
        ended = run("score", "squad1", str(given), "--per-example", f"{tmp_path}/", *resume)
        assert ended.code == 2
        assert "lies in this folder and might be overwritten" in ended.err
    assert (tmp_path / "part-00000.jsonl").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["part-00000.jsonl"]


def test_a_folder_with_something_else_in_it_is_left_alone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").touch()
    table = write(tmp_path / "table.jsonl", 10)
    ended = run("score", "squad1", str(table), "--per-example", f"{tmp_path}/../{tmp_path.name}/x/", "--resume")
    assert ended.code == 0
    ended = run("score", "squad1", str(tmp_path / "x" / "part-00000.jsonl"), "--per-example", f"{tmp_path}/")
    assert ended.code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["letter.txt", "table.jsonl", "x"]


def test_going_on_needs_a_folder(run: Run, tmp_path: Path) -> None:
    table = write(tmp_path / "table.jsonl", 10)
    ended = run("score", "squad1", str(table), "--resume")
    assert (ended.code, ended.out) == (2, "")
    assert "add --per-example FOLDER/" in ended.err
