"""Sums as Python's own `sum` makes them since 3.12, to show what a published program prints there.

Scores are never made by these: they are left folds, on every Python the same.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from fullmarks.metrics.bleu import Bleu, SentenceBleu
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Tally
from fullmarks.text.bleu import bleu_from_statistics
from fullmarks.types import Examples, Total


def compensated_sum(values: Iterable[float]) -> float:
    """What `sum(values)` gives on Python 3.12 and 3.13, where the rounding errors of floats are added at the end.

    Whole numbers (of type int) before the first float are summed exactly, those after it are added without
    compensation. Nothing gives 0.0. Source: Neumaier 1974, as CPython has it.

    >>> compensated_sum([0.1] * 10), compensated_sum([1e16, 1, 1.0, -1e16])
    (1.0, 1.0)
    """
    total: float = 0
    lost = 0.0
    for value in values:
        if not isinstance(total, float) or not isinstance(value, float):
            total += value
            continue
        together = total + value
        lost += (total - together) + value if abs(total) >= abs(value) else (value - together) + total
        total = together
    return total + lost if lost and math.isfinite(lost) else float(total)


class CompensatedTally(Tally):
    """The same rows, their columns added by `compensated_sum`; the numbers of the examples in `integers` as ints."""

    def __init__(self, metrics: Sequence[Metric], integers: Collection[int] = ()) -> None:
        super().__init__(metrics, keep=True)
        self._integers = frozenset(integers)

    def totals(self) -> tuple[Total, ...]:
        """The overall totals, one for each metric."""
        return self._totals_at(range(self.n))

    def by(self, column: str) -> dict[Hashable, tuple[Total, ...]]:
        """The totals for each value of a column, values in order of first appearance."""
        positions: dict[Hashable, list[int]] = {}
        for position, value in enumerate(self.examples.columns[column]):
            positions.setdefault(value, []).append(position)
        return {value: self._totals_at(where) for value, where in positions.items()}

    def _totals_at(self, positions: Sequence[int]) -> tuple[Total, ...]:
        found = []
        for rows, width in zip(self.rows, self.widths, strict=True):
            columns = (self._typed(rows[column::width], positions) for column in range(width))
            found.append(Total(len(positions), tuple(map(compensated_sum, columns))))
        return tuple(found)

    def _typed(self, values: Sequence[float], positions: Sequence[int]) -> Iterable[float]:
        return (int(values[at]) if at in self._integers else values[at] for at in positions)


@dataclass(frozen=True)
class CompensatedSentenceBleu(SentenceBleu):
    """Sentence BLEU whose logarithms are added so."""

    name: ClassVar[str] = "compensated_sentence_bleu"

    def score(self, statistics: Sequence[float]) -> float:
        """The BLEU of one pair."""
        return bleu_from_statistics(statistics, self.max_order, compensated_sum)["bleu"]


@dataclass(frozen=True)
class CompensatedBleu(Metric):
    """A corpus BLEU whose logarithms are added so."""

    name: ClassVar[str] = "compensated_bleu"
    summary: ClassVar[str] = "corpus BLEU by a compensated sum"
    is_mean: ClassVar[bool] = False

    inner: Bleu

    @property
    def columns(self) -> tuple[str, ...]:
        """As the other's."""
        return self.inner.columns

    @property
    def scores(self) -> tuple[str, ...]:
        """As the other's."""
        return self.inner.scores

    def rows(self, examples: Examples) -> array[float]:
        """As the other's."""
        return self.inner.rows(examples)

    def unanswered_row(self, row: array[float]) -> array[float]:
        """As the other's."""
        return self.inner.unanswered_row(row)

    def finish(self, total: Total) -> dict[str, float]:
        """BLEU of the summed counts; no examples give 0.0."""
        return {self.scores[0]: bleu_from_statistics(total.sums, self.inner.max_order, compensated_sum)["bleu"]}
