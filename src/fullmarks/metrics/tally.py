"""Running sums of rows, overall and by slice, kept as strict left folds.

The sums continue from chunk to chunk, so a file scored in one piece, in chunks or on many cores has the same digits.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Hashable, Sequence
from operator import itemgetter
from typing import Any

from fullmarks.metrics.metric import Metric
from fullmarks.text.kernel import fold
from fullmarks.types import Examples, Total

Rows = tuple["array[float]", ...]
"""The rows of a chunk of examples, one buffer for each metric."""


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
                self.sums[position] = array("d", fold(so_far + values, len(so_far)))

    def totals(self) -> tuple[Total, ...]:
        return tuple(Total(self.n, tuple(sums)) for sums in self.sums)


class Tally:
    """Adds up the rows of several metrics; keeps rows and examples only when asked to."""

    def __init__(self, metrics: Sequence[Metric], slices: Sequence[str] = (), *, keep: bool = True) -> None:
        self.metrics = tuple(metrics)
        self.widths = tuple(len(metric.columns) for metric in metrics)
        self.keep = keep
        self.rows: list[array[float]] = [array("d") for _ in metrics]
        self.examples = Examples([], [], [], {})
        self._overall = _Sums(self.widths)
        self._slices: dict[str, dict[Hashable, _Sums]] = {column: {} for column in slices}

    @property
    def n(self) -> int:
        """How many examples have been added."""
        return self._overall.n

    @property
    def slice_columns(self) -> tuple[str, ...]:
        """The columns that were broken down as the rows came in, or asked for since."""
        return tuple(self._slices)

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that `by` can answer for."""
        return tuple(dict.fromkeys((*self._slices, *self.examples.columns)))

    def add(self, examples: Examples, rows: Rows) -> None:
        """Take in the next chunk; chunks come in input order."""
        self._overall.add(len(examples), rows)
        for column, groups in self._slices.items():
            self._add_slices(groups, examples.columns[column], rows)
        if self.keep:
            self._keep(examples, rows)

    def totals(self) -> tuple[Total, ...]:
        """The overall totals, one for each metric."""
        return self._overall.totals()

    def by(self, column: str) -> dict[Hashable, tuple[Total, ...]]:
        """The totals for each value of a column, values in order of first appearance."""
        if column not in self._slices:
            groups: dict[Hashable, _Sums] = {}
            self._add_slices(groups, self.examples.columns[column], tuple(self.rows))
            self._slices[column] = groups
        return {value: sums.totals() for value, sums in self._slices[column].items()}

    def _add_slices(self, groups: dict[Hashable, _Sums], values: Sequence[Any], rows: Rows) -> None:
        if values and values.count(values[0]) == len(values):
            groups.setdefault(values[0], _Sums(self.widths)).add(len(values), rows)
            return
        positions: defaultdict[Hashable, list[int]] = defaultdict(list)
        for position, value in enumerate(values):
            positions[value].append(position)
        for value, where in positions.items():
            if value not in groups:
                groups[value] = _Sums(self.widths)
            groups[value].add(len(where), _pick(rows, self.widths, where))

    def _keep(self, examples: Examples, rows: Rows) -> None:
        self.examples.extend(examples)
        for kept_rows, values in zip(self.rows, rows, strict=True):
            kept_rows.extend(values)


def _pick(rows: Rows, widths: Sequence[int], where: list[int]) -> Rows:
    """The rows at the given positions."""
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
