"""Official results declared: which score stands under which key, with which scale, rounding, groups.

A protocol lists its keys in the published order as values of this file; only what they cannot say is code. The order of
operations matters to the last digit: `100.0 * sum / n` and `sum / n * 100` differ, so a key says which one is meant.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct, field

from fullmarks.metrics.tally import Tally
from fullmarks.readers.alignment import MISSING
from fullmarks.types import Audit, Total


class Piece:
    """The examples that a number is made of: all of them, or those of one group."""

    def __init__(
        self, tally: Tally, audit: Audit, totals: Sequence[Total], group: tuple[str, Hashable] | None = None
    ) -> None:
        self.tally = tally
        self.audit = audit
        self.totals = totals
        self._group = group

    @property
    def n(self) -> int:
        """How many examples there are."""
        return self.totals[0].n

    def total(self, statistic: str) -> tuple[float, int]:
        """The sum of a statistic and the number of its examples."""
        for metric, total in zip(self.tally.metrics, self.totals, strict=True):
            if statistic in metric.columns:
                return total.sums[metric.columns.index(statistic)], total.n
        raise LookupError(f"no metric of this protocol has the statistic '{statistic}'")

    def score(self, name: str) -> float:
        """A finished score."""
        for metric, total in zip(self.tally.metrics, self.totals, strict=True):
            if name in metric.scores:
                return metric.finish(total)[name]
        raise LookupError(f"no metric of this protocol has the score '{name}'")

    def values(self, statistic: str) -> array[float]:
        """The statistic of every example, in order; the rows must have been kept."""
        for metric, rows in zip(self.tally.metrics, self.tally.rows, strict=True):
            if statistic in metric.columns:
                values = rows[metric.columns.index(statistic) :: len(metric.columns)]
                return values if self._group is None else array("d", [values[at] for at in self._positions()])
        raise LookupError(f"no metric of this protocol has the statistic '{statistic}'")

    def _positions(self) -> list[int]:
        """Where the examples of the group are; one with several values is in the group of each."""
        column, label = self._group or ("", None)
        found = enumerate(self.tally.examples.columns[column])
        return [at for at, value in found if (label in value if isinstance(value, tuple) else value == label)]


class Key(Struct, frozen=True):
    """What stands under one official key."""

    def of(self, piece: Piece) -> Any:
        """The number (or more) for these examples."""
        raise NotImplementedError

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it is broken down by."""
        return ()

    @property
    def needs_rows(self) -> bool:
        """Whether the rows themselves are needed, not only their sums."""
        return False


class Mean(Key, frozen=True):
    """The mean of a statistic: `scale * sum / n`, or `sum / n * scale` where the program scales last.

    `digits` rounds as Python's `round` does. `over` names another statistic whose sum takes the place of n: a ratio of
    sums. No example (or a sum of 0 below the line) gives `empty`.
    """

    statistic: str
    scale: float = 1.0
    is_scaled_last: bool = False
    digits: int | None = None
    over: str | None = None
    empty: float | int | None = 0.0

    def of(self, piece: Piece) -> float | None:
        """The mean."""
        total, n = piece.total(self.statistic)
        below: float = n if self.over is None else piece.total(self.over)[0]
        if not below:
            return self.empty
        value = total / below * self.scale if self.is_scaled_last else self.scale * total / below
        return value if self.digits is None else round(value, self.digits)


class PairwiseMean(Key, frozen=True):
    """NumPy's mean of a statistic, times the scale: its pairwise sum differs from a running one in the last digits."""

    statistic: str
    scale: float = 1.0
    digits: int | None = None

    @property
    def needs_rows(self) -> bool:
        """A pairwise sum is no running one."""
        return True

    def of(self, piece: Piece) -> float:
        """The mean; NaN of no example, as NumPy has it."""
        from fullmarks.metrics.answers import pairwise_mean

        value = pairwise_mean(piece.values(self.statistic)) * self.scale
        return value if self.digits is None else round(value, self.digits)


class Score(Key, frozen=True):
    """A score as its metric finishes it, times the scale."""

    name: str
    scale: float = 1.0
    digits: int | None = None

    def of(self, piece: Piece) -> float:
        """The score."""
        value = piece.score(self.name) * self.scale
        return value if self.digits is None else round(value, self.digits)


class Sum(Key, frozen=True):
    """The sum of a statistic that counts, as a whole number."""

    statistic: str

    def of(self, piece: Piece) -> int:
        """The sum."""
        return round(piece.total(self.statistic)[0])


class Number(Key, frozen=True):
    """How many examples there are."""

    def of(self, piece: Piece) -> int:
        """The number."""
        return piece.n


class Counted(Key, frozen=True):
    """How many questions or predictions the files had: a count of the audit, whatever was scored of them."""

    what: Literal["gold", "predictions", "missing", "answered"]

    def of(self, piece: Piece) -> int:
        """The count."""
        if self.what == "gold":
            return piece.audit.gold
        if self.what == "predictions":
            return piece.audit.predictions
        found = piece.audit.findings.get(MISSING.code)
        missing = found.count if found else 0
        return missing if self.what == "missing" else piece.audit.gold - missing


class Groups(Key, frozen=True):
    """The same keys (or one number) for each value of a column.

    By default the values stand in order of first appearance; `order` fixes it and lets values without examples appear,
    `names` gives values other names. An example with several values counts under each.
    """

    column: str
    each: Key | Mapping[str, Key]
    order: tuple[Hashable, ...] | None = None
    names: Mapping[Any, str] = field(default_factory=dict)
    sort: Callable[[Any], Any] | None = None
    keeps_empty: bool = True
    """Whether a value of `order` without examples has its key all the same."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The column, and those of what stands in it."""
        return tuple(dict.fromkeys((self.column, *(name for key in self._inner for name in key.columns))))

    @property
    def needs_rows(self) -> bool:
        """As what stands in it."""
        return any(key.needs_rows for key in self._inner)

    @property
    def _inner(self) -> list[Key]:
        return [self.each] if isinstance(self.each, Key) else list(self.each.values())

    def of(self, piece: Piece) -> dict[str, Any]:
        """What stands under each value."""
        found = piece.tally.by(self.column)
        labels: list[Hashable] = list(found if self.order is None else self.order)
        if self.sort is not None:
            labels.sort(key=self.sort)
        return {
            self.names.get(label, str(label)): self._one(_group(piece, self.column, label, found.get(label)))
            for label in labels
            if self.keeps_empty or label in found
        }

    def _one(self, piece: Piece) -> Any:
        return self.each.of(piece) if isinstance(self.each, Key) else keyed(self.each, piece)


def _group(piece: Piece, column: str, label: Hashable, totals: Sequence[Total] | None) -> Piece:
    """The examples with one value in a column."""
    if totals is None:
        totals = [Total(0, (0.0,) * len(total.sums)) for total in piece.totals]
    return Piece(piece.tally, piece.audit, totals, (column, label))


def keyed(keys: Mapping[str, Key], piece: Piece) -> dict[str, Any]:
    """The keys with their numbers, in their order."""
    return {name: key.of(piece) for name, key in keys.items()}


def official_result(keys: Mapping[str, Key], tally: Tally, audit: Audit) -> dict[str, Any]:
    """The official result of a run."""
    return keyed(keys, Piece(tally, audit, tally.totals()))
