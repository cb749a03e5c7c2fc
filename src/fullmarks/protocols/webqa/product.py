"""The scores of a WebQA answer together: accuracy, fluency, and the product of the two for every question."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.metrics.bart_score import BartScore
from fullmarks.metrics.metric import Metric
from fullmarks.protocols.webqa.metric import CATEGORY, AccApprox, WebqaAccuracy, checked_categories
from fullmarks.protocols.webqa.rules import Overlap
from fullmarks.types import Example, Examples, Explanation

KEYWORDS = "keywords"
"""The column that accuracy is measured against, unless it is the approximate one."""


@dataclass(frozen=True)
class WebqaScores(Metric):
    """Accuracy, fluency or both. References are the right answers; keywords and category are columns."""

    name: ClassVar[str] = "webqa"
    summary: ClassVar[str] = "accuracy, fluency and their product, as WebQA computes them"
    needs: ClassVar[str] = "webqa"

    accuracy: WebqaAccuracy | None
    fluency: BartScore | None

    @property
    def columns(self) -> tuple[str, ...]:
        """The published quantities, as far as they were asked for, the main one first."""
        columns: tuple[str, ...] = ()
        if self.accuracy is not None:
            columns = (self._accuracy_name, *Overlap._fields)
        if self.fluency is not None:
            columns = (*columns, "fluency") if self.accuracy is None else ("mul", *columns, "fluency")
        return columns

    @property
    def _accuracy_name(self) -> str:
        return "acc_approx" if isinstance(self.accuracy, AccApprox) else "acc"

    @property
    def runs_models(self) -> bool:
        """Where fluency is asked for."""
        return self.fluency is not None

    def rows(self, examples: Examples) -> array[float]:
        """The columns of every example."""
        parts: dict[str, Sequence[float]] = {}
        if self.accuracy is not None:
            parts.update(self._accuracy_parts(self.accuracy, examples))
        if self.fluency is not None:
            parts["fluency"] = self.fluency.values(examples.predictions, examples.references, examples.ids)
        if "mul" in self.columns:
            both = zip(parts[self._accuracy_name], parts["fluency"], strict=True)
            parts["mul"] = [accuracy * fluency for accuracy, fluency in both]
        width = len(self.columns)
        rows = array("d", bytes(8 * width * len(examples)))
        for position, name in enumerate(self.columns):
            rows[position::width] = array("d", parts[name])
        return rows

    def explain(self, example: Example) -> Explanation:
        """How the tokens overlap, and the parts of fluency."""
        facts: dict[str, Any] = {"prediction": example.prediction}
        tables: dict[str, list[dict[str, Any]]] = {}
        if self.accuracy is not None:
            approximate = isinstance(self.accuracy, AccApprox)
            golds = example.references if approximate else [example.columns[KEYWORDS]]
            facts, tables["overlap"] = self.accuracy.steps(example.prediction, golds, example.columns[CATEGORY])
            facts["lemmas"] = self.accuracy.lemmatiser_name
        if self.fluency is not None:
            facts["fluency model"] = self.fluency.model_identity
            tables["fluency"] = self.fluency.steps(example.prediction, example.references)
        return Explanation(example.id, super().explain(example).scores, facts, tables)

    def _accuracy_parts(self, metric: WebqaAccuracy, examples: Examples) -> dict[str, list[float]]:
        categories = checked_categories(examples, self.name)
        approximate = isinstance(metric, AccApprox)
        golds = examples.references if approximate else [[keywords] for keywords in examples.columns[KEYWORDS]]
        overlaps = list(metric.overlaps(examples.predictions, golds, categories))
        judged = zip(overlaps, categories, strict=True)
        return {
            self._accuracy_name: [overlap.accuracy(category) for overlap, category in judged],
            **{name: [getattr(overlap, name) for overlap in overlaps] for name in Overlap._fields},
        }
