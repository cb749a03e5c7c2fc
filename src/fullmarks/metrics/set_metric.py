"""Metrics of two whole sets, which are no function of sums over examples: the contract beside `Metric`.

Such a metric has one number for all predictions and all references together, and none for a single example.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, NoReturn

from fullmarks.checks import check_instance
from fullmarks.errors import UsageError
from fullmarks.frozen import frozen, replaced
from fullmarks.metrics.measure import Measure
from fullmarks.metrics.scorer import Scorer, listed
from fullmarks.types import Explanation


@frozen
class SetMetric(Measure):
    """A number for two sets. Subclasses say how it is measured."""

    @abstractmethod
    def measure(self, predictions: Any, references: Any) -> dict[str, float]:
        """The scores of the two sets."""


class SetScorer(Scorer):
    """What `fullmarks.load` gives for a metric of sets: batches are collected and measured together."""

    metric: SetMetric  # type: ignore[assignment] # all that needs a metric of examples is overridden

    def __init__(self, metric: SetMetric) -> None:
        self.metric = metric
        self._forget()

    def compute(
        self,
        *,
        predictions: Any = None,
        references: Any = None,
        **others: Any,
    ) -> dict[str, Any]:
        """The score of these two sets, or of all batches added before, which are then forgotten."""
        metric = replaced(self.metric, **self._checked(others))
        if predictions is not None or references is not None:
            if predictions is None or references is None:
                raise UsageError(f"{metric.name} needs both predictions and references")
            return dict(metric.measure(predictions, references))
        ours, theirs = self._ours, self._theirs
        self._forget()
        return dict(metric.measure(ours, theirs))

    def add_batch(self, *, predictions: Sequence[Any], references: Sequence[Any], **columns: Any) -> None:
        """Take in some of both sets for a later `compute`; they need not be equally many."""
        self._checked(columns)
        ours, theirs = listed("predictions", predictions), listed("references", references)
        self._ours.extend(ours)
        self._theirs.extend(theirs)

    def merge(self, other: Scorer) -> None:
        """Take over the batches of another scorer of the same metric."""
        check_instance("what is merged", other, Scorer, "a Scorer (what fullmarks.load gives)")
        if not isinstance(other, SetScorer) or other.metric != self.metric:
            raise UsageError(f"cannot merge {other.metric!r} into {self.metric!r}: the options differ")
        self._ours.extend(other._ours)
        self._theirs.extend(other._theirs)

    def each(self, *, predictions: Sequence[Any], references: Sequence[Any], **columns: Any) -> list[float]:
        """There are none: always an error."""
        del predictions, references, columns
        self._refuse()

    def explain(self, *, prediction: Any, references: Sequence[Any]) -> Explanation:
        """There is nothing to explain for one example: always an error."""
        del prediction, references
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise UsageError(
            f"{self.metric.name} compares two whole sets, so a single example has no score. "
            "Use compute(predictions=, references=)"
        )

    def _forget(self) -> None:
        self._ours: list[Any] = []
        self._theirs: list[Any] = []

    def _checked(self, others: dict[str, Any]) -> dict[str, Any]:
        unknown = sorted(others.keys() - self.metric.options().keys())
        if unknown:
            options = ", ".join(self.metric.options()) or "none"
            raise UsageError(f"{self.metric.name} has no option or column '{unknown[0]}'. Its options: {options}")
        return others
