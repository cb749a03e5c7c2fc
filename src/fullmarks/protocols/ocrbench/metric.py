"""Whether a gold text is contained in an answer, by OCRBench's rule."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from fullmarks.metrics.metric import Metric
from fullmarks.protocols.ocrbench.rules import FORMULAS, is_right, judge
from fullmarks.text.kernel import cleaned_rows
from fullmarks.types import Example, Examples, Explanation

DATASET = "dataset_name"


@dataclass(frozen=True)
class OcrbenchMatch(Metric):
    """1 where a reference is contained in the answer, both lower-cased; formulas keep their case and lose their blanks.

    The column `dataset_name` tells formulas (HME100k) from other texts; without it there are none. An empty reference
    is contained in everything. `narrow` folds letters and blanks of full width first, as lmms-eval does.
    Source: OCRBench.
    """

    name: ClassVar[str] = "ocrbench_match"
    summary: ClassVar[str] = "share of answers that contain a reference, by OCRBench's rule"
    citation: ClassVar[str] = "Liu et al.: OCRBench: On the Hidden Mystery of OCR in Large Multimodal Models, SCIS 2024"
    features: ClassVar[dict[str, str]] = {
        "predictions": "text",
        "references": "list of texts",
        DATASET: "text, may be left out",
    }

    narrow: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """Whether the answer is right."""
        return (self.name,)

    def rows(self, examples: Examples) -> array[float]:
        """1.0 for every example whose answer contains a reference, otherwise 0.0."""
        datasets = examples.columns.get(DATASET) or [None] * len(examples)
        judge = partial(is_right, narrow=self.narrow)
        return cleaned_rows(examples.predictions, examples.references, datasets, formulas=FORMULAS, judge=judge)

    def explain(self, example: Example) -> Explanation:
        """The answer as it was searched, and every reference as it was searched for."""
        found = judge(example.prediction, example.references, str(example.columns.get(DATASET)), narrow=self.narrow)
        table: list[dict[str, Any]] = [
            {"reference": gold, "searched for": wanted, "contained": wanted in found.searched}
            for gold, wanted in zip(example.references, found.golds, strict=True)
        ]
        facts = {"prediction": example.prediction, "searched in": found.searched}
        return Explanation(example.id, super().explain(example).scores, facts, {"references": table})
