"""Runs metrics here, chunk after chunk."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence

from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Rows
from fullmarks.types import Examples


def chunk_rows(metrics: Sequence[Metric], examples: Examples) -> Rows:
    """The rows of every metric; an example without a prediction has zeros where scores are means."""
    every = []
    for metric in metrics:
        rows = metric.rows(examples)
        if examples.unanswered and metric.is_mean:
            width = len(metric.columns)
            for position in examples.unanswered:
                rows[width * position : width * (position + 1)] = array("d", bytes(8 * width))
        every.append(rows)
    return tuple(every)


def run_here(metrics: Sequence[Metric], chunks: Iterable[Examples]) -> Iterator[tuple[Examples, Rows]]:
    """Every chunk with its rows, in input order."""
    for examples in chunks:
        yield examples, chunk_rows(metrics, examples)
