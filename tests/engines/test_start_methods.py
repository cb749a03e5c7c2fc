"""How worker processes are started: by fork where no other thread runs, and never unasked by running a script again."""

from __future__ import annotations

import multiprocessing
import sys
import threading
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import ClassVar

import pytest

from fullmarks.engines import all_cores
from fullmarks.metrics.metric import Metric
from fullmarks.types import Examples

pytestmark = pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="there is no fork here")


@dataclass(frozen=True)
class StartMethod(Metric):
    """1 in a process that was forked, 2 in one that was spawned."""

    name: ClassVar[str] = "start_method"
    summary: ClassVar[str] = "for these tests"

    @property
    def columns(self) -> tuple[str, ...]:
        return ("method",)

    def rows(self, examples: Examples) -> array[float]:
        kinds = {"ForkProcess": 1.0, "SpawnProcess": 2.0}
        return array("d", [kinds[type(multiprocessing.current_process()).__name__]] * len(examples))


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


def method() -> float:
    ((_, (rows,)),) = all_cores.run_on_cores([StartMethod()], [Examples([1], ["a"], [["a"]])], 1)
    return rows[0]


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No thread runs but this one, whatever other tests and their libraries have left running."""
    this = threading.current_thread()
    others = {thread for thread in threading.enumerate() if thread is not this}
    monkeypatch.setattr(threading, "active_count", lambda: len(set(threading.enumerate()) - others))


@pytest.mark.usefixtures("alone")
def test_processes_are_forked() -> None:
    assert method() == 1.0


def test_beside_another_thread_they_are_spawned() -> None:
    with another_thread():
        assert method() == 2.0


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
    assert all_cores.can_start_unasked()  # by fork, whatever runs
    with another_thread():
        assert all_cores.can_start_unasked() is expected
