"""Runs that were cut short go on: what was finished is not scored again, and the outcome is that of one run."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.engines.engine import Done
from fullmarks.readers import shards as shards_module
from fullmarks.report.part_records import PartRecords, parts_of
from tests.jobs.test_assembly import Elsewhere, outcome, records, write_lines
from tests.processes import PATIENCE_SECONDS, command, started, wait_until


class CutShort(Elsewhere):
    """An engine that ends after some tasks, or does all of them; it counts what it does and notes what it says."""

    def __init__(self, tasks: int | None = None, at_once: int = 3) -> None:
        super().__init__()
        self.left = tasks
        self.at_once = at_once  # type: ignore[misc, assignment]
        self.said: list[str] = []
        self.tell = self.said.append  # type: ignore[method-assign, assignment]

    def run(self, work: Any, tasks: Any, parcels: int = 0) -> Iterator[Done]:
        for done in super().run(work, tasks, parcels):
            if self.left == 0:
                raise KeyboardInterrupt
            self.left = None if self.left is None else self.left - 1
            yield done


@pytest.fixture(autouse=True)
def _small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards_module, "SMALLEST", 1000)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "table.jsonl", records(300))


def cut_short(table: Path, folder: Path, tasks: int, **options: Any) -> None:
    folder.mkdir(exist_ok=True)
    with pytest.raises(KeyboardInterrupt):
        fullmarks.score(
            "squad1", table, by="kind", keep=False, engine=CutShort(tasks), checkpoint=str(folder), **options
        )


def test_finished_shards_are_not_scored_again(table: Path, tmp_path: Path) -> None:
    cut_short(table, tmp_path / "kept", 4)
    engine = CutShort(at_once=7)
    whole = outcome("squad1", table, by="kind", keep=False)
    assert outcome("squad1", table, by="kind", keep=False, engine=engine, checkpoint=str(tmp_path / "kept")) == whole
    known, _, rest = engine.said[0].partition(" of ")
    assert int(known) == 5  # the fifth was done when the run was cut short
    assert rest.endswith("shards were finished before and are not scored again")


@pytest.mark.parametrize("change", ["file", "option", "column"])
def test_what_has_changed_is_scored_again(table: Path, tmp_path: Path, change: str) -> None:
    cut_short(table, tmp_path / "kept", 4)
    options: dict[str, Any] = {"by": "kind"}
    if change == "file":
        times = table.stat()
        os.utime(table, ns=(times.st_atime_ns, times.st_mtime_ns + 1_000_000_000))
    elif change == "option":
        options["extract"] = "first-line"
    else:
        options["by"] = "id2"
        rows = [{**json.loads(line), "id2": "x"} for line in table.read_text(encoding="utf-8").splitlines()]
        write_lines(table, rows)
        (tmp_path / "kept" / "plan.json").unlink()
    engine = CutShort()
    whole = outcome("squad1", table, keep=False, **options)
    assert outcome("squad1", table, keep=False, engine=engine, checkpoint=str(tmp_path / "kept"), **options) == whole
    assert engine.said == []


def test_a_table_that_has_grown_cannot_be_gone_on_with(table: Path, tmp_path: Path) -> None:
    cut_short(table, tmp_path / "kept", 4)
    write_lines(table, records(600))
    found = outcome("squad1", table, by="kind", keep=False, engine=CutShort(), checkpoint=str(tmp_path / "kept"))
    assert "so that one cannot go on with the other" in found[1]


def test_a_damaged_piece_is_scored_again(table: Path, tmp_path: Path) -> None:
    cut_short(table, tmp_path / "kept", 4)
    (tmp_path / "kept" / "00002.piece").write_bytes(b"\x93damaged")
    engine = CutShort()
    whole = outcome("squad1", table, by="kind", keep=False)
    assert outcome("squad1", table, by="kind", keep=False, engine=engine, checkpoint=str(tmp_path / "kept")) == whole
    assert engine.said[0].startswith("4 of ")


def test_repeated_ids_are_found_among_shards_of_two_runs(tmp_path: Path) -> None:
    rows = records(300)
    rows[299]["id"] = rows[1]["id"]
    table = write_lines(tmp_path / "table.jsonl", rows)
    cut_short(table, tmp_path / "kept", 4)
    found = outcome("squad1", table, by="kind", keep=False, engine=CutShort(), checkpoint=str(tmp_path / "kept"))
    assert found == outcome("squad1", table, by="kind", keep=False)
    assert "'q1'" in found[1]


def test_parts_hold_what_one_file_holds(table: Path, tmp_path: Path) -> None:
    parts = PartRecords(str(tmp_path / "scores"))
    parts.begin(resume=False)
    cut_short(table, Path(parts.checkpoint), 3, write=parts)
    Path(parts.path(1)).unlink()  # a part that somebody removed is made anew
    (tmp_path / "scores" / ".fullmarks-0123.part").write_bytes(b"what a killed run was writing")
    parts.begin(resume=True)
    engine = CutShort()
    result = fullmarks.score(
        "squad1", table, by="kind", keep=False, engine=engine, checkpoint=parts.checkpoint, write=parts
    )
    parts.finish()
    assert engine.said[0].startswith("3 of ")
    names = sorted(path.name for path in (tmp_path / "scores").iterdir())
    assert names[0] == "_SUCCESS"
    lines = b"".join((tmp_path / "scores" / name).read_bytes() for name in names[1:])
    kept = fullmarks.score("squad1", table, by="kind")
    assert [json.loads(line) for line in lines.splitlines()] == list(kept.per_example)
    assert result.to_dict() == kept.to_dict()


def test_an_address_keeps_no_checkpoint_at_the_end() -> None:
    storage = pytest.importorskip("fsspec").filesystem("memory")
    parts = PartRecords("memory://scores-of-a-run")
    parts.begin(resume=False)
    storage.pipe("/scores-of-a-run/part-00000.jsonl", b"{}\n")
    storage.pipe("/scores-of-a-run/_checkpoint/00000.piece", b"kept")
    parts.finish()
    names = sorted(path.rpartition("/")[2] for path in storage.find("/scores-of-a-run"))
    assert names == ["_SUCCESS", "part-00000.jsonl"]


def test_inputs_that_are_not_cut_have_parts_too(tmp_path: Path) -> None:
    parts = PartRecords(str(tmp_path / "scores.csv"))
    parts.begin(resume=False)
    fullmarks.score("squad1", records(10), keep=False, write=parts)
    assert (tmp_path / "scores.csv" / "part-00000.csv").read_text(encoding="utf-8").count("\n") == 11


def test_a_folder_says_its_format() -> None:
    assert parts_of("scores.jsonl") is None
    for path, name in (
        ("a/scores/", "part-00003.jsonl"),
        ("scores.parquet/", "part-00003.parquet"),
        ("s3://bucket/x/scores.jsonl.zst/", "part-00003.jsonl.zst"),
    ):
        found = parts_of(path)
        assert found is not None
        assert found.path(3) == f"{path}{name}"


SMALL_SHARDS = "from fullmarks.readers import shards; shards.SMALLEST = shards.LARGEST = 2000"
STUCK = f"""
{SMALL_SHARDS}
import time
from fullmarks.jobs.job import Job
usual = Job._scored
Job._scored = lambda job, shard, line: time.sleep(600) if shard.number == 3 else usual(job, shard, line)
"""


def test_a_command_that_was_killed_goes_on(tmp_path: Path) -> None:
    """Killed while it is at its fourth shard."""
    table = write_lines(tmp_path / "table.jsonl", records(300))
    folder = tmp_path / "scores"
    words = ("score", "squad1", table, "--engine", "cores:1", "--per-example", f"{folder}/", "-f", "json")
    with started(command(*words, preparation=STUCK)) as process:
        wait_until(lambda: len(list(folder.glob("_checkpoint/*.piece"))) == 3 or process.poll() is not None)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=PATIENCE_SECONDS)
    assert not (folder / "_SUCCESS").exists()
    with started(command(*words, preparation=SMALL_SHARDS)) as process:
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 2
    assert b"Add --resume to go on" in err
    with started(command(*words, "--resume", preparation=SMALL_SHARDS)) as process:
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0, err
    assert b"fullmarks: 3 of " in err
    assert json.loads(out) == fullmarks.score("squad1", table, keep=False).official
    assert sorted(path.name for path in folder.iterdir())[0] == "_SUCCESS"
    lines = b"".join(path.read_bytes() for path in sorted(folder.glob("part-*")))
    assert [json.loads(line)["id"] for line in lines.splitlines()] == [f"q{number}" for number in range(300)]
