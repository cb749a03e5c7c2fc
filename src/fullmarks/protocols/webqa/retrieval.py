"""Retrieval F1: how well the sources that a model names agree with those that support the right answer."""

from __future__ import annotations

from array import array
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.metrics.metric import Metric
from fullmarks.types import Example, Examples, Explanation

SOURCES = "_sources"
GOLD_SOURCES = "_gold_sources"
"""The columns of sources, each value a list of ids as strings; None where a prediction says nothing of sources."""


@dataclass(frozen=True)
class RetrievalF1(Metric):
    """F1, recall and precision of the set of named sources against the set of right ones, averaged over examples.

    The sets come in two columns; order and repeats do not matter. Two empty sets agree (1.0), one empty set scores
    0.0, and so does a prediction that says nothing of sources.
    """

    name: ClassVar[str] = "retrieval_f1"
    summary: ClassVar[str] = "F1 of the sources a model names against those that support the answer"

    @property
    def columns(self) -> tuple[str, ...]:
        """F1, recall and precision."""
        return ("retrieval_f1", "retrieval_recall", "retrieval_precision")

    def rows(self, examples: Examples) -> array[float]:
        """F1, recall and precision of every example."""
        rows = array("d")
        for named, right in zip(examples.columns[SOURCES], examples.columns[GOLD_SOURCES], strict=True):
            rows.extend((0.0, 0.0, 0.0) if named is None else source_overlap(named, right))
        return rows

    def explain(self, example: Example) -> Explanation:
        """Every source that was named or right."""
        named, right = example.columns[SOURCES] or [], example.columns[GOLD_SOURCES]
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
