"""How worker processes are started: by fork where no other thread runs, and never unasked by running a script again."""

from __future__ import annotations

import multiprocessing
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType

import pytest

from fullmarks.engines import starting
from fullmarks.engines.cores import Cores
from fullmarks.engines.engine import Buffer, Task

pytestmark = pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="there is no fork here")


def start_method(about: object, parcels: Sequence[Buffer]) -> tuple[str, tuple[()]]:
    return type(multiprocessing.current_process()).__name__, ()


@contextmanager
def another_thread() -> Iterator[None]:
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def method() -> object:
    (done,) = Cores(1).run(start_method, [Task(None)])
    return done.result


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No thread runs but this one, whatever other tests and their libraries have left running."""
    this = threading.current_thread()
    others = {thread for thread in threading.enumerate() if thread is not this}
    monkeypatch.setattr(threading, "active_count", lambda: len(set(threading.enumerate()) - others))


@pytest.mark.usefixtures("alone")
def test_processes_are_forked() -> None:
    assert method() == "ForkProcess"


def test_beside_another_thread_they_are_spawned() -> None:
    with another_thread():
        assert method() == "SpawnProcess"


@pytest.mark.parametrize(
    ("script", "is_module", "expected"),
    [
        ("/home/me/mine.py", False, False),
        ("/home/me/mine.py", True, True),
        (None, False, True),
        ("/usr/bin/fullmarks", False, True),
        ("/lib/fullmarks/__main__.py", False, True),
        ("/home/fullmarks/work/mine.py", False, False),
    ],
)
@pytest.mark.usefixtures("alone")
def test_what_runs_decides_where_forking_is_not_safe(
    script: str | None, is_module: bool, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = ModuleType("__main__")
    if script is not None:
        main.__file__ = script
    main.__spec__ = sys.__spec__ if is_module else None
    monkeypatch.setitem(sys.modules, "__main__", main)
    assert starting.can_start_unasked()  # by fork, whatever runs
    with another_thread():
        assert starting.can_start_unasked() is expected
