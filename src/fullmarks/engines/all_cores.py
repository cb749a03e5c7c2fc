"""Runs metrics in worker processes. Rows come back in input order, so the digits are those of a single process.

Whatever ends the work, nobody waits for a worker: each is killed and reaped. A worker whose parent is gone ends itself.
"""

from __future__ import annotations

import multiprocessing
import pickle
import sys
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import PurePath

from fullmarks.engines.crew import Crew
from fullmarks.errors import UsageError
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Rows
from fullmarks.types import Examples

PART = 512
"""Examples per task: small enough that an interrupted run ends at once, large enough to hide the cost of sending."""
PARTS_PER_WORKER = 4
"""How many parts a worker may have before it, so that it need not wait for the next one."""


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
) -> Generator[tuple[Examples, Rows], None, None]:
    """Every part of every chunk with its rows, in input order, a bounded number of parts under way at once.

    No more workers are started than there are parts.
    """
    if multiprocessing.current_process().daemon:
        raise UsageError("a worker of a process pool cannot start processes of its own; use workers=1")
    packed = _packed(metrics)
    parts = _parts(chunks)
    head = list(islice(parts, workers))
    if not head:
        return
    crew = Crew("fork" if _can_fork() else "spawn")
    waiting: deque[tuple[Examples, int]] = deque()
    try:
        crew.start(len(head), packed)
        most = PARTS_PER_WORKER * len(head)
        for number, part in enumerate(chain(head, parts)):
            worker = number % len(head)
            crew.send(worker, part)
            waiting.append((part, worker))
            if len(waiting) >= most:
                yield _next(crew, waiting)
        while waiting:
            yield _next(crew, waiting)
    finally:
        crew.end()


def _packed(metrics: Sequence[Metric]) -> bytes:
    try:
        return pickle.dumps(tuple(metrics))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise UsageError(f"this metric cannot be sent to other processes ({error}); use workers=1") from error


def _can_fork() -> bool:
    """Fork where it is safe: it starts at once and needs no guard in the caller's script."""
    return "fork" in multiprocessing.get_all_start_methods() and threading.active_count() == 1


def _parts(chunks: Iterable[Examples]) -> Iterator[Examples]:
    for chunk in chunks:
        for start in range(0, len(chunk), PART):
            yield chunk.part(start, start + PART)


def _next(crew: Crew, waiting: deque[tuple[Examples, int]]) -> tuple[Examples, Rows]:
    part, worker = waiting.popleft()
    return part, crew.receive(worker)
