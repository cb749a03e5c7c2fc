"""Sums of rows in buckets: what can be resampled where nearly every row is another.

The place of an example in the input decides its bucket, as if by chance. Sums are whole numbers of 2^-32, so that they
are the same in whatever order and pieces the rows come.
"""

from __future__ import annotations

import numpy as np

from fullmarks.stats.rows import Floats, Integers

BUCKETS = 1 << 12
FEWEST_BUCKETS = 1 << 6
"""With fewer, the standard error of a group would be off by more than a tenth."""
_CELLS = 1 << 18
"""How many buckets all groups have together."""
_UNIT = 2.0**32
_LARGEST = 2.0**31
"""What the numbers of a bucket may add up to, their signs taken off."""


def buckets_of(first: int, n: int) -> Integers:
    """The buckets of `n` examples, of which the first has this place in the input.

    The mixing is that of SplitMix64 (Steele, Lea and Flood 2014): neighbours lie in unrelated buckets, so that a file
    that is sorted has buckets like those of any other.
    """
    mixed = np.arange(first + 1, first + n + 1, dtype=np.uint64)
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(30)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return (mixed >> np.uint64(64 - 12)).astype(np.int64)


class BucketSums:
    """The sums of the rows in every bucket of every group, with the least and the largest number of each column.

    The more groups there are, the fewer buckets each has: 4,096 up to 64 groups, 64 up to 4,096; no more than these.
    """

    def __init__(self, width: int) -> None:
        self.buckets = BUCKETS
        self._sums: Integers = np.zeros((width, 0, BUCKETS), dtype=np.int64)
        self._sizes: Integers = np.zeros((0, BUCKETS), dtype=np.int64)
        self._lows: Floats = np.full((width, 0), np.inf)
        self._highs: Floats = np.full((width, 0), -np.inf)

    @property
    def is_known(self) -> bool:
        """Whether there were few enough groups, and no number too large."""
        if not self.buckets:
            return False
        ends = np.abs(np.stack([self._lows, self._highs])[:, :, self._sizes.any(axis=1)])
        return bool(ends.max(initial=0.0) * self._sizes.max(initial=0) < _LARGEST)

    def add(self, rows: Floats, buckets: Integers, groups: Integers | None = None) -> None:
        """Take in rows with the bucket of each and, where there are several, its group."""
        if not self.buckets or not len(rows):
            return
        self._make_room(1 if groups is None else int(groups.max()) + 1)
        if not self.buckets:
            return
        cells = buckets >> (BUCKETS // self.buckets).bit_length() - 1
        if groups is not None:
            cells = cells + groups * self.buckets
        np.add.at(self._sizes.reshape(-1), cells, 1)
        columns = np.ascontiguousarray(rows.T)
        with np.errstate(invalid="ignore", over="ignore"):  # numbers that are none, or too large, are told by the ends
            whole = np.rint(columns * _UNIT).astype(np.int64)
            self._stretch(columns, groups)
        for column, numbers in enumerate(whole):
            np.add.at(self._sums[column].reshape(-1), cells, numbers)

    def merge(self, other: BucketSums) -> None:
        """Take in the sums of other examples, whose buckets follow from their places in the whole input."""
        self._make_room(len(other._sizes) if other.buckets else _CELLS)
        if not self.buckets:
            return
        groups = slice(len(other._sizes))
        self._sums[:, groups] += _halved(other._sums, self.buckets)
        self._sizes[groups] += _halved(other._sizes, self.buckets)
        self._lows[:, groups] = np.minimum(self._lows[:, groups], other._lows)
        self._highs[:, groups] = np.maximum(self._highs[:, groups], other._highs)

    def lines(self, group: int = 0) -> Floats:
        """The sums of each bucket of a group and then its number of examples, without those that are empty."""
        if group >= len(self._sizes):
            return np.empty((0, len(self._sums) + 1))
        is_filled = self._sizes[group] > 0
        sums = self._sums[:, group, is_filled] / _UNIT
        return np.vstack([sums, self._sizes[group, is_filled]]).T

    def values(self, group: int = 0) -> Floats:
        """The least and the largest number of every column and, for some lie between them, the middle of both."""
        low, high = self._lows[:, group], self._highs[:, group]
        return np.stack([low, high, (low + high) / 2])

    def _stretch(self, columns: Floats, groups: Integers | None) -> None:
        for column, values in enumerate(columns):
            if groups is None:
                self._lows[column, 0] = np.minimum(self._lows[column, 0], values.min())
                self._highs[column, 0] = np.maximum(self._highs[column, 0], values.max())
            else:
                np.minimum.at(self._lows[column], groups, values)
                np.maximum.at(self._highs[column], groups, values)

    def _make_room(self, groups: int) -> None:
        """Room for so many groups; where they are too many, each has half as many buckets, or all are given up."""
        if groups <= len(self._sizes) or not self.buckets:
            return
        while groups * self.buckets > _CELLS and self.buckets:
            self.buckets = self.buckets // 2 if self.buckets > FEWEST_BUCKETS else 0
        if not self.buckets:
            self._sums, self._sizes = self._sums[:, :0], self._sizes[:0]
            return
        more = min(max(groups, 2 * len(self._sizes)), _CELLS // self.buckets) - len(self._sizes)
        self._sums = np.pad(_halved(self._sums, self.buckets), ((0, 0), (0, more), (0, 0)))
        self._sizes = np.pad(_halved(self._sizes, self.buckets), ((0, more), (0, 0)))
        self._lows = np.pad(self._lows, ((0, 0), (0, more)), constant_values=np.inf)
        self._highs = np.pad(self._highs, ((0, 0), (0, more)), constant_values=-np.inf)


def _halved(numbers: Integers, buckets: int) -> Integers:
    """The same with fewer buckets: neighbours become one."""
    halved: Integers = numbers.reshape(*numbers.shape[:-1], buckets, numbers.shape[-1] // buckets).sum(axis=-1)
    return halved
