"""Retrieval F1: how well the sources that a model names agree with those that support the right answer."""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.metrics.metric import Metric, only
from fullmarks.types import Example, Examples, Explanation, Total

SOURCES = "sources"
"""The part with the sources that a prediction names, the fact with the right ones: lists of ids as strings, None where
nothing is said of them."""
KNOWN = "retrieval_known"


@dataclass(frozen=True)
class RetrievalF1(Metric):
    """F1, recall and precision of the set of named sources against the set of right ones, where these are known.

    The sets come as the part and the fact `SOURCES`; order and repeats do not matter. Two empty sets agree (1.0), one
    empty set scores 0.0, and so does a prediction that says nothing of sources.
    """

    name: ClassVar[str] = "retrieval_f1"
    summary: ClassVar[str] = "F1 of the sources a model names against those that support the answer"
    is_mean: ClassVar[bool] = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The scores, and whether the right sources are known."""
        return (*self.scores, KNOWN)

    @property
    def scores(self) -> tuple[str, ...]:
        """F1, recall and precision."""
        return ("retrieval_f1", "retrieval_recall", "retrieval_precision")

    def rows(self, examples: Examples) -> array[float]:
        """F1, recall and precision of every example; zeros and no count where the right sources are not known."""
        rows = array("d")
        for named, right in zip(examples.parts[SOURCES], examples.facts[SOURCES], strict=True):
            scores = (0.0, 0.0, 0.0) if named is None or right is None else source_overlap(named, right)
            rows.extend((*scores, float(right is not None)))
        return rows

    def unanswered_row(self, row: array[float]) -> array[float]:
        """It counts where the right sources are known."""
        return only((KNOWN,), self.columns, row)

    def finish(self, total: Total) -> dict[str, float]:
        """Means over the examples whose right sources are known: NaN where there is none, 0.0 without examples."""
        *sums, known = total.sums
        undefined = math.nan if total.n else 0.0
        return {name: value / known if known else undefined for name, value in zip(self.scores, sums, strict=True)}

    def per_example(self, rows: array[float]) -> dict[str, list[Any]]:
        """All scores of every example; None where the right sources are not known."""
        alone = self.scores_alone(rows)
        return {name: [None if math.isnan(value) else value for value in values] for name, values in alone.items()}

    def explain(self, example: Example) -> Explanation:
        """Every source that was named or right."""
        named, right = example.parts[SOURCES] or [], example.facts[SOURCES]
        table: list[dict[str, Any]] = [
            {"source": source, "named": source in named, "right": source in right}
            for source in dict.fromkeys([*right, *named])
        ]
        return Explanation(example.id, super().explain(example).scores, {}, {"sources": table})


def source_overlap(named: Collection[str], right: Collection[str]) -> tuple[float, float, float]:
    """F1, recall and precision of one set against another.

    >>> source_overlap(["a", "b"], ["b"])
    (0.6666666666666666, 1.0, 0.5)
    """
    ours, theirs = set(named), set(right)
    if not ours or not theirs:
        agreement = float(not ours and not theirs)
        return agreement, agreement, agreement
    common = len(ours & theirs)
    if common == 0:
        return 0.0, 0.0, 0.0
    precision, recall = common / len(ours), common / len(theirs)
    return 2 * precision * recall / (precision + recall), recall, precision
