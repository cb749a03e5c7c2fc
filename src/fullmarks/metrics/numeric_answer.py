"""Whether a worked solution ends in the right number, compared as text."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import ClassVar

from fullmarks.metrics.metric import Metric
from fullmarks.options import limited
from fullmarks.text.kernel import number_rows
from fullmarks.text.number_readings import READINGS, compared, number_in, wanted
from fullmarks.types import Example, Examples, Explanation


@dataclass(frozen=True)
class NumericAnswer(Metric):
    """1 where the number of the prediction equals that of a reference, digit for digit; without either 0.

    `reading` says where the number stands and what of it is compared. A reference may be a whole solution or the bare
    number.
    """

    name: ClassVar[str] = "numeric_answer"
    summary: ClassVar[str] = "share of solutions that end in the right number"
    citation: ClassVar[str] = "Cobbe et al.: Training Verifiers to Solve Math Word Problems, arXiv 2110.14168"

    reading: str = limited("marked", choices=READINGS)
    score_name: str = "numeric_answer"

    @property
    def columns(self) -> tuple[str, ...]:
        """The share, under the name that was asked for."""
        return (self.score_name,)

    def rows(self, examples: Examples) -> array[float]:
        """1.0 or 0.0 for every example."""
        return number_rows(examples.predictions, examples.references, reading=self.reading)

    def explain(self, example: Example) -> Explanation:
        """The number as it stands in the prediction, what of it is compared, and what every reference wants."""
        found = number_in(example.prediction, self.reading)
        number = compared(found, self.reading)
        facts = {
            "prediction": example.prediction,
            "reading": READINGS[self.reading],
            "number found": "none" if found is None else found,
            "compared as": "nothing" if number is None else number,
        }
        table = []
        for gold in example.references:
            right = wanted(gold, self.reading)
            table.append({"reference": gold, "wanted": right, "equal": float(number == right)})
        return Explanation(example.id, super().explain(example).scores, facts, {"references": table})
