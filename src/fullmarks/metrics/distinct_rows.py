"""The distinct rows of a metric and how often each came: all that resampling has to know of rows with few values.

Rows are told apart by their bits, so that NaN equals itself and -0.0 is not 0.0. The order is that of first appearance,
and counts of one shard after the other, merged in that order, are those of one pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np
import numpy.typing as npt

from fullmarks.stats.rows import Floats, Integers

Bits = npt.NDArray[np.uint64]

BOUND = 1 << 17
"""So many distinct rows are counted; a metric with more has as many as it has examples, as good as."""
_BLOCK = 1 << 13
"""Rows that are looked up at once: what is new in a block is known to the next, and its arrays fit a core's cache."""
_FEWEST_SLOTS, _MOST_SLOTS, _SLOTS_PER_ROW = 1 << 12, 1 << 20, 16
"""Rows that meet in a slot cost ten times the others: so few do."""
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB], dtype=np.uint64)
_FOLD = np.uint64(29)


class DistinctRows:
    """Counts of rows of one width; once there are more than the bound, nothing is known any more.

    >>> rows = DistinctRows(1)
    >>> rows.add(np.array([[0.5], [0.0], [0.5]]))
    >>> rows.lines.tolist(), rows.counts.tolist()
    ([[0.5], [0.0]], [2, 1])
    """

    def __init__(self, width: int, bound: int = BOUND) -> None:
        self.width, self.bound = width, bound
        self.is_known = True
        """Whether the rows had no more than the bound of distinct ones so far."""
        self._places: dict[bytes, int] = {}
        self._bits: Bits = np.empty((width, 0), dtype=np.uint64)
        self._counts: Integers = np.empty(0, dtype=np.int64)
        self._slots: npt.NDArray[np.int32] = np.empty(0, dtype=np.int32)
        self._shift = np.uint64(0)

    def __len__(self) -> int:
        return len(self._places)

    @property
    def lines(self) -> Floats:
        """The distinct rows, shape (d, width), in order of first appearance."""
        return np.ascontiguousarray(self._bits[:, : len(self)].T).view(np.float64)

    @property
    def counts(self) -> Integers:
        """How often each came, shape (d,)."""
        return self._counts[: len(self)].copy()

    def add(self, rows: Floats) -> None:
        """Take in the next rows, shape (n, width)."""
        columns = np.ascontiguousarray(rows, dtype=np.float64).view(np.uint64).T
        for start in range(0, columns.shape[1], _BLOCK):
            if self.is_known:
                self._add(np.ascontiguousarray(columns[:, start : start + _BLOCK]))

    def merge(self, other: DistinctRows) -> None:
        """Take in the counts of the rows that come after these."""
        if not other.is_known:
            self.give_up()
        if self.is_known:
            self._count(zip(other._places, other.counts.tolist(), strict=True))

    def _add(self, block: Bits) -> None:
        """Rows that are found in their slot are counted at once; the others one by one, which few are."""
        if not len(self):
            self._count(Counter(_keys(block)).items())
            return
        found = self._slots[_hashed(block) >> self._shift]
        is_found = self._bits[0].take(found) == block[0]
        for known, column in zip(self._bits[1:], block[1:], strict=True):
            is_found &= known.take(found) == column
        if is_found.all():
            np.add.at(self._counts, found, 1)
            return
        np.add.at(self._counts, found[is_found], 1)
        self._count(Counter(_keys(block[:, ~is_found])).items())

    def _count(self, counted: Iterable[tuple[bytes, int]]) -> None:
        """Add to the counts of rows by their bytes, each given once; new ones have the next places."""
        before, places = len(self), self._places
        chosen, counts = [], []
        for key, count in counted:
            chosen.append(places.setdefault(key, len(places)))
            counts.append(count)
        if len(self) > self.bound:
            self.give_up()
            return
        if len(self) > before:
            self._make_room()
            new = b"".join(islice(reversed(places), len(self) - before))
            self._bits[:, before : len(self)] = np.frombuffer(new, dtype=np.uint64).reshape(-1, self.width)[::-1].T
            self._seat(before)
        self._counts[chosen] += np.array(counts, dtype=np.int64)

    def _make_room(self) -> None:
        if len(self) > len(self._counts):
            more = max(64, 2 * len(self)) - len(self._counts)
            self._bits = np.pad(self._bits, ((0, 0), (0, more)))
            self._counts = np.pad(self._counts, (0, more))

    def _seat(self, start: int) -> None:
        """Give the rows from `start` on their slots, as far as no earlier one has it.

        A slot without a row points at the first one: what stands there is compared before it counts.
        """
        wanted = min(_MOST_SLOTS, max(_FEWEST_SLOTS, _SLOTS_PER_ROW * len(self)))
        if len(self._slots) < wanted:
            size = min(_MOST_SLOTS, 1 << wanted.bit_length())
            self._slots, self._shift, start = np.zeros(size, dtype=np.int32), np.uint64(65 - size.bit_length()), 0
        slots = _hashed(self._bits[:, start : len(self)]) >> self._shift
        is_free = (self._slots[slots] == 0) & (slots != _hashed(self._bits[:, :1]) >> self._shift)
        places = np.arange(start, len(self), dtype=np.int32)
        self._slots[slots[is_free][::-1]] = places[is_free][::-1]

    def give_up(self) -> None:
        """Count no more, and forget what was counted."""
        self.is_known, self._places = False, {}
        self._bits, self._counts = self._bits[:, :0].copy(), self._counts[:0].copy()
        self._slots = self._slots[:0].copy()


def _keys(block: Bits) -> Iterator[bytes]:
    """The bytes of every row."""
    raw, size = np.ascontiguousarray(block.T).tobytes(), 8 * len(block)
    return (raw[start : start + size] for start in range(0, len(raw), size))


def _hashed(block: Bits) -> Bits:
    """64 bits of every row, of which the upper ones tell rows apart best. Nothing but time depends on it."""
    found: Bits = block[0] ^ (block[0] >> _FOLD)
    found *= _FACTORS[0]
    for number, column in enumerate(block[1:], start=1):
        found ^= found >> _FOLD
        found += column
        found ^= found >> _FOLD
        found *= _FACTORS[number % 3]
    return found
