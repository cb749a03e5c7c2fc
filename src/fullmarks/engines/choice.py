"""Which engine runs a job: this process, unless the work is heavy enough to gain from others."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence

from fullmarks.engines.in_process import run_here
from fullmarks.errors import UsageError
from fullmarks.metrics.metric import Metric
from fullmarks.types import Examples

WORTH_SHARING = 4096
"""Fewer examples than this are done before other processes have started."""


def run(
    metrics: Sequence[Metric], first: Examples, chunks: Iterable[Examples], workers: int | None
) -> Iterator[tuple[Examples, tuple[array[float], ...]]]:
    """Chunks with their rows in input order; `first` is the first of the chunks, looked at to choose.

    Without a number of workers, other cores are used for expensive metrics on many examples only.
    """
    if workers is not None and workers < 1:
        raise UsageError(f"workers must be at least 1, found {workers}")
    if workers is None:
        heavy = len(first) >= WORTH_SHARING and any(metric.is_expensive for metric in metrics)
        if not heavy:
            return run_here(metrics, chunks)
    elif workers == 1:
        return run_here(metrics, chunks)
    from fullmarks.engines.all_cores import available_cores, run_on_cores

    return run_on_cores(metrics, chunks, workers or available_cores())
