"""VQA accuracy: an answer is right to the degree that other annotators gave it."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.metrics.metric import Metric
from fullmarks.options import limited
from fullmarks.text.memo import Memo
from fullmarks.text.vqa import normalize_vqa, trim
from fullmarks.types import RECORD_KINDS, Example, Examples, Explanation, Total

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
    """

    name: ClassVar[str] = "vqa_accuracy"
    summary: ClassVar[str] = "VQA accuracy over (usually ten) annotators, 0-100 and rounded as published"
    citation: ClassVar[str] = "Antol et al.: VQA: Visual Question Answering, ICCV 2015"
    fewest_references: ClassVar[int] = 1
    SLICE_KEYS: ClassVar[dict[str, str]] = {
        "perQuestionType": "question_types",
        "perAnswerType": "answer_types",
    }

    precision: int = limited(2, least=0, only_finishes=True)
    always_normalise: bool = False
    rounding: str = limited("half-even", choices=ROUNDINGS, only_finishes=True)

    @property
    def columns(self) -> tuple[str, ...]:
        """The accuracy, 0-1."""
        return ("accuracy",)

    def rows(self, examples: Examples) -> array[float]:
        """The accuracy of every example."""
        normal = Memo(lambda text: normalize_vqa(trim(text)))
        form = normal.__getitem__
        by_votes: dict[tuple[bool, ...], float] = {}
        rows = array("d", bytes(8 * len(examples)))
        for position, (answer, golds) in enumerate(zip(examples.predictions, examples.references, strict=True)):
            given = [*map(form, golds)]
            answer_form = form(answer)
            if given and given[0] == given[-1] and given.count(given[0]) == len(given) and not self.always_normalise:
                given, answer_form = self._compared(golds, answer, given, answer_form)
            agreeing = given.count(answer_form)
            if agreeing > 3:
                rows[position] = 1.0
            elif agreeing:
                votes = tuple([gold == answer_form for gold in given])
                accuracy = by_votes.get(votes)
                if accuracy is None:
                    accuracy = by_votes[votes] = leave_one_out(votes)
                rows[position] = accuracy
        return rows

    @staticmethod
    def _compared(golds: list[str], answer: str, given: list[str], answer_form: str) -> tuple[list[str], str]:
        """What is compared when normalising makes all golds equal: the trimmed texts, if those are equal already."""
        trimmed = trim(golds[0])
        if all(gold == golds[0] or trim(gold) == trimmed for gold in golds):
            return [trimmed] * len(golds), trim(answer)
        return given, answer_form

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
        percentages = [rounded(100 * accuracy, self.precision, self.rounding) for accuracy in rows]
        return {"accuracy": rows.tolist(), "evalQA": percentages}

    def percentage(self, total: Total) -> float:
        """The published number: 0-100, rounded."""
        return rounded(100 * total.sums[0] / total.n, self.precision, self.rounding) if total.n else 0.0

    def published(self, total: Total, slices: dict[str, dict[Any, Total]]) -> dict[str, Any]:
        """The published result: overall, and by type where types were given."""
        result: dict[str, Any] = {"overall": self.percentage(total)}
        for key, column in self.SLICE_KEYS.items():
            if column in slices:
                result[key] = {value: self.percentage(part) for value, part in slices[column].items()}
        for column, parts in slices.items():
            if column not in self.SLICE_KEYS.values():
                result[column] = {value: self.percentage(part) for value, part in parts.items()}
        return result

    def explain(self, example: Example) -> Explanation:
        """Whether texts were normalised, and every annotator's vote with those who were left out for it."""
        from fullmarks.text.vqa_rule import judge

        kinds = self._kinds(example)
        judged = judge(example.prediction, example.references, kinds, always_normalise=self.always_normalise)
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
        rows = super().rows(examples)
        normal = Memo(normalize_vqa)
        for position, kinds in enumerate(examples.facts.get(RECORD_KINDS, ())):
            if kinds is not None and rows[position]:  # leaving out more can only take votes away
                golds = examples.references[position]
                answer, given = self.compared(examples.predictions[position], golds, normal.__getitem__)
                rows[position] = mean_vote(_others_agreeing(answer, given, list(zip(kinds, given, strict=True))))
        return rows

    def has_equal_records(self, golds: Sequence[str], kinds: Sequence[int]) -> bool:
        """Whether two annotators' records are equal when their answers are as they are compared."""
        if len(set(zip(kinds, golds, strict=True))) < len(golds):
            return True
        return len(set(zip(kinds, self.compared("", golds)[1], strict=True))) < len(golds)

    def _kinds(self, example: Example) -> Sequence[int] | None:
        """What the record of every annotator is besides the answer, where two are alike."""
        kinds: Sequence[int] | None = example.facts.get(RECORD_KINDS)
        return kinds


def _others_agreeing(answer: str, given: Sequence[str], records: Sequence[Hashable]) -> list[int]:
    """For every annotator, how many with the answer are left when all with an equal record are left out."""
    agreeing, equal = given.count(answer), Counter(records)
    return [agreeing - (equal[record] if gold == answer else 0) for gold, record in zip(given, records, strict=True)]
