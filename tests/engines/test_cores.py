"""The engine over processes: how many, how tasks are shared out, what is said of errors, and an orderly end."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fullmarks.engines import choice, crew, starting
from fullmarks.engines.cores import AHEAD, Cores
from fullmarks.engines.engine import Buffer, Task
from fullmarks.engines.facts import WorkerFacts
from fullmarks.errors import UsageError, WorkerError
from tests.processes import group_members, started

ROOT = [str(Path(__file__).parents[2])]
Outcome = tuple[Any, Sequence[Buffer]]


def process(about: float, parcels: Sequence[Buffer]) -> Outcome:
    time.sleep(about)
    return os.getpid(), ()


def note(about: tuple[str, int, float], parcels: Sequence[Buffer]) -> Outcome:
    """Leave a file that says that the task was begun."""
    folder, number, seconds = about
    Path(folder, f"{number}").touch()
    time.sleep(seconds)
    return os.getpid(), ()


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


def test_no_more_workers_than_tasks() -> None:
    assert len({done.result for done in Cores(8).run(process, [Task(0.2)] * 3)}) == 3


def test_a_free_worker_takes_the_next_task() -> None:
    """While one is at a long task, the other does all the rest that may be begun."""
    workers = [done.result for done in Cores(2).run(process, [Task(1.0), *[Task(0.0)] * 4])]
    assert len(set(workers[1:])) == 1
    assert workers[0] != workers[1]


@pytest.mark.parametrize(("tasks", "begun"), [(9, 4), (4, 3)], ids=["many", "the last ones"])
def test_beside_a_busy_caller_a_worker_has_a_task_in_advance(tasks: int, begun: int, tmp_path: Path) -> None:
    """It is begun while nobody is there to hand it out."""
    run = Cores(1).run(note, [Task((str(tmp_path), number, 0.05)) for number in range(tasks)])
    for _ in range(2):
        next(run)
        time.sleep(0.6)
    assert len(list(tmp_path.iterdir())) == begun
    assert len(list(run)) == tasks - 2


def test_the_last_tasks_are_put_behind_no_other() -> None:
    workers = [done.result for done in Cores(2).run(process, [Task(0.05), Task(1.0), Task(0.0), Task(0.0)])]
    assert workers == [workers[0], workers[1], workers[0], workers[0]]


def test_results_that_wait_are_bounded(tmp_path: Path) -> None:
    tasks = [Task((str(tmp_path), number, 0.0 if number else 1.0)) for number in range(50)]
    run = Cores(2).run(note, tasks)
    next(run)
    begun = {int(path.name) for path in tmp_path.iterdir()}
    assert begun <= set(range(AHEAD * 2 + 2))
    assert len(begun) > 2
    assert len(list(run)) == 49


def test_an_engine_that_is_closed_ends_its_workers() -> None:
    engine = Cores(2)
    run = engine.run(process, [Task(0.0), *[Task(60.0)] * 8])
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
    tasks = [Task(chr(60 + number) * 2_000_000) for number in range(12)]
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


UNGUARDED = """
import sys, threading
print("script", flush=True)
{thread}
sys.path[:0] = {root!r}
from fullmarks.engines.cores import Cores
from fullmarks.engines.engine import Task
from tests.engines.test_cores import length
print([done.result for done in Cores(2).run(length, [Task("a")] * 5)])
"""
THREAD = "threading.Thread(target=threading.Event().wait, daemon=True).start()"


@pytest.mark.parametrize(
    "thread", [THREAD, f'if __name__ == "__main__": {THREAD}'], ids=["in each", "in the first alone"]
)
def test_a_script_without_guard_is_told_what_it_lacks(thread: str, tmp_path: Path) -> None:
    """Beside a thread, processes are spawned and begin with the script itself: they must not start more of them."""
    script = tmp_path / "script.py"
    script.write_text(UNGUARDED.format(thread=thread, root=ROOT), encoding="utf-8")
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=False)
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
    script = tmp_path / "script.py"
    script.write_text(UNGUARDED.format(thread="", root=ROOT), encoding="utf-8")
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout.splitlines() == ["script", "['aaa', 'aaa', 'aaa', 'aaa', 'aaa']"]


def test_a_run_that_is_left_unfinished_does_not_keep_the_interpreter(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        f"""
import sys
sys.path[:0] = {ROOT!r}
from fullmarks.engines.cores import Cores
from fullmarks.engines.engine import Task
from tests.engines.test_cores import process

run = Cores(2).run(process, [Task(0.0), *[Task(60.0)] * 5])
kept = [run, next(run)]
kept.append(kept)
"""
    )
    with started([sys.executable, str(script)]) as running:
        assert running.communicate(timeout=20) == (b"", b"")
        assert group_members(running.pid) == []
    assert running.returncode == 0
