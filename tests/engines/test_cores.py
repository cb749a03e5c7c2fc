"""The engine over processes: how many, how tasks are shared out, what is said of errors, and an orderly end."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from fullmarks.engines import choice, cores, crew, starting
from fullmarks.engines.cores import AHEAD, Cores
from fullmarks.engines.engine import Buffer, Task
from fullmarks.engines.facts import WorkerFacts
from fullmarks.errors import UsageError, WorkerError
from tests.processes import PATIENCE_SECONDS, group_members, started, wait_until

Outcome = tuple[Any, Sequence[Buffer]]


def process(about: float, parcels: Sequence[Buffer]) -> Outcome:
    time.sleep(about)
    return os.getpid(), ()


class Held(NamedTuple):
    """A task that leaves a file of its number, and is not done before there are those of others."""

    folder: str
    number: int
    awaited: tuple[int, ...] = ()

    def do(self) -> None:
        Path(self.folder, str(self.number)).touch()
        wait_until(lambda: all(Path(self.folder, str(other)).exists() for other in self.awaited))


def held(about: Held, parcels: Sequence[Buffer]) -> Outcome:
    about.do()
    return os.getpid(), ()


def held_tasks(folder: Path, count: int, awaited: dict[int, tuple[int, ...]]) -> list[Task]:
    return [Task(Held(str(folder), number, awaited.get(number, ()))) for number in range(count)]


def begun(folder: Path) -> set[int]:
    return {int(path.name) for path in folder.iterdir()}


class UnsendableError(Exception):
    def __init__(self, one: str, two: str) -> None:
        super().__init__(one + two)


def unsendable(about: object, parcels: Sequence[Buffer]) -> Outcome:
    raise UnsendableError("no", "way")


def lost_key(about: object, parcels: Sequence[Buffer]) -> Outcome:
    raise KeyError("lost")


def leave(about: int, parcels: Sequence[Buffer]) -> Outcome:
    sys.exit(about)


def answer_with_a_function(about: object, parcels: Sequence[Buffer]) -> Outcome:
    return (lambda: None), ()


def length(about: str, parcels: Sequence[Buffer]) -> Outcome:
    return about * 3, ()


@pytest.mark.parametrize(("text", "workers"), [("4", 4), ("1", 1), ("", 3)])
def test_the_text_says_how_many(text: str, workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fullmarks.engines.cores.available_cores", lambda: 3)
    assert Cores.from_text(text).at_once == workers


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("0", "workers must be at least 1, found 0"),
        ("-2", "workers must be at least 1, found -2"),
        ("65", "workers must be at most 64 on this machine, found 65"),
        ("two", "the engine 'cores' takes a number of workers, as in cores:4, found 'two'"),
        ("2.0", "the engine 'cores' takes a number of workers, as in cores:4, found '2.0'"),
        ("²", "the engine 'cores' takes a number of workers, as in cores:4, found '²'"),
        ("--2", "the engine 'cores' takes a number of workers, as in cores:4, found '--2'"),
    ],
)
def test_a_number_that_cannot_be_had(text: str, problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "available_cores", lambda: 2)
    with pytest.raises(UsageError) as caught:
        Cores.from_text(text)
    assert str(caught.value).startswith(problem)


def test_no_more_workers_than_tasks(tmp_path: Path) -> None:
    run = Cores(8).run(held, held_tasks(tmp_path, 3, dict.fromkeys(range(3), (0, 1, 2))))
    first = next(run)
    assert len(multiprocessing.active_children()) == 3
    assert len({first.result, *(done.result for done in run)}) == 3


def test_a_free_worker_takes_the_next_task(tmp_path: Path) -> None:
    """While one is at a long task, the other does all the rest that may be begun."""
    workers = [done.result for done in Cores(2).run(held, held_tasks(tmp_path, 5, {0: (1, 2, 3, 4)}))]
    assert len(set(workers[1:])) == 1
    assert workers[0] != workers[1]


class Clock:
    """A clock for `Cores` that only the test moves; waiting for a worker takes as long as it says."""

    now = 0.0

    def __init__(self, monkeypatch: pytest.MonkeyPatch, waiting: float = 0.0) -> None:
        wait = crew.Crew.wait

        def waited(self_: crew.Crew, seconds: float | None) -> None:
            wait(self_, seconds)
            self.now += waiting

        monkeypatch.setattr(cores, "time", SimpleNamespace(monotonic=lambda: self.now))
        monkeypatch.setattr(crew.Crew, "wait", waited)


@pytest.mark.parametrize(
    ("tasks", "is_busy", "expected"),
    [(9, True, 4), (4, True, 3), (9, False, 3)],
    ids=["many", "the last ones", "the caller mostly waits"],
)
def test_beside_a_busy_caller_a_worker_has_a_task_in_advance(
    tasks: int, is_busy: bool, expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is begun while nobody is there to hand it out."""
    clock = Clock(monkeypatch, waiting=0.0 if is_busy else 1000.0)
    run = Cores(1).run(held, held_tasks(tmp_path, tasks, {}))
    for _ in range(2):
        next(run)
        clock.now += 1.0
    wait_until(lambda: len(begun(tmp_path)) >= expected)
    time.sleep(0.1)  # for one more, which must not come
    assert begun(tmp_path) == set(range(expected))
    assert len(list(run)) == tasks - 2


def test_the_last_tasks_are_put_behind_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second one lasts until the fourth is begun: behind it, that would never be."""
    Clock(monkeypatch)
    workers = [done.result for done in Cores(2).run(held, held_tasks(tmp_path, 4, {1: (3,)}))]
    assert workers == [workers[0], workers[1], workers[0], workers[0]]


def test_results_that_wait_are_bounded(tmp_path: Path) -> None:
    """The first task lasts until the last one is begun that may be."""
    run = Cores(2).run(held, held_tasks(tmp_path, 50, {0: (AHEAD * 2,)}))
    next(run)
    assert begun(tmp_path) == set(range(AHEAD * 2 + 1))
    assert len(list(run)) == 49


def test_an_engine_that_is_closed_ends_its_workers() -> None:
    engine = Cores(2)
    run = engine.run(process, [Task(0.0), *[Task(600.0)] * 8])
    next(run)
    assert multiprocessing.active_children()
    engine.close()
    assert multiprocessing.active_children() == []
    with pytest.raises(UsageError, match="the engine was closed while it ran"):
        next(run)


def test_nothing_is_left_of_parcels(tmp_path: Path) -> None:
    def names() -> list[str]:
        return [path.name for path in tmp_path.rglob("*") if path.is_file()]

    with Cores(2, spill=str(tmp_path / "made")) as engine:
        assert len(list(engine.run(_some_parcel, [Task(b"x" * 1000)] * 3, parcels=1))) == 3
        assert sorted(names()) == ["1-0", "1-1", "1-2"]
    assert names() == []


def _some_parcel(about: bytes, parcels: Sequence[Buffer]) -> Outcome:
    return None, [about]


def test_an_error_that_cannot_be_sent_is_told_in_words() -> None:
    with pytest.raises(WorkerError, match="a worker failed: UnsendableError: noway"):
        list(Cores(2).run(unsendable, [Task(1)]))


def test_an_error_says_where_in_the_worker_it_was_raised() -> None:
    with pytest.raises(KeyError) as caught:
        list(Cores(2).run(lost_key, [Task(1)]))
    assert ", in lost_key\n" in str(caught.value.__cause__)


def test_leaving_the_program_is_no_lost_worker() -> None:
    with pytest.raises(SystemExit) as caught:
        list(Cores(2).run(leave, [Task(3)]))
    assert caught.value.code == 3


def test_what_cannot_be_sent_is_an_error() -> None:
    with pytest.raises(UsageError, match=r"this work cannot be sent to other processes .*; use the engine 'here'"):
        list(Cores(2).run(lambda about, parcels: (about, parcels), [Task(1)]))
    with pytest.raises(UsageError, match="this task cannot be sent to other processes"):
        list(Cores(2).run(process, [Task(lambda: None)]))
    with pytest.raises(Exception, match=r"(?i)can't (pickle|get local).*lambda"):
        list(Cores(2).run(answer_with_a_function, [Task(1)]))


def test_large_tasks_and_large_answers_do_not_block_each_other() -> None:
    """Either alone would fill a pipe, and then both sides would wait."""
    tasks = [Task(chr(60 + number) * 500_000) for number in range(6)]
    assert [done.result for done in Cores(1).run(length, tasks)] == [task.about * 3 for task in tasks]


def test_processes_that_cannot_be_started_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("multiprocessing.context.ForkProcess.start", refuse)
    monkeypatch.setattr("multiprocessing.context.SpawnProcess.start", refuse)
    with pytest.raises(WorkerError, match=r"3 processes cannot be started \(Resource temporarily unavailable\)"):
        list(Cores(3).run(process, [Task(0.0)] * 9))


def test_a_worker_of_a_pool_starts_no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(multiprocessing.current_process()._config, "daemon", True)  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="a worker of a process pool cannot start processes of its own; use the eng"):
        list(Cores(2).run(process, [Task(0.0)]))


def test_spawned_workers_do_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "can_fork", lambda: False)
    assert [done.result for done in Cores(2).run(length, map(Task, "abc"))] == ["aaa", "bbb", "ccc"]


def test_workers_of_another_version_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "facts", lambda: WorkerFacts("0.9.1", "3.11.7", "c"))
    with pytest.raises(WorkerError, match=r"a worker has fullmarks .*, this process 0\.9\.1"):
        list(Cores(2).run(process, [Task(0.0)] * 3))


WORK = """
import time

def length(about, parcels):
    return about * 3, ()

def sleep(about, parcels):
    time.sleep(about)
    return None, ()
"""
UNGUARDED = """
import threading
print("script", flush=True)
{thread}
from fullmarks.engines.cores import Cores
from fullmarks.engines.engine import Task
from work import length
print([done.result for done in Cores(2).run(length, [Task("a")] * 5)])
"""
UNFINISHED = """
from fullmarks.engines.cores import Cores
from fullmarks.engines.engine import Task
from work import sleep
run = Cores(2).run(sleep, [Task(0.0), *[Task(600.0)] * 5])
kept = [run, next(run)]
kept.append(kept)
"""
THREAD = "threading.Thread(target=threading.Event().wait, daemon=True).start()"


def write_script(folder: Path, text: str) -> list[str]:
    """The words that run a script, with its work in a module beside it."""
    (folder / "work.py").write_text(WORK, encoding="utf-8")
    (folder / "script.py").write_text(text, encoding="utf-8")
    return [sys.executable, str(folder / "script.py")]


@pytest.mark.parametrize(
    "thread", [THREAD, f'if __name__ == "__main__": {THREAD}'], ids=["in each", "in the first alone"]
)
def test_a_script_without_guard_is_told_what_it_lacks(thread: str, tmp_path: Path) -> None:
    """Beside a thread, processes are spawned and begin with the script itself: they must not start more of them."""
    script = write_script(tmp_path, UNGUARDED.format(thread=thread))
    ended = subprocess.run(script, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    assert ended.returncode == 1
    assert "".join(ended.stdout.split()) in ("script" * 2, "script" * 3)
    assert ended.stderr.endswith(
        "fullmarks.errors.WorkerError: a worker process ended before its work was done (out of memory, killed, or "
        'started by a script that lacks if __name__ == "__main__"). Run again with --engine here, or with fewer '
        "workers\n"
    )
    assert 'Put what it does under if __name__ == "__main__"' in ended.stderr


@pytest.mark.skipif(not starting.can_fork(), reason="there is no fork here")
def test_a_script_without_guard_runs_where_forking_is_safe(tmp_path: Path) -> None:
    script = write_script(tmp_path, UNGUARDED.format(thread=""))
    ended = subprocess.run(script, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=True)
    assert ended.stdout.splitlines() == ["script", "['aaa', 'aaa', 'aaa', 'aaa', 'aaa']"]


def test_a_run_that_is_left_unfinished_does_not_keep_the_interpreter(tmp_path: Path) -> None:
    with started(write_script(tmp_path, UNFINISHED)) as running:
        assert running.communicate(timeout=PATIENCE_SECONDS) == (b"", b"")
        assert group_members(running.pid) == []
    assert running.returncode == 0
