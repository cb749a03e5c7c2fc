"""What stays of rows that are not kept: counts of the distinct ones, or sums in buckets where too many are distinct."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fullmarks.errors import UsageError
from fullmarks.metrics.bucket_sums import BucketSums
from fullmarks.metrics.distinct_rows import BOUND, DistinctRows
from fullmarks.stats.rows import Floats, Integers

BOUND_OF_GROUPS = 1 << 20
"""So many distinct rows of all groups together are counted, unless those of the whole are too many already."""


@dataclass(frozen=True, eq=False)
class Lines:
    """Some units, as a sample has them."""

    lines: Floats
    """The column sums of every unit, then its number of examples."""
    weights: Integers
    values: Floats
    """Rows that tell whether all numbers of a column are 0 or 1, or lie between."""
    is_bucketed: bool = False


class RowCounts:
    """The rows of one metric, as a whole."""

    def __init__(self, width: int) -> None:
        self._distinct, self._buckets = DistinctRows(width), BucketSums(width)

    def add(self, rows: Floats, buckets: Integers) -> None:
        """Take in the next rows with their buckets."""
        self._distinct.add(rows)
        self._buckets.add(rows, buckets)

    def merge(self, other: RowCounts) -> None:
        """Take in the rows that come after these."""
        self._distinct.merge(other._distinct)
        self._buckets.merge(other._buckets)

    @property
    def has_rows(self) -> bool:
        """Whether the distinct rows are counted still."""
        return self._distinct.is_known

    def units(self) -> Lines:
        """The distinct rows, or the buckets; an error where neither can be had."""
        if self._distinct.is_known:
            return _of_rows(self._distinct.lines, self._distinct.counts)
        return _of_buckets(self._buckets, 0)


class GroupedRowCounts:
    """The same for groups of examples, which are numbered."""

    def __init__(self, width: int) -> None:
        self._distinct, self._buckets = DistinctRows(1 + width, BOUND_OF_GROUPS), BucketSums(width)

    def add(self, rows: Floats, buckets: Integers, groups: Integers) -> None:
        """Take in the next rows with their buckets and groups."""
        self._distinct.add(np.hstack([groups[:, None].astype(np.float64), rows]))
        self._buckets.add(rows, buckets, groups)

    def give_up_rows(self) -> None:
        """Count no more distinct rows: of the whole there are too many."""
        self._distinct.give_up()

    def units(self, groups: int) -> list[Lines]:
        """The distinct rows, or the buckets, of each of so many groups."""
        if not self._distinct.is_known:
            return [_of_buckets(self._buckets, group) for group in range(groups)]
        lines, counts = self._distinct.lines, self._distinct.counts
        return [
            _of_rows(lines[members, 1:], counts[members]) for members in split(lines[:, 0].astype(np.int64), groups)
        ]


def split(numbers: Integers, groups: int) -> list[Integers]:
    """Where each of so many numbers stands, in order."""
    if not groups:
        return []
    ends = np.cumsum(np.bincount(numbers, minlength=groups))
    return np.split(np.argsort(numbers, kind="stable"), ends[:-1])


def _of_rows(rows: Floats, counts: Integers) -> Lines:
    return Lines(np.hstack([rows, np.ones((len(rows), 1))]), counts, rows)


def _of_buckets(buckets: BucketSums, group: int) -> Lines:
    if not buckets.is_known:
        raise UsageError(
            f"the rows of this run are too many, or too large, to count ({BOUND:,} different rows, {BOUND_OF_GROUPS:,} "
            "for a column); score with keep=True (-f full -o FILE) to have intervals of it"
        )
    lines = buckets.lines(group)
    weights, is_bucketed = np.ones(len(lines), dtype=np.int64), len(lines) > 0
    return Lines(lines, weights, buckets.values(group) if is_bucketed else lines[:, :-1], is_bucketed)
