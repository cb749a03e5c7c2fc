"""The worker processes of one run, as the parent sees them: started, given tasks, asked for answers, ended.

Each worker has a pipe of its own and answers in the order in which it was asked. The parent alone holds its end of
every pipe, so a worker sees the end of the stream as soon as the parent is gone, however that came about.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from fullmarks.engines.answers import receive
from fullmarks.engines.facts import check_facts, facts
from fullmarks.engines.packing import unpacked
from fullmarks.engines.starting import can_fork, signals_held_back, start_tracker
from fullmarks.engines.worker import Answer, serve

REAPING_SECONDS = 1.0
"""How long a killed process may take to go: only one that the kernel holds back takes longer than an instant."""


class Worker:
    """One worker process, and the numbers of the tasks that it has still to answer, oldest first."""

    def __init__(self, process: BaseProcess, pipe: Connection) -> None:
        self.process = process
        self.pipe = pipe
        self.tasks: deque[int] = deque()

    def give(self, number: int, task: bytes) -> None:
        """Give it a task; that a worker is gone shows when it is asked for its answer."""
        self.tasks.append(number)
        with suppress(OSError):
            self.pipe.send_bytes(task)

    def end(self) -> str:
        """Kill it and reap it, whatever it is doing; how it ended, in words."""
        self.process.kill()
        self.process.join(REAPING_SECONDS)
        code = self.process.exitcode
        self.pipe.close()
        with suppress(ValueError):  # it is not gone yet
            self.process.close()
        return _ending(code)


class Crew:
    """Worker processes that end with this one."""

    def __init__(self, errand: bytes) -> None:
        self.workers: list[Worker] = []
        self.has_ended = False
        self.can_start = False
        """Whether workers can be started here: a spawned one has said what it is, which none does that begins with a
        script that is not made for it; a forked one always can."""
        self._errand = errand
        self._ready: list[Any] = []
        self._facts = facts()
        self._owner = os.getpid()
        atexit.register(self.end)  # for a run that is left unfinished and never closed

    def add(self) -> Worker:
        """Start one more worker."""
        forked = can_fork()
        context: Any = multiprocessing.get_context("fork" if forked else "spawn")
        if not forked:
            start_tracker()
        watched = forked and threading.current_thread() is threading.main_thread()
        with signals_held_back():
            ours, theirs = context.Pipe()
            strangers = (*(worker.pipe for worker in self.workers), ours) if forked else ()
            words = (theirs, strangers, self._errand, os.getpid() if watched else 0)
            process = context.Process(target=serve, args=words, daemon=True)
            try:
                process.start()
            except BaseException:
                ours.close()
                raise
            finally:
                theirs.close()
            worker = Worker(process, ours)
            self.workers.append(worker)
            self.can_start |= forked
        return worker

    def wait(self, seconds: float | None) -> None:
        """Wait so long for a word of any worker; without a number, until there is one."""
        self._ready = wait([worker.pipe for worker in self.workers], seconds)

    def answers(self) -> Iterator[tuple[Worker, Answer | None]]:
        """What workers had said when they were waited for; None for one that is gone."""
        by_pipe = {worker.pipe: worker for worker in self.workers}
        for pipe in self._ready:
            worker = by_pipe[pipe]
            try:
                received = receive(worker.pipe)
            except (EOFError, OSError):
                yield worker, None
                continue
            said = unpacked(received)
            if isinstance(said, Answer):
                yield worker, said
            else:
                check_facts(self._facts, said)
                self.can_start = True

    def dismiss(self, worker: Worker) -> str:
        """Let go of a worker that is gone; how it ended, in words."""
        self.workers.remove(worker)
        return worker.end()

    def end(self) -> None:
        """Kill the workers and reap them, whatever they are doing; a copy of this in a forked process leaves them."""
        if os.getpid() != self._owner:
            return
        self.has_ended = True
        for worker in self.workers:
            worker.process.kill()
        for worker in self.workers:
            worker.end()
        self.workers.clear()
        atexit.unregister(self.end)


def raise_from_worker(answer: Answer) -> None:
    """Raise the error of an answer, if it has one, as it was raised; its cause says where in the worker that was."""
    if answer.trace and answer.error is not None:
        raise answer.error from _InWorker(answer.trace)
    if answer.error is not None:
        raise answer.error


class _InWorker(Exception):  # noqa: N818 - what it shows is the place of another error
    """Where in the worker an error was raised."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def _ending(code: int | None) -> str:
    """How a process ended, from its exit code."""
    if code is None:
        return "it cannot be ended"
    if code >= 0:
        return f"it ended with exit code {code}"
    try:
        return f"it was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"it was killed by signal {-code}"
