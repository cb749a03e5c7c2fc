"""The worker processes of one run, as the parent sees them: started, given parts, asked for rows, ended.

Each worker has a pipe of its own and answers in the order in which it was asked. The parent alone holds its end of
every pipe, so a worker sees the end of the stream as soon as the parent is gone, however that came about.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from fullmarks.engines.worker import ENDING_SIGNALS, serve
from fullmarks.errors import UsageError, WorkerError
from fullmarks.metrics.tally import Rows
from fullmarks.types import Examples

REAPING_SECONDS = 1.0
"""How long a killed process may take to go: only one that the kernel holds back takes longer than an instant."""
ENDED_EARLY = (
    "a worker process ended before its work was done (out of memory, killed, or started by a script that "
    'lacks if __name__ == "__main__"). Run again with --workers 1, or with fewer workers'
)


class Crew:
    """Worker processes that end with this one."""

    def __init__(self, method: str) -> None:
        self._context: Any = multiprocessing.get_context(method)
        self._processes: list[BaseProcess] = []
        self._pipes: list[Connection] = []
        self._owner = os.getpid()

    def start(self, count: int, metrics: bytes) -> None:
        """Start so many workers with these metrics, pickled."""
        atexit.register(self.end)  # for a run that is left unfinished and never closed
        forked = self._context.get_start_method() == "fork"
        if not forked:
            _start_tracker()
        watched = forked and threading.current_thread() is threading.main_thread()
        with _signals_held_back():
            for _ in range(count):
                ours, theirs = self._context.Pipe()
                self._pipes.append(ours)
                strangers = tuple(self._pipes) if forked else ()
                words = (theirs, strangers, metrics, os.getpid() if watched else 0)
                process = self._context.Process(target=serve, args=words, daemon=True)
                try:
                    process.start()
                except OSError as error:
                    reason = error.strerror or error
                    raise WorkerError(f"{count} processes cannot be started ({reason}). Use fewer workers") from error
                finally:
                    theirs.close()
                self._processes.append(process)

    def send(self, worker: int, part: Examples) -> None:
        """Give a worker its next part."""
        try:
            packed = pickle.dumps(part, pickle.HIGHEST_PROTOCOL)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise UsageError(f"these examples cannot be sent to other processes ({error}); use workers=1") from error
        try:
            self._pipes[worker].send_bytes(packed)
        except OSError as error:
            raise WorkerError(ENDED_EARLY) from error

    def receive(self, worker: int) -> Rows:
        """The rows of the oldest part that this worker still owes; its error is raised here."""
        pipe = self._pipes[worker]
        if not pipe.poll() and pipe not in wait([pipe, *(process.sentinel for process in self._processes)]):
            raise WorkerError(ENDED_EARLY)
        try:
            rows, error, trace = pickle.loads(pipe.recv_bytes())  # noqa: S301 - made by a process of our own
        except (EOFError, OSError) as end:
            raise WorkerError(ENDED_EARLY) from end
        if error is not None:
            raise error from _InWorker(trace)
        answer: Rows = rows
        return answer

    def end(self) -> None:
        """Kill the workers and reap them, whatever they are doing; a copy of this in a forked process leaves them."""
        if os.getpid() != self._owner:
            return
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.join(REAPING_SECONDS)
            with suppress(ValueError):  # it is not gone yet
                process.close()
        for pipe in self._pipes:
            pipe.close()
        self._processes.clear()
        self._pipes.clear()
        atexit.unregister(self.end)


class _InWorker(Exception):  # noqa: N818 - what it shows is the place of another error
    """Where in the worker an error was raised."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def _start_tracker() -> None:
    """Start the process that spawning needs beside the workers now: its start lets go of signals that are held back."""
    if sys.platform != "win32":
        from multiprocessing.resource_tracker import ensure_running

        ensure_running()


@contextmanager
def _signals_held_back() -> Iterator[None]:
    """Let signals wait until every process that was started is known, and has left them to its parent.

    Another thread may still take one, and Python's handler then runs in this one: it is put off as well.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)
    came: list[int] = []
    put_off = _handlers_put_off(came) if threading.current_thread() is threading.main_thread() else {}
    try:
        yield
    finally:
        for number, handler in put_off.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for number in dict.fromkeys(came):
            signal.raise_signal(number)


def _handlers_put_off(came: list[int]) -> dict[int, Any]:
    """The handlers of Python's, each replaced by one that only notes that its signal came."""

    def note(number: int, _: Any) -> None:
        came.append(number)

    handlers = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
    return {number: signal.signal(number, note) for number, handler in handlers.items() if callable(handler)}
