"""Runs metrics here, chunk after chunk."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence

from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Rows, chunk_rows
from fullmarks.types import Examples


def run_here(metrics: Sequence[Metric], chunks: Iterable[Examples]) -> Generator[tuple[Examples, Rows], None, None]:
    """Every chunk with its rows, in input order."""
    for examples in chunks:
        yield examples, chunk_rows(metrics, examples)
