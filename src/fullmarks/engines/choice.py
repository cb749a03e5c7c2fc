"""Which engine runs a job: this process, unless the work is heavy enough to gain from others."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Sequence
from itertools import chain

from fullmarks.checks import check_kind
from fullmarks.engines.in_process import run_here
from fullmarks.errors import UsageError
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Rows
from fullmarks.types import Examples

WORTH_SHARING = 4096
"""Fewer examples than this are done before other processes have started."""
MOST_WORKERS, MOST_PER_CORE = 64, 4
"""How many workers may be asked for: the first number, or the second for each core where that is more."""


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_workers(workers: int | None) -> None:
    """An error unless this many workers can be had; None leaves the choice to us."""
    check_kind("workers", workers, int, or_none=True)
    if workers is None:
        return
    if workers < 1:
        raise UsageError(f"workers must be at least 1, found {workers}")
    most = max(MOST_WORKERS, MOST_PER_CORE * available_cores())
    if workers > most:
        raise UsageError(f"workers must be at most {most} on this machine, found {workers}. One for each core is best")


def run(
    metrics: Sequence[Metric], chunks: Iterable[Examples], workers: int | None
) -> Generator[tuple[Examples, Rows], None, None]:
    """Chunks with their rows in input order; closing it ends all work at once.

    Without a number of workers, other cores are used for expensive metrics on many examples only.
    """
    check_workers(workers)
    if workers == 1 or (workers is None and not any(metric.is_expensive for metric in metrics)):
        return run_here(metrics, chunks)
    if workers is None:
        head, chunks = _looked_ahead(chunks)
        if head < WORTH_SHARING:
            return run_here(metrics, chunks)
    from fullmarks.engines.all_cores import can_start_unasked, run_on_cores

    if workers is None and not can_start_unasked():
        return run_here(metrics, chunks)
    return run_on_cores(metrics, chunks, workers or available_cores())


def _looked_ahead(chunks: Iterable[Examples]) -> tuple[int, Iterable[Examples]]:
    """How many examples there are, counted no further than needed, and all chunks again."""
    rest = iter(chunks)
    head: list[Examples] = []
    count = 0
    for chunk in rest:
        head.append(chunk)
        count += len(chunk)
        if count >= WORTH_SHARING:
            break
    return count, chain(head, rest)
