"""What the answers of SQuAD 2.0 score that the threshold makes "no answer", for the search of other thresholds."""

from __future__ import annotations

from array import array
from typing import Any, ClassVar

from fullmarks.frozen import frozen
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.squad import NO_ANSWER, SquadScores
from fullmarks.types import Examples, Total


@frozen
class WithheldScores(Metric):
    """Exact match and F1 of the answers whose no-answer probability is greater than the threshold, as if it were not.

    All other rows are zeros: there the rows of `inner` say the same, and no text is looked at twice. No score is made.
    """

    name: ClassVar[str] = "squad_withheld"
    summary: ClassVar[str] = "what the answers would score that SQuAD 2.0's threshold makes 'no answer'"

    inner: SquadScores

    @property
    def columns(self) -> tuple[str, ...]:
        """Exact match and F1."""
        return ("withheld_exact", "withheld_f1")

    @property
    def scores(self) -> tuple[str, ...]:
        """None."""
        return ()

    def rows(self, examples: Examples) -> array[float]:
        """Exact and F1 of the answers that the threshold withholds."""
        rows = array("d", bytes(16 * len(examples)))
        where = withheld(examples.columns.get(NO_ANSWER, []), self.inner.threshold)
        if where:
            found = self.inner.raw_rows(examples.take(where))
            for place, position in enumerate(where):
                rows[2 * position : 2 * position + 2] = found[2 * place : 2 * place + 2]
        return rows

    def finish(self, total: Total) -> dict[str, float]:
        """Nothing."""
        del total
        return {}

    def per_example(self, rows: array[float]) -> dict[str, list[Any]]:
        """Nothing."""
        del rows
        return {}


def withheld(probabilities: list[float], threshold: float) -> list[int]:
    """The positions of the examples that the threshold makes "no answer"."""
    if not probabilities or max(probabilities) <= threshold:
        return []
    return [position for position, probability in enumerate(probabilities) if probability > threshold]
