"""Running sums of rows, overall and by slice, kept as strict left folds.

The sums continue from chunk to chunk, so a file scored in one piece, in chunks or on many cores has the same digits.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from fullmarks.metrics.metric import Metric
from fullmarks.text.kernel import Codebook, count_by, fold, fold_by, mapped_codes
from fullmarks.types import Examples, Total

if TYPE_CHECKING:
    from fullmarks.metrics.counts import Counts
    from fullmarks.metrics.labels import Labels

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
        self.sums = [[0.0] * width for width in widths]

    def add(self, n: int, rows: Rows) -> None:
        self.n += n
        for position, values in enumerate(rows):
            so_far = self.sums[position]
            if so_far:
                self.sums[position] = fold(values, len(so_far), so_far)

    def totals(self) -> tuple[Total, ...]:
        return tuple(Total(self.n, tuple(sums)) for sums in self.sums)


class _Slices:
    """The running sums of every metric for each value of a column, values in order of first appearance."""

    def __init__(self, widths: Sequence[int]) -> None:
        self._widths = widths
        self._book = Codebook()
        self._counts: array[int] = array("q")
        self._sums: list[array[float]] = [array("d") for _ in widths]

    def add(self, values: Sequence[Any], rows: Rows) -> None:
        """Take in the next chunk; an example with several values counts for each."""
        codes = self._book.codes(values)
        if codes is not None:
            self._fold(codes, None, rows)
            return
        from fullmarks.metrics.labels import coded

        self.add_labels(coded(values), rows)

    def add_labels(self, labels: Labels, rows: Rows) -> None:
        """Take in the next chunk, of whose examples only the labels are known."""
        table = self._book.codes(labels.values) or array("i")
        self._fold(mapped_codes(labels.codes, table), labels.where, rows)

    def totals(self) -> dict[Hashable, tuple[Total, ...]]:
        """The totals of every value, one for each metric."""
        made = partial(tuple.__new__, Total)  # a million of them without a call of Python each
        parts = [
            map(made, zip(self._counts, _lines(values, width, len(self._counts)), strict=True))
            for values, width in zip(self._sums, self._widths, strict=True)
        ]
        return dict(zip(self._book.labels, zip(*parts, strict=True), strict=True))

    def _fold(self, codes: array[int], where: array[int] | None, rows: Rows) -> None:
        """Add each row at its code; values that are new get sums of their own first."""
        new = len(self._book) - len(self._counts)
        self._counts.frombytes(bytes(8 * new))
        count_by(self._counts, codes)
        for sums, width, numbers in zip(self._sums, self._widths, rows, strict=True):
            sums.frombytes(bytes(8 * width * new))
            if width:
                fold_by(sums, numbers, width, codes, where)


def _lines(values: array[float], width: int, count: int) -> Iterable[tuple[float, ...]]:
    """The sums of each value: so many tuples of this width."""
    if not width:
        return [()] * count
    return zip(*(values[column::width] for column in range(width)), strict=True)


class Counting(NamedTuple):
    """What intervals will be asked of: the columns that are sliced by, and the one whose values are drawn whole."""

    by: tuple[str, ...] = ()
    cluster: str | None = None


def _counts(metrics: Sequence[Metric], counting: Counting) -> Counts:
    from fullmarks.metrics.counts import Counts  # with NumPy

    widths = [len(metric.columns) if metric.scores else 0 for metric in metrics]
    return Counts(widths, counting.by, counting.cluster)


class Tally:
    """Adds up the rows of several metrics; keeps rows and examples only when asked to.

    `counting` asks for what intervals need of rows that are not kept: of the columns `by`, and over clusters.
    """

    def __init__(
        self,
        metrics: Sequence[Metric],
        slices: Sequence[str] = (),
        *,
        keep: bool = True,
        counting: Counting | None = None,
    ) -> None:
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
        self.counts = None if keep or counting is None else _counts(self.metrics, counting)
        """What there is for intervals besides kept rows."""

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
        if self.counts is not None:
            self.counts.add(len(examples), examples.columns, rows)
        if self.keep:
            self._keep(examples, rows)

    def add_piece(self, n: int, rows: Rows, labels: Mapping[str, Labels], examples: Examples | None) -> None:
        """Take in what somebody else made of the next examples; they themselves come along where they are kept."""
        self._overall.add(n, rows)
        for column, groups in self._slices.items():
            groups.add_labels(labels[column], rows)
        self._asked.clear()
        if self.counts is not None:
            from fullmarks.metrics.labels import listed

            self.counts.add(n, {column: listed(labels[column], n) for column in self.counts.columns}, rows)
        if self.keep and examples is not None:
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
