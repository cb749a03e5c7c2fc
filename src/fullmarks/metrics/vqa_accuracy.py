"""VQA accuracy: an answer is right to the degree that other annotators gave it."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from fullmarks.metrics.metric import Metric
from fullmarks.text.memo import Memo
from fullmarks.text.vqa import normalize_vqa, trim
from fullmarks.types import Example, Examples, Explanation, Total


def vote_mean(votes: Sequence[bool]) -> float:
    """The mean over annotators of min(1, agreeing others / 3), added in their order; 0.0 without any."""
    agreeing = sum(votes)
    total = 0.0
    for vote in votes:
        total += min(1.0, (agreeing - vote) / 3)
    return total / len(votes) if votes else 0.0


@dataclass(frozen=True)
class VqaAccuracy(Metric):
    """For each annotator, min(1, other annotators with this answer / 3); the mean over annotators.

    Answers are normalised only where the annotators disagree, unless `always_normalise`. A single annotator gives
    0.0, for there is no other. Source: the VQA evaluation.
    """

    name: ClassVar[str] = "vqa_accuracy"
    summary: ClassVar[str] = "VQA accuracy over (usually ten) annotators, 0-100 and rounded as published"
    citation: ClassVar[str] = "Antol et al.: VQA: Visual Question Answering, ICCV 2015"
    finish_options: ClassVar[tuple[str, ...]] = ("precision",)
    fewest_references: ClassVar[int] = 1
    SLICE_KEYS: ClassVar[dict[str, str]] = {
        "perQuestionType": "question_types",
        "perAnswerType": "answer_types",
    }

    precision: int = field(default=2, metadata={"least": 0})
    always_normalise: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The accuracy, 0-1."""
        return ("accuracy",)

    def rows(self, examples: Examples) -> array[float]:
        """The accuracy of every example."""
        normal = Memo(lambda text: normalize_vqa(trim(text)))
        by_votes: dict[tuple[bool, ...], float] = {}
        rows = array("d", bytes(8 * len(examples)))
        for position, (answer, golds) in enumerate(zip(examples.predictions, examples.references, strict=True)):
            given = list(map(normal.__getitem__, golds))
            answer_form = normal[answer]
            if given and given.count(given[0]) == len(given) and not self.always_normalise:
                given, answer_form = self._compared(golds, answer, given, answer_form)
            agreeing = given.count(answer_form)
            if agreeing > 3:
                rows[position] = 1.0
            elif agreeing:
                votes = tuple([gold == answer_form for gold in given])
                accuracy = by_votes.get(votes)
                if accuracy is None:
                    accuracy = by_votes[votes] = vote_mean(votes)
                rows[position] = accuracy
        return rows

    @staticmethod
    def _compared(golds: list[str], answer: str, given: list[str], answer_form: str) -> tuple[list[str], str]:
        """What is compared when normalising makes all golds equal: the trimmed texts, if those are equal already."""
        trimmed = trim(golds[0])
        if all(gold == golds[0] or trim(gold) == trimmed for gold in golds):
            return [trimmed] * len(golds), trim(answer)
        return given, answer_form

    def per_example(self, rows: array[float]) -> dict[str, list[Any]]:
        """The accuracy from 0 to 1 and, as the published program lists it under that name, rounded from 0 to 100."""
        return {"accuracy": rows.tolist(), "evalQA": [round(100 * accuracy, self.precision) for accuracy in rows]}

    def percentage(self, total: Total) -> float:
        """The published number: 0-100, rounded."""
        return round(100 * total.sums[0] / total.n, self.precision) if total.n else 0.0

    def published(self, total: Total, slices: dict[str, dict[Any, Total]]) -> dict[str, Any]:
        """The published result: overall, and by type where types were given."""
        result: dict[str, Any] = {"overall": self.percentage(total)}
        for key, column in self.SLICE_KEYS.items():
            parts = slices.get(column, {})
            result[key] = {value: self.percentage(part) for value, part in parts.items()}
        for column, parts in slices.items():
            if column not in self.SLICE_KEYS.values():
                result[column] = {value: self.percentage(part) for value, part in parts.items()}
        return result

    def explain(self, example: Example) -> Explanation:
        """Whether texts were normalised, and every annotator's vote."""
        given = [trim(gold) for gold in example.references]
        answer = trim(example.prediction)
        normalised = self.always_normalise or len(set(given)) > 1
        compared = [normalize_vqa(gold) for gold in given] if normalised else given
        answer = normalize_vqa(answer) if normalised else answer
        agreeing = compared.count(answer)
        votes = [
            {
                "annotator": number,
                "answer": raw,
                "compared as": text,
                "agrees": text == answer,
                "others agreeing": agreeing - (text == answer),
                "vote": min(1.0, (agreeing - (text == answer)) / 3),
            }
            for number, (raw, text) in enumerate(zip(example.references, compared, strict=True), start=1)
        ]
        facts = {
            "prediction": example.prediction,
            "compared as": answer,
            "normalised": "yes" if normalised else "no: the annotators all gave the same answer",
        }
        return Explanation(example.id, super().explain(example).scores, facts, {"annotators": votes})
