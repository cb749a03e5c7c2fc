"""VQA accuracy: an answer is right to the degree that other annotators gave it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from fullmarks.errors import UsageError
from fullmarks.metrics.metric import Metric
from fullmarks.options import limited
from fullmarks.text.kernel import vote_rows
from fullmarks.text.vqa import normalize_vqa, trim
from fullmarks.text.vqa_forms import vqa_form
from fullmarks.types import RECORD_KINDS, Example, Examples, Explanation, Total

if TYPE_CHECKING:
    from fullmarks.text.vqa_rule import Judgement

ROUNDINGS = ("half-even", "half-away")
"""Where a number exactly between two goes: to the even one as Python 3 rounds, or away from 0 as Python 2 did."""
_MOST_DIGITS = 323
"""To more digits Python 2 did not round."""


def mean_vote(others: Sequence[int]) -> float:
    """The mean over annotators of min(1, agreeing others / 3), added in their order; 0.0 without any."""
    total = 0.0
    for agreeing in others:
        total += min(1.0, agreeing / 3)
    return total / len(others) if others else 0.0


def leave_one_out(votes: Sequence[bool]) -> float:
    """The mean vote where each annotator, who agrees or not, is left out alone."""
    agreeing = sum(votes)
    return mean_vote([agreeing - vote for vote in votes])


def rounded(number: float, digits: int, rounding: str = "half-even") -> float:
    """The nearest number of so many digits, told from the exact binary value; only exact ties depend on `rounding`.

    >>> rounded(55.625, 2), rounded(55.625, 2, "half-away"), rounded(2.675, 2, "half-away")
    (55.62, 55.63, 2.67)
    """
    if rounding == "half-even":
        return round(number, digits)
    if digits > _MOST_DIGITS:
        return number
    from decimal import ROUND_HALF_UP, Context, Decimal

    return float(Decimal(number).quantize(Decimal((0, (1,), -digits)), ROUND_HALF_UP, Context(prec=digits + 25)))


@dataclass(frozen=True)
class VqaAccuracy(Metric):
    """For each annotator, min(1, other annotators with this answer / 3); the mean over annotators.

    Answers are normalised only where the annotators disagree, unless `always_normalise`. One annotator at a time is
    left out, so a single one gives 0.0, for there is no other. `compute` gives what the published program writes, from
    0 to 100 and rounded; the accuracies of single answers are from 0 to 1. Source: the VQA evaluation.

    The metric Kamichanw/vqa_accuracy of the Hugging Face hub is this one in its earlier version (5929e60). Its version
    of today (fc7c0fa) always normalises and rounds nothing: `as_hugging_face` gives that, and "Black." against ten
    "black" is 100.0 in place of 0.0.
    """

    name: ClassVar[str] = "vqa_accuracy"
    summary: ClassVar[str] = "VQA accuracy over (usually ten) annotators, 0-100 and rounded as published"
    citation: ClassVar[str] = "Antol et al.: VQA: Visual Question Answering, ICCV 2015"
    fewest_references: ClassVar[int] = 1
    SLICE_KEYS: ClassVar[dict[str, str]] = {
        "perAnswerType": "answer_types",
        "perQuestionType": "question_types",
    }

    precision: int = limited(2, least=0, only_finishes=True)
    always_normalise: bool = False
    rounding: str = limited("half-even", choices=ROUNDINGS, only_finishes=True)
    as_hugging_face: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.as_hugging_face and (self.precision, self.rounding) != (2, "half-even"):
            raise UsageError("as_hugging_face rounds nothing: leave precision and rounding out")

    @property
    def columns(self) -> tuple[str, ...]:
        """The accuracy, 0-1."""
        return ("accuracy",)

    def rows(self, examples: Examples) -> array[float]:
        """The accuracy of every example."""
        return self._rows(examples)

    def _rows(self, examples: Examples, kinds: list[list[int] | None] | None = None) -> array[float]:
        """The accuracy, all annotators with equal records being left out together where their kinds are told."""
        normalised = "both" if self.always_normalise or self.as_hugging_face else "unless-equal"
        predictions, references = examples.predictions, examples.references
        rows = vote_rows(predictions, references, kinds, form=vqa_form(), normalised=normalised)
        if self.as_hugging_face:  # the form trims, which is not done to references there
            for at, golds in enumerate(references):
                if any(trim(gold) != gold for gold in golds):
                    rows[at] = self._judged(predictions[at], golds, None).accuracy
        return rows

    def _judged(self, prediction: str, golds: Sequence[str], kinds: Sequence[int] | None) -> Judgement:
        """One answer by the rule, with its steps."""
        from fullmarks.text.vqa_rule import judge

        always = self.always_normalise or self.as_hugging_face
        return judge(prediction, golds, kinds, always_normalise=always, trims_golds=not self.as_hugging_face)

    def compared(
        self, prediction: str, golds: Sequence[str], normal: Callable[[str], str] = normalize_vqa
    ) -> tuple[str, list[str]]:
        """Prediction and gold answers as they are compared: trimmed, and normalised unless all golds are the same."""
        answer, given = trim(prediction), [trim(gold) for gold in golds]
        if self.always_normalise or len(set(given)) > 1:
            return normal(answer), [normal(gold) for gold in given]
        return answer, given

    def per_example(self, rows: array[float]) -> dict[str, list[Any]]:
        """The accuracy from 0 to 1 and, as the published program lists it under that name, rounded from 0 to 100."""
        return {"accuracy": rows.tolist(), "evalQA": [self._rounded(100 * accuracy) for accuracy in rows]}

    def percentage(self, total: Total) -> float:
        """The published number: 0-100, rounded."""
        return self._rounded(100 * total.sums[0] / total.n) if total.n else 0.0

    def _rounded(self, number: float) -> float:
        return number if self.as_hugging_face else rounded(number, self.precision, self.rounding)

    def published(self, total: Total, slices: dict[str, dict[Any, Total]]) -> dict[str, Any]:
        """The published result: overall, and by type where types were given; those that are None are left out."""
        result: dict[str, Any] = {"overall": self.percentage(total)}
        for key, column in self.SLICE_KEYS.items():
            parts = {value: part for value, part in slices.get(column, {}).items() if value is not None}
            if parts:
                result[key] = {value: self.percentage(part) for value, part in parts.items()}
        for column, parts in slices.items():
            if column not in self.SLICE_KEYS.values():
                result[column] = {value: self.percentage(part) for value, part in parts.items()}
        return result

    def explain(self, example: Example) -> Explanation:
        """Whether texts were normalised, and every annotator's vote with those who were left out for it."""
        judged = self._judged(example.prediction, example.references, self._kinds(example))
        votes = [
            {
                "annotator": number,
                "answer": vote.answer,
                "compared as": vote.compared,
                "agrees": vote.agrees,
                "left out": ", ".join(str(place + 1) for place in vote.left_out),
                "others agreeing": vote.others,
                "vote": vote.vote,
            }
            for number, vote in enumerate(judged.votes, start=1)
        ]
        facts = {
            "prediction": example.prediction,
            "compared as": judged.compared,
            "normalised": "yes" if judged.is_normalised else "no: the annotators all gave the same answer",
        }
        return Explanation(example.id, {"accuracy": judged.accuracy}, facts, {"annotators": votes})

    def _kinds(self, example: Example) -> Sequence[int] | None:
        """What tells annotators of the same answer apart: here each is another one."""
        del example
        return None


@dataclass(frozen=True)
class VqaRecordAccuracy(VqaAccuracy):
    """The same with all annotators left out whose record equals the one in turn, as the published program does.

    Records are equal if their other fields are (the fact `RECORD_KINDS`) and their answers as they are compared.
    Without that fact, or where no two are equal, one annotator at a time is left out.
    """

    def rows(self, examples: Examples) -> array[float]:
        """The accuracy of every example."""
        return self._rows(examples, examples.facts.get(RECORD_KINDS))

    def has_equal_records(self, golds: Sequence[str], kinds: Sequence[int]) -> bool:
        """Whether two annotators' records are equal when their answers are as they are compared."""
        if len(set(zip(kinds, golds, strict=True))) < len(golds):
            return True
        return len(set(zip(kinds, self.compared("", golds, vqa_form())[1], strict=True))) < len(golds)

    def _kinds(self, example: Example) -> Sequence[int] | None:
        """What the record of every annotator is besides the answer, where two are alike."""
        kinds: Sequence[int] | None = example.facts.get(RECORD_KINDS)
        return kinds
