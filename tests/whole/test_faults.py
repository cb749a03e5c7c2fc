"""Signals and lost workers in a run with outputs: it ends at once, and leaves nothing half-done."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.processes import PATIENCE_SECONDS, command, group_members, handles, started, wait_until

ROUNDS = 50
OLD = b"what was there before"
WORKER = "a worker is killed"
FAULTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL, WORKER)
FEW, MANY = 1500, 20_000
"""Examples of a table: so many that both workers have something to do, and for a search with faults at any moment."""
STUCK = """
import os, pathlib, time
from fullmarks.engines import worker

def halt(name):
    pathlib.Path({folder!r}, name).touch()
    while not pathlib.Path({folder!r}, "go").exists():
        time.sleep(0.01)

def done(errand, task, usual=worker._done):
    if {moment!r} == "at work":
        halt(str(os.getpid()))
    return usual(errand, task)

def replace(part, target, usual=pathlib.Path.replace):
    if {moment!r} == f"before {{target.name}}":
        halt(str(os.getpid()))
    return usual(part, target)

worker._done = done
pathlib.Path.replace = replace
"""
"""Both workers wait at their first task, or the command before it moves a file that is written to its place."""

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks at processes in /proc")


def write_table(path: Path, examples: int, *, late: str = "") -> Path:
    rows = [
        json.dumps({"id": number, "prediction": f"the cat {number % 7}", "references": ["cat", f"a cat {number % 5}"]})
        for number in range(examples)
    ]
    path.write_text("\n".join([*rows, late, ""]), encoding="utf-8")
    return path


@dataclass(frozen=True)
class Outputs:
    """The files of one run, and what they hold when it is done."""

    folder: Path

    @property
    def paths(self) -> list[Path]:
        return [self.folder / "result.json", self.folder / "each.jsonl"]

    def words(self, table: Path, preparation: str = "") -> list[str]:
        result, each = map(str, self.paths)
        words = ("score", "qa", table, "--workers", 2, "-o", result, "--per-example", each)
        return command(*words, preparation=preparation)

    def reset(self) -> None:
        for path in self.folder.iterdir():
            path.unlink()
        for path in self.paths:
            path.write_bytes(OLD)

    def found(self) -> list[bytes]:
        return [path.read_bytes() for path in self.paths]


@dataclass(frozen=True)
class Whole:
    """A table, what a run without a fault makes of it, and how long that lasts once it heeds signals."""

    table: Path
    written: list[bytes]
    seconds: float


def run_whole(outputs: Outputs, table: Path) -> Whole:
    outputs.reset()
    with started(outputs.words(table)) as process:
        wait_until(lambda: handles(process.pid, signal.SIGTERM))
        start = time.monotonic()
        assert process.communicate(timeout=PATIENCE_SECONDS) == (b"", b"")
    assert process.returncode == 0
    assert OLD not in outputs.found()
    return Whole(table, outputs.found(), time.monotonic() - start)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Outputs:
    return Outputs(tmp_path_factory.mktemp("outputs"))


@pytest.fixture(scope="module")
def few(outputs: Outputs, tmp_path_factory: pytest.TempPathFactory) -> Whole:
    return run_whole(outputs, write_table(tmp_path_factory.mktemp("input") / "few.jsonl", FEW))


@pytest.fixture(scope="module")
def many(outputs: Outputs, tmp_path_factory: pytest.TempPathFactory) -> Whole:
    return run_whole(outputs, write_table(tmp_path_factory.mktemp("input") / "many.jsonl", MANY))


def told(number: signal.Signals) -> tuple[int, bytes]:
    """The exit code and the message of a command that a signal has ended."""
    if number == signal.SIGKILL:
        return -number, b""
    words = b"interrupted" if number == signal.SIGINT else f"ended by {number.name}".encode()
    return 128 + number, b"fullmarks: error: " + words + b"\n"


def start_stuck(process: subprocess.Popen[bytes], folder: Path, count: int) -> list[int]:
    """The processes that wait at the moment in question, once there are so many."""
    wait_until(lambda: len(list(folder.iterdir())) >= count or process.poll() is not None)
    return sorted(int(path.name) for path in folder.iterdir())


@pytest.mark.parametrize("to_all", [True, False], ids=["to all", "to the parent alone"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_a_signal_while_workers_work(
    number: signal.Signals, to_all: bool, outputs: Outputs, few: Whole, tmp_path: Path
) -> None:
    """Nobody waits for the workers, which would work for ever."""
    outputs.reset()
    with started(outputs.words(few.table, STUCK.format(folder=str(tmp_path), moment="at work"))) as process:
        assert len(start_stuck(process, tmp_path, 2)) == 2
        (os.killpg if to_all else os.kill)(process.pid, number)
        err = process.communicate(timeout=PATIENCE_SECONDS)[1]
        wait_until(lambda: not group_members(process.pid))
    assert (process.returncode, err) == told(number)
    assert outputs.found() == [OLD, OLD]
    assert number == signal.SIGKILL or sorted(outputs.folder.iterdir()) == sorted(outputs.paths)


@pytest.mark.parametrize(
    ("number", "before"),
    [
        (signal.SIGTERM, "each.jsonl"),
        (signal.SIGKILL, "each.jsonl"),
        (signal.SIGINT, "result.json"),
        (signal.SIGHUP, "result.json"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_a_signal_before_a_file_is_in_its_place(
    number: signal.Signals, before: str, outputs: Outputs, few: Whole, tmp_path: Path
) -> None:
    outputs.reset()
    with started(outputs.words(few.table, STUCK.format(folder=str(tmp_path), moment=f"before {before}"))) as process:
        assert start_stuck(process, tmp_path, 1) == [process.pid]
        os.kill(process.pid, number)
        err = process.communicate(timeout=PATIENCE_SECONDS)[1]
    assert (process.returncode, err) == told(number)
    assert outputs.found() == ([OLD, OLD] if before == "each.jsonl" else [OLD, few.written[1]])
    assert number == signal.SIGKILL or sorted(outputs.folder.iterdir()) == sorted(outputs.paths)


def test_a_lost_worker_changes_nothing(outputs: Outputs, few: Whole, tmp_path: Path) -> None:
    outputs.reset()
    with started(outputs.words(few.table, STUCK.format(folder=str(tmp_path), moment="at work"))) as process:
        os.kill(start_stuck(process, tmp_path, 2)[0], signal.SIGKILL)
        (tmp_path / "go").touch()
        err = process.communicate(timeout=PATIENCE_SECONDS)[1]
        assert group_members(process.pid) == []
    assert process.returncode == 0
    assert b"a worker process was lost (it was killed by SIGKILL); task " in err
    assert outputs.found() == few.written
    assert sorted(outputs.folder.iterdir()) == sorted(outputs.paths)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(ROUNDS))
def test_a_fault_at_any_moment(seed: int, outputs: Outputs, many: Whole) -> None:
    fault = FAULTS[seed % len(FAULTS)]
    moment = random.Random(seed).uniform(0.0, 1.1 * many.seconds)
    outputs.reset()
    with started(outputs.words(many.table)) as process:
        wait_until(lambda: handles(process.pid, signal.SIGTERM))
        time.sleep(moment)
        strike(process.pid, fault, seed)
        err = process.communicate(timeout=PATIENCE_SECONDS)[1]
        wait_until(lambda: not group_members(process.pid))
    found = outputs.found()
    assert all(content in (OLD, written) for content, written in zip(found, many.written, strict=True))
    if fault != signal.SIGKILL:
        assert sorted(outputs.folder.iterdir()) == sorted(outputs.paths)
    if isinstance(fault, str) or process.returncode == 0:
        assert process.returncode == 0, err
        assert found == many.written
    elif process.returncode != -fault or found != many.written:  # it was not done before
        assert (process.returncode, err) == told(fault)


def strike(process: int, fault: signal.Signals | str, seed: int) -> None:
    """Let the fault happen, to the whole group every other time; there may be nothing left for it to happen to."""
    try:
        if isinstance(fault, signal.Signals):
            (os.killpg if seed % 2 else os.kill)(process, fault)
        elif workers := sorted(set(group_members(process)) - {process}):
            os.kill(random.Random(seed).choice(workers), signal.SIGKILL)
    except ProcessLookupError:
        pass


@pytest.mark.parametrize(
    ("again", "examples"), [(0, FEW), *(pytest.param(again, MANY, marks=pytest.mark.deep) for again in range(10))]
)
def test_an_error_in_a_late_line_ends_the_workers(again: int, examples: int, tmp_path: Path, outputs: Outputs) -> None:
    late = write_table(tmp_path / "late.jsonl", examples, late='{"id": 1, "prediction": ')
    outputs.reset()
    with started(outputs.words(late)) as process:
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
        assert group_members(process.pid) == []
    assert (process.returncode, out) == (2, b"")
    assert f"line {examples + 1}: not valid JSON".encode() in err
    assert outputs.found() == [OLD, OLD]
    assert len(list(outputs.folder.iterdir())) == 2
