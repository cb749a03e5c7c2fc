"""Accuracy, precision, recall and F1 of answers to yes-or-no questions, by the rule that reads the answers."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import ClassVar

from fullmarks.errors import UsageError
from fullmarks.metrics.metric import Metric
from fullmarks.options import limited
from fullmarks.text.kernel import yes_no_rows
from fullmarks.text.yes_no import READINGS, is_yes, read_rows
from fullmarks.types import Example, Examples, Explanation, Total

COUNTED = ("right yes", "wrong yes", "right no", "wrong no", "neither (yes is right)", "neither (no is right)")
"""What an answer counts as, column by column."""


@dataclass(frozen=True)
class YesNo(Metric):
    """Accuracy, precision, recall, F1 and the share of yes among the answers; yes is the class that is looked for.

    `reading` says how an answer becomes yes, no or neither: "pope" (No, no or not before the first period, all else is
    yes), "mme" (in the first four characters), "strict" (the whole text), "letters" (as mme, y and n alone too) or
    "words" (among the words, and not both). The first reference is the right answer, yes or no; under "pope" all but
    "no" means yes. An answer that is neither is wrong; with `counts_neither` it also counts as a yes that was missed,
    otherwise precision and recall leave it out. What cannot be divided is 0.0. Source: POPE.
    """

    name: ClassVar[str] = "yes_no"
    summary: ClassVar[str] = "accuracy, precision, recall and F1 of yes-or-no answers"
    citation: ClassVar[str] = "Li et al.: Evaluating Object Hallucination in Large Vision-Language Models, EMNLP 2023"
    is_mean: ClassVar[bool] = False
    fewest_references: ClassVar[int] = 1

    reading: str = limited("pope", choices=READINGS)
    counts_neither: bool = limited(False, only_finishes=True)

    @property
    def columns(self) -> tuple[str, ...]:
        """True and false positives and negatives, then the answers that are neither, where yes or no is right."""
        return ("tp", "fp", "tn", "fn", "neither_yes", "neither_no")

    @property
    def scores(self) -> tuple[str, ...]:
        """Accuracy first."""
        return ("accuracy", "precision", "recall", "f1", "yes_ratio")

    def rows(self, examples: Examples) -> array[float]:
        """A 1 in the column that an answer counts for."""
        try:
            if self.reading in ("pope", "mme"):
                return yes_no_rows(examples.predictions, examples.references, is_pope=self.reading == "pope")
            return read_rows(examples.predictions, examples.references, self.reading)
        except ValueError as error:
            raise UsageError(f"{self.name}: {error}") from None

    def unanswered_row(self, row: array[float]) -> array[float]:
        """A missing answer is neither yes nor no."""
        tp, fp, tn, fn, neither_yes, neither_no = row
        return array("d", [0.0, 0.0, 0.0, 0.0, tp + fn + neither_yes, fp + tn + neither_no])

    def finish(self, total: Total) -> dict[str, float]:
        """The scores from the counts."""
        tp, fp, tn, fn, neither, _ = total.sums
        precision = _ratio(tp, tp + fp)
        recall = _ratio(tp, tp + fn + (neither if self.counts_neither else 0.0))
        return {
            "accuracy": _ratio(tp + tn, total.n),
            "precision": precision,
            "recall": recall,
            "f1": _ratio(2 * precision * recall, precision + recall),
            "yes_ratio": _ratio(tp + fp, total.n),
        }

    def explain(self, example: Example) -> Explanation:
        """What was looked at, what the answer was read as, and what it counts as."""
        rows = self.rows(example.alone())
        answer, looked_at = READINGS[self.reading](example.prediction)
        facts = {
            "prediction": example.prediction,
            "looked at": looked_at,
            "read as": answer,
            "right answer": "yes" if is_yes(example.references[0], self.reading) else "no",
            "counts as": COUNTED[rows.index(1.0)],
        }
        return Explanation(example.id, self.finish(Total(1, tuple(rows))), facts)


def _ratio(above: float, below: float) -> float:
    return above / below if below else 0.0
