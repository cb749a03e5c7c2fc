"""Runs metrics in worker processes. Rows come back in input order, so the digits are those of a single process."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import PurePath
from typing import Any

from fullmarks.errors import UsageError, WorkerError
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Rows, chunk_rows
from fullmarks.types import Examples

PART = 512
"""Examples per task: small enough that an interrupted run ends at once, large enough to hide the cost of sending."""

_metrics: tuple[Metric, ...] = ()
"""The metrics of this worker process, set once when it starts; never used in the parent."""


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def can_start_unasked() -> bool:
    """Whether processes can be started without the caller's having prepared for it.

    Not from a worker of a pool, and not where they begin by running the caller's script again.
    """
    if multiprocessing.current_process().daemon:
        return False
    main = sys.modules["__main__"]
    script = getattr(main, "__file__", None)
    is_module = getattr(main, "__spec__", None) is not None
    return _can_fork() or is_module or script is None or "fullmarks" in PurePath(script).parts[-2:]


def run_on_cores(
    metrics: Sequence[Metric], chunks: Iterable[Examples], workers: int
) -> Iterator[tuple[Examples, Rows]]:
    """Every part of every chunk with its rows, in input order, a bounded number of parts under way at once."""
    if multiprocessing.current_process().daemon:
        raise UsageError("a worker of a process pool cannot start processes of its own; use workers=1")
    context: Any = _Recorded(_context())
    with ProcessPoolExecutor(workers, context, initializer=_start, initargs=(_packed(metrics),)) as pool:
        waiting: deque[tuple[Examples, Future[Rows]]] = deque()
        finished = False
        try:
            for part in _parts(chunks):
                waiting.append((part, pool.submit(_work, part)))
                if len(waiting) >= 4 * workers:
                    yield _next(waiting)
            while waiting:
                yield _next(waiting)
            finished = True
        except BrokenProcessPool as error:
            raise WorkerError(
                "a worker process ended before its work was done (out of memory, killed, or started by a script that "
                'lacks if __name__ == "__main__"). Run again with --workers 1, or with fewer workers'
            ) from error
        finally:
            if not finished:  # interrupted, or nobody wants the rest: what is under way is not worth waiting for
                context.terminate()


def _packed(metrics: Sequence[Metric]) -> bytes:
    try:
        return pickle.dumps(tuple(metrics))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise UsageError(f"this metric cannot be sent to other processes ({error}); use workers=1") from error


def _context() -> multiprocessing.context.BaseContext:
    """Fork where it is safe: it starts at once and needs no guard in the caller's script."""
    return multiprocessing.get_context("fork" if _can_fork() else "spawn")


def _can_fork() -> bool:
    return "fork" in multiprocessing.get_all_start_methods() and threading.active_count() == 1


class _Recorded:
    """A context that remembers its processes, because the pool itself cannot end them early."""

    def __init__(self, context: multiprocessing.context.BaseContext) -> None:
        self._context = context
        self._processes: list[multiprocessing.process.BaseProcess] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def Process(self, *arguments: Any, **named: Any) -> multiprocessing.process.BaseProcess:  # noqa: N802 - its name
        """A process of the context."""
        process: multiprocessing.process.BaseProcess = self._context.Process(*arguments, **named)  # type: ignore[attr-defined]
        self._processes.append(process)
        return process

    def terminate(self) -> None:
        """End all processes now."""
        for process in self._processes:
            if process.pid is not None:  # it was started
                process.terminate()


def _parts(chunks: Iterable[Examples]) -> Iterator[Examples]:
    for chunk in chunks:
        for start in range(0, len(chunk), PART):
            yield chunk.part(start, start + PART)


def _next(waiting: deque[tuple[Examples, Future[Rows]]]) -> tuple[Examples, Rows]:
    part, future = waiting.popleft()
    return part, future.result()


def _start(packed: bytes) -> None:
    """In the worker: leave Ctrl-C to the parent, which ends its workers, and unpack the metrics once."""
    global _metrics  # noqa: PLW0603 - the one piece of state a worker process has
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _metrics = pickle.loads(packed)  # noqa: S301 - made by our own parent process a moment ago


def _work(part: Examples) -> Rows:
    return chunk_rows(_metrics, part)
