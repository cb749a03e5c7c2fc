"""Whether an answer equals a gold answer in EvalAI's normal form."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import ClassVar

from fullmarks.metrics.metric import Metric
from fullmarks.protocols.stvqa.rules import judge
from fullmarks.text.kernel import vote_rows
from fullmarks.text.vqa_forms import evalai_form
from fullmarks.types import Example, Examples, Explanation


@dataclass(frozen=True)
class StvqaAccuracy(Metric):
    """1 where the answer equals a reference after EvalAI's normaliser; 0 without references. Source: mmf, ST-VQA."""

    name: ClassVar[str] = "stvqa_accuracy"
    summary: ClassVar[str] = "share of answers equal to a reference in EvalAI's normal form"
    citation: ClassVar[str] = "Biten et al.: Scene Text Visual Question Answering, ICCV 2019"

    @property
    def columns(self) -> tuple[str, ...]:
        """Whether the answer is right."""
        return ("accuracy",)

    def rows(self, examples: Examples) -> array[float]:
        """1.0 for every example whose answer is right, otherwise 0.0; each distinct text is normalised once."""
        form = evalai_form()
        return vote_rows(examples.predictions, examples.references, form=form, rule="all", divisor=1.0)

    def explain(self, example: Example) -> Explanation:
        """The normal forms of the answer and of every reference."""
        found = judge(example.prediction, example.references)
        table = [
            {"reference": gold, "normalised": wanted, "equal": wanted == found.normalised}
            for gold, wanted in zip(example.references, found.golds, strict=True)
        ]
        facts = {"prediction": example.prediction, "normalised": found.normalised}
        return Explanation(example.id, super().explain(example).scores, facts, {"normal forms": table})
