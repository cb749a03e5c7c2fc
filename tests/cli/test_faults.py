"""Signals at any moment of a run with workers and outputs: it ends at once, and leaves nothing half-done."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.processes import command, group_members, handles, started, wait_until

ROUNDS = 50
MOST_SECONDS = 2.0
"""From the fault to the end of the last process."""
OLD = b"what was there before"
WORKER = "a worker is killed"
FAULTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL, WORKER)
EXAMPLES = 20_000

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks at processes in /proc")


def write_table(path: Path, *, late: str = "") -> Path:
    rows = [
        json.dumps({"id": number, "prediction": f"the cat {number % 7}", "references": ["cat", f"a cat {number % 5}"]})
        for number in range(EXAMPLES)
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

    def words(self, table: Path) -> list[str]:
        result, each = map(str, self.paths)
        return command("score", "qa", table, "--workers", 2, "-o", result, "--per-example", each)

    def reset(self) -> None:
        for path in self.folder.iterdir():
            path.unlink()
        for path in self.paths:
            path.write_bytes(OLD)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Outputs:
    return Outputs(tmp_path_factory.mktemp("outputs"))


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_table(tmp_path_factory.mktemp("input") / "table.jsonl")


@pytest.fixture(scope="module")
def whole(outputs: Outputs, table: Path) -> tuple[list[bytes], float]:
    """What a run without a fault writes, and how long it lasts once it heeds signals."""
    outputs.reset()
    with started(outputs.words(table)) as process:
        wait_until(lambda: handles(process.pid, signal.SIGTERM))
        start = time.monotonic()
        assert process.communicate(timeout=60) == (b"", b"")
    assert process.returncode == 0
    return [path.read_bytes() for path in outputs.paths], time.monotonic() - start


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_a_fault_at_any_moment(seed: int, outputs: Outputs, table: Path, whole: tuple[list[bytes], float]) -> None:
    new, lasting = whole
    fault = FAULTS[seed % len(FAULTS)]
    moment = random.Random(seed).uniform(0.0, 1.1 * lasting)
    outputs.reset()
    with started(outputs.words(table)) as process:
        wait_until(lambda: handles(process.pid, signal.SIGTERM))
        time.sleep(moment)
        start = time.monotonic()
        happened = strike(process.pid, fault, seed)
        err = process.communicate(timeout=MOST_SECONDS if happened else 60)[1]
        wait_until(lambda: not group_members(process.pid), MOST_SECONDS)
        assert not happened or time.monotonic() - start < MOST_SECONDS
    found = [path.read_bytes() for path in outputs.paths]
    assert all(content in (OLD, written) for content, written in zip(found, new, strict=True))
    if process.returncode == 0 or (found == new and process.returncode == -fault_number(fault)):
        assert found == new  # it was done before
        return
    assert (process.returncode, err) == expected(fault)
    if fault != signal.SIGKILL:
        assert sorted(outputs.folder.iterdir()) == sorted(outputs.paths)


def strike(process: int, fault: signal.Signals | str, seed: int) -> bool:
    """Let the fault happen, to the whole group every other time; whether there was something for it to happen to."""
    if fault == WORKER:
        workers = sorted(set(group_members(process)) - {process})
        if workers:
            os.kill(random.Random(seed).choice(workers), signal.SIGKILL)
        return bool(workers)
    try:
        (os.killpg if seed % 2 else os.kill)(process, fault)
    except ProcessLookupError:
        return False
    return True


def fault_number(fault: signal.Signals | str) -> int:
    return 0 if isinstance(fault, str) else int(fault)


def expected(fault: signal.Signals | str) -> tuple[int, bytes]:
    if isinstance(fault, str):
        return 2, (
            b"fullmarks: error: a worker process ended before its work was done (out of memory, killed, or started by "
            b'a script that lacks if __name__ == "__main__"). Run again with --workers 1, or with fewer workers\n'
        )
    if fault == signal.SIGKILL:
        return -9, b""
    words = b"interrupted" if fault == signal.SIGINT else f"ended by {fault.name}".encode()
    return 128 + fault, b"fullmarks: error: " + words + b"\n"


@pytest.mark.parametrize("again", range(10))
def test_an_error_in_a_late_line_ends_the_workers(again: int, tmp_path: Path, outputs: Outputs) -> None:
    late = write_table(tmp_path / "late.jsonl", late='{"id": 1, "prediction": ')
    outputs.reset()
    with started(outputs.words(late)) as process:
        out, err = process.communicate(timeout=30)
        assert group_members(process.pid) == []
    assert (process.returncode, out) == (2, b"")
    assert f"line {EXAMPLES + 1}: not valid JSON".encode() in err
    assert [path.read_bytes() for path in outputs.paths] == [OLD, OLD]
    assert len(list(outputs.folder.iterdir())) == 2
