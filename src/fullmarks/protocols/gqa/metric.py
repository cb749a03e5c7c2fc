"""GQA's scores of single questions: accuracy, binary and open, validity, plausibility, consistency."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.metrics.metric import Metric, only
from fullmarks.protocols.gqa.rules import LMMS_EVAL, converted, is_open, offered, share_right
from fullmarks.types import Example, Examples, Explanation, Total

ENTAILED = "entailed_verdicts"
"""The fact that holds for every entailed question whether it was answered rightly; None where that was not asked."""
CHOICES = "gqa_choices"
"""The fact that holds what is valid and what is plausible; None without a choices file."""
_RATIOS = {"binary": "binary_n", "open": "open_n", "consistency": "consistency_n"}


@dataclass(frozen=True)
class GqaScores(Metric):
    """Accuracy of answers as they are, of the binary and the open ones alone, and how valid and consistent they are.

    The kind of a question comes in the column `structural`; without it binary and open are 0.0. `convert` first makes
    of every answer what LLaVA's converter does; `consistency` adds the share of entailed questions. Source: GQA.
    """

    name: ClassVar[str] = "gqa_scores"
    summary: ClassVar[str] = "GQA accuracy, binary and open, validity, plausibility, consistency"
    citation: ClassVar[str] = "Hudson and Manning: GQA: A New Dataset for Real-World Visual Reasoning, CVPR 2019"
    features: ClassVar[dict[str, str]] = {**Metric.features, "structural": "query, or another type of question"}
    is_mean: ClassVar[bool] = False

    convert: bool = False
    consistency: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """What is right, and for the parts of the set also how many questions they have."""
        consistent = ("consistency", "consistency_n") if self.consistency else ()
        return ("accuracy", "binary", "binary_n", "open", "open_n", "validity", "plausibility", *consistent)

    @property
    def scores(self) -> tuple[str, ...]:
        """The shares."""
        return tuple(column for column in self.columns if not column.endswith("_n"))

    def finish(self, total: Total) -> dict[str, float]:
        """Each share over the questions that it is about; 0.0 where there is none."""
        sums = dict(zip(self.columns, total.sums, strict=True))
        below = {name: sums[_RATIOS[name]] if name in _RATIOS else total.n for name in self.scores}
        return {name: sums[name] / below[name] if below[name] else 0.0 for name in self.scores}

    def rows(self, examples: Examples) -> array[float]:
        """The statistics of every example."""
        kinds = examples.columns.get("structural") or [None] * len(examples)
        entailed = examples.facts.get(ENTAILED) or [None] * len(examples)
        choices = examples.facts.get(CHOICES) or [None] * len(examples)
        details = examples.facts.get("detailed") or [""] * len(examples)
        rows = array("d")
        for at, (given, golds, kind) in enumerate(zip(examples.predictions, examples.references, kinds, strict=True)):
            prediction = converted(given) if self.convert else given
            right = prediction in golds
            binary, opened = kind is not None and not is_open(kind), kind is not None and is_open(kind)
            rows.extend((right, right and binary, binary, right and opened, opened))
            for listed in choices[at] or ((), ()):
                is_offered = choices[at] is not None and prediction in offered(listed, details[at] or "")
                rows.append(float(is_offered))
            if self.consistency:
                verdicts = entailed[at] if right else None
                rows.extend((share_right(verdicts), 1.0) if verdicts else (0.0, 0.0))
        return rows

    def unanswered_row(self, row: array[float]) -> array[float]:
        """Wrong in all; the question counts among those of its kind."""
        return only(("binary_n", "open_n"), self.columns, row)

    def per_example(self, rows: array[float]) -> dict[str, list[Any]]:
        """What is true of every question by itself."""
        width = len(self.columns)
        shown = {name: self.columns.index(name) for name in ("accuracy", "validity", "plausibility")}
        return {name: rows[column::width].tolist() for name, column in shown.items()}

    def explain(self, example: Example) -> Explanation:
        """What is compared, what was on offer, and the entailed questions."""
        prediction = converted(example.prediction) if self.convert else example.prediction
        facts: dict[str, Any] = {"prediction": example.prediction}
        if self.convert:
            facts["compared as"] = prediction
        facts["references"] = list(example.references)
        facts["equal, to the letter"] = "yes" if prediction in example.references else "no"
        if near := _nearly(prediction, example.references):
            facts["would be equal"] = near
        choices = example.facts.get(CHOICES)
        if choices is not None:
            detailed = example.facts.get("detailed") or ""
            for name, listed in zip(("valid", "plausible"), choices, strict=True):
                facts[name] = list(offered(listed, detailed))
        verdicts = example.facts.get(ENTAILED)
        if verdicts:
            facts["entailed questions"] = len(verdicts)
            facts["of them right"] = sum(verdicts)
        return Explanation(example.id, super().explain(example).scores, facts)


def _nearly(prediction: str, golds: list[str]) -> str:
    """What stands between the answer and a gold one, where it is no more than case and marks."""
    if prediction in golds or LMMS_EVAL(prediction.strip()) not in map(LMMS_EVAL, golds):
        return ""
    return "without case, blanks around it and punctuation"
