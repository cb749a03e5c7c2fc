"""Workers that are killed: their tasks are run again, and what comes out is the same."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fullmarks.engines import answers, cores, crew
from fullmarks.engines.cores import Cores
from fullmarks.engines.engine import Buffer, Task
from fullmarks.errors import WorkerError
from tests.processes import wait_until

Outcome = tuple[Any, Sequence[Buffer]]
LOST = "a worker process was lost (it was killed by SIGKILL); task {} is run again"


def rows(about: int, parcels: Sequence[Buffer]) -> Outcome:
    """Work of some milliseconds with an answer that does not fit a pipe, and a parcel."""
    source = random.Random(about)
    values = array("d", [source.random() for _ in range(20_000)]) * 5
    return values, [bytes(values[:10])]


def joined(about: int, parcels: Sequence[Buffer]) -> Outcome:
    return b"".join(bytes(parcel) for parcel in parcels), ()


def die_at_first(about: tuple[str, int, int], parcels: Sequence[Buffer]) -> Outcome:
    """The task of that number kills its process so many times."""
    folder, number, times = about
    tries = Path(folder, f"{number}")
    before = len(tries.read_bytes()) if tries.exists() else 0
    tries.write_bytes(b"x" * (before + 1))
    if before < times:
        os.kill(os.getpid(), signal.SIGKILL)
    return number, ()


class Murder(NamedTuple):
    """What a task does: it tells its process, and may kill the one that has another task, once."""

    folder: Path
    number: int
    victim: int | None = None
    waits: bool = False
    """Whether it waits to be killed."""
    size: int = 0
    """How many bytes its answer has."""

    def do(self) -> bytes:
        told = self.folder / str(self.number)
        is_first = not told.exists()
        part = told.with_suffix(".part")
        part.write_text(str(os.getpid()))
        part.replace(told)
        if self.victim is not None and is_first:
            victim = self.folder / str(self.victim)
            wait_until(victim.exists)
            os.kill(int(victim.read_text()), signal.SIGKILL)
        if self.waits and is_first:
            wait_until(lambda: False)
        return bytes([self.number]) * self.size


def murder(about: Murder, parcels: Sequence[Buffer]) -> Outcome:
    return about.do(), ()


def leave(about: int, parcels: Sequence[Buffer]) -> Outcome:
    if about == 2:
        os._exit(7)
    return about, ()


def telling(engine: Cores) -> list[str]:
    told: list[str] = []
    engine.tell = told.append
    return told


@pytest.mark.parametrize(
    ("workers", "method"),
    [
        (2, "as is best"),
        (1, "spawn"),
        *(
            pytest.param(workers, method, marks=pytest.mark.deep)
            for workers, method in ((1, "as is best"), (3, "as is best"), (2, "spawn"), (3, "spawn"))
        ),
    ],
)
def test_a_lost_task_is_run_again(workers: int, method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if method == "spawn":
        monkeypatch.setattr(crew, "can_fork", lambda: False)
    engine = Cores(workers)
    told = telling(engine)
    tasks = [Task((str(tmp_path), number, {2: 1, 5: 2}.get(number, 0))) for number in range(9)]
    assert [done.result for done in engine.run(die_at_first, tasks)] == list(range(9))
    assert sorted(told) == [LOST.format(3), LOST.format(6), LOST.format(6)]
    tries = {int(path.name): len(path.read_bytes()) for path in tmp_path.iterdir()}
    assert tries == {number: {2: 2, 5: 3}.get(number, 1) for number in range(9)}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_task_that_is_lost_again_and_again_is_an_error(workers: int) -> None:
    engine = Cores(workers)
    told = telling(engine)
    run = engine.run(leave, [Task(number) for number in range(20)])
    with pytest.raises(WorkerError) as caught:
        list(run)
    assert str(caught.value) == (
        "task 3 lost its worker process 3 times (the last time it ended with exit code 7). Where memory is short, use "
        "fewer workers; --engine here shows an error that ends a process"
    )
    assert told == ["a worker process was lost (it ended with exit code 7); task 3 is run again"] * 2
    assert multiprocessing.active_children() == []


def test_without_a_listener_it_is_a_warning(tmp_path: Path) -> None:
    with pytest.warns(RuntimeWarning, match="a worker process was lost"):
        assert len(list(Cores(1).run(die_at_first, [Task((str(tmp_path), 0, 1))]))) == 1


def test_a_worker_that_is_killed_at_work_is_replaced(tmp_path: Path) -> None:
    engine = Cores(2)
    told = telling(engine)
    tasks = [Murder(tmp_path, 0, victim=1), Murder(tmp_path, 1, waits=True), *(Murder(tmp_path, at) for at in (2, 3))]
    assert [done.result for done in engine.run(murder, map(Task, tasks))] == [b""] * 4
    assert told == [LOST.format(2)]
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("way", ["memory", "pipe"])
def test_a_worker_that_is_killed_while_it_answers_is_replaced(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its answer has come before, is lost, or breaks off: what comes out is the same."""
    if way == "pipe":
        monkeypatch.setattr(answers, "_in_memory", lambda buffers: None)
    engine = Cores(2)
    told = telling(engine)
    tasks = [Murder(tmp_path, number, 1 if number == 0 else None, size=5_000_000) for number in range(4)]
    assert [done.result for done in engine.run(murder, map(Task, tasks))] == [task.do() for task in tasks]
    assert len(told) <= 1


def test_a_worker_that_is_killed_without_work_is_replaced(tmp_path: Path) -> None:
    """While the first task is not done, the other worker has nothing left that it may begin."""
    engine = Cores(2)
    told = telling(engine)
    last = cores.AHEAD * 2
    tasks = [Murder(tmp_path, number, last if number == 0 else None) for number in range(12)]
    assert [done.result for done in engine.run(murder, map(Task, tasks))] == [b""] * 12
    assert len(told) <= 1  # it may have got a task before its end was noticed
    assert {path.name for path in tmp_path.iterdir()} == set(map(str, range(12)))


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(20))
def test_the_same_comes_out_whenever_workers_are_killed(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers that this test started are killed at any moment: at work, while they answer, without work."""
    monkeypatch.setattr(cores, "MOST_LOSSES", 100)  # chance may hit one task three times
    source = random.Random(seed)
    here = [rows(number, ()) for number in range(30)]
    with Cores(2, spill=str(tmp_path)) as engine:
        told = telling(engine)
        killed = 0
        handles = []
        for number, done in enumerate(engine.run(rows, [Task(number) for number in range(30)], parcels=1)):
            assert done.result == here[number][0]
            handles += done.parcels
            time.sleep(source.choice((0.0, 0.0, 0.003, 0.01)))
            workers = multiprocessing.active_children()
            if source.random() < 0.25 and workers:
                victim = source.choice(workers)
                if victim.pid is not None:
                    os.kill(victim.pid, signal.SIGKILL)
                    killed += 1
        (done,) = engine.run(joined, [Task(0, handles)])
        assert done.result == b"".join(bytes(parcels[0]) for _, parcels in here)
        assert killed > 0
        assert len(told) <= killed
        assert len([path for path in tmp_path.rglob("*") if path.is_file() and path.name.count(".") == 0]) == 30
    assert multiprocessing.active_children() == []
