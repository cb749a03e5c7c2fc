"""Running sums of rows, overall and by slice, kept as strict left folds.

The sums continue from chunk to chunk, so a file scored in one piece, in chunks or on many cores has the same digits.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

from fullmarks.checks import each_label, has_several
from fullmarks.metrics.metric import Metric
from fullmarks.text.kernel import fold, fold_by
from fullmarks.types import Examples, Total

Rows = tuple["array[float]", ...]
"""The rows of a chunk of examples, one buffer for each metric."""


def chunk_rows(metrics: Sequence[Metric], examples: Examples) -> Rows:
    """The rows of every metric; an example without a prediction has the row that the metric says."""
    every = tuple(metric.rows(examples) for metric in metrics)
    if examples.unanswered:
        for metric, rows in zip(metrics, every, strict=True):
            width = len(metric.columns)
            for start in (width * position for position in examples.unanswered):
                rows[start : start + width] = metric.unanswered_row(rows[start : start + width])
    return every


class _Sums:
    """The running sums of every metric over some of the examples."""

    __slots__ = ("n", "sums")

    def __init__(self, widths: Sequence[int]) -> None:
        self.n = 0
        self.sums = [array("d", bytes(8 * width)) for width in widths]

    def add(self, n: int, rows: Rows) -> None:
        self.n += n
        for position, values in enumerate(rows):
            so_far = self.sums[position]
            if len(so_far):
                begun = any(so_far)  # sums that are 0.0 need no row of their own, nor a copy of all the others
                self.sums[position] = array("d", fold(so_far + values if begun else values, len(so_far)))

    def totals(self) -> tuple[Total, ...]:
        return tuple(Total(self.n, tuple(sums)) for sums in self.sums)


class _Slices:
    """The running sums of every metric for each value of a column, values in order of first appearance."""

    def __init__(self, widths: Sequence[int]) -> None:
        self._widths = widths
        self._places: dict[Hashable, int] = {}
        self._counts: array[int] = array("q")
        self._sums: list[array[float]] = [array("d") for _ in widths]

    def add(self, values: Sequence[Any], rows: Rows) -> None:
        """Take in the next chunk; an example with several values counts for each."""
        if has_several(values):
            where, values = each_label(values)
            rows = _pick(rows, self._widths, where)
        if values and values.count(values[0]) == len(values):
            self._add_one(self._places_of(values[:1], values[:1])[0], len(values), rows)
            return
        counts = Counter(values)
        places = self._places_of(values, counts)
        for value, count in counts.items():
            self._counts[self._places[value]] += count
        for sums, width, numbers in zip(self._sums, self._widths, rows, strict=True):
            if width:
                fold_by(sums, numbers, width, places)

    def totals(self) -> dict[Hashable, tuple[Total, ...]]:
        """The totals of every value, one for each metric."""
        made = partial(tuple.__new__, Total)  # a million of them without a call of Python each
        parts = [
            map(made, zip(self._counts, _lines(values, width, len(self._counts)), strict=True))
            for values, width in zip(self._sums, self._widths, strict=True)
        ]
        return dict(zip(self._places, zip(*parts, strict=True), strict=True))

    def _places_of(self, values: Sequence[Any], distinct: Iterable[Any]) -> list[int]:
        """The place of every value; those that are new get the next ones."""
        known = self._places
        for value in distinct:
            known.setdefault(value, len(known))
        places = list(map(known.__getitem__, values))
        new = len(known) - len(self._counts)
        self._counts.frombytes(bytes(8 * new))
        for sums, width in zip(self._sums, self._widths, strict=True):
            sums.frombytes(bytes(8 * width * new))
        return places

    def _add_one(self, place: int, n: int, rows: Rows) -> None:
        self._counts[place] += n
        for sums, width, values in zip(self._sums, self._widths, rows, strict=True):
            if width:
                own = slice(width * place, width * (place + 1))
                sums[own] = array("d", fold(sums[own] + values, width))


def _lines(values: array[float], width: int, count: int) -> Iterable[tuple[float, ...]]:
    """The sums of each value: so many tuples of this width."""
    if not width:
        return [()] * count
    return zip(*(values[column::width] for column in range(width)), strict=True)


class Tally:
    """Adds up the rows of several metrics; keeps rows and examples only when asked to."""

    def __init__(self, metrics: Sequence[Metric], slices: Sequence[str] = (), *, keep: bool = True) -> None:
        self.metrics = tuple(metrics)
        self.widths = tuple(len(metric.columns) for metric in metrics)
        self.keep = keep
        self.rows: list[array[float]] = [array("d") for _ in metrics]
        self.examples = Examples([], [], [], {})
        self._is_lent = False
        self._overall = _Sums(self.widths)
        self._slices = {column: _Slices(self.widths) for column in slices}
        self._asked: dict[str, _Slices] = {}
        """What was asked for since; it saves time and is seen nowhere else."""

    @property
    def n(self) -> int:
        """How many examples have been added."""
        return self._overall.n

    @property
    def slice_columns(self) -> tuple[str, ...]:
        """The columns that were broken down as the rows came in."""
        return tuple(self._slices)

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that `by` can answer for."""
        return tuple(dict.fromkeys((*self._slices, *self.examples.columns)))

    def add(self, examples: Examples, rows: Rows) -> None:
        """Take in the next chunk; chunks come in input order."""
        self._overall.add(len(examples), rows)
        for column, groups in self._slices.items():
            groups.add(examples.columns[column], rows)
        self._asked.clear()
        if self.keep:
            self._keep(examples, rows)

    def totals(self) -> tuple[Total, ...]:
        """The overall totals, one for each metric."""
        return self._overall.totals()

    def by(self, column: str) -> dict[Hashable, tuple[Total, ...]]:
        """The totals for each value of a column, values in order of first appearance."""
        groups = self._slices.get(column) or self._asked.get(column)
        if groups is None:
            groups = self._asked[column] = _Slices(self.widths)
            groups.add(self.examples.columns[column], tuple(self.rows))
        return groups.totals()

    def _keep(self, examples: Examples, rows: Rows) -> None:
        """The first chunk stays as it is; once another follows, a copy of it grows."""
        if not len(self.examples) and isinstance(examples.ids, list):
            self.examples, self._is_lent = examples, True
        else:
            if self._is_lent:
                lent, self.examples, self._is_lent = self.examples, Examples([], [], [], {}), False
                self.examples.extend(lent)
            self.examples.extend(examples)
        for kept_rows, values in zip(self.rows, rows, strict=True):
            kept_rows.extend(values)


def _pick(rows: Rows, widths: Sequence[int], where: list[int]) -> Rows:
    """The rows at the given positions."""
    if not where:
        return tuple(array("d") for _ in rows)
    if len(where) == 1:
        return tuple(
            values[width * where[0] : width * (where[0] + 1)] for values, width in zip(rows, widths, strict=True)
        )
    numbers_at = itemgetter(*where)
    picked = []
    for values, width in zip(rows, widths, strict=True):
        chosen = array("d", bytes(8 * width * len(where)))
        for column in range(width):
            chosen[column::width] = array("d", numbers_at(values[column::width]))
        picked.append(chosen)
    return tuple(picked)
