"""The metric `squad` in use: over texts as every metric, or over Hugging Face's dictionaries, told by the first one.

Dictionaries are scored by the published programs as a whole: `squad_v2` where they have no-answer probabilities,
`squad_v1` where they have none, which is what `squad_v2` and `squad` of Hugging Face `evaluate` give.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fullmarks.errors import UsageError
from fullmarks.metrics import METRICS
from fullmarks.metrics.scorer import Scorer, listed
from fullmarks.metrics.squad import NO_ANSWER
from fullmarks.types import Examples

if TYPE_CHECKING:
    from fullmarks.metrics.set_metric import SetScorer

_TOGETHER = "dictionaries are scored together"


class SquadScorer(Scorer):
    """What `fullmarks.load("squad")` gives."""

    _together: SetScorer | None

    def compute(
        self, *, predictions: Sequence[Any] | None = None, references: Sequence[Any] | None = None, **others: Any
    ) -> dict[str, Any]:
        """The score of these examples, or of all batches added before, which are then forgotten.

        Of dictionaries the published result, from 0 to 100, with `no_answer_threshold` as the one option.
        """
        if predictions is None and references is None and self._together is not None:
            together, self._together = self._together, None
            return together.compute(**others)
        given = _dictionaries(predictions)
        if given is None:
            return super().compute(predictions=predictions, references=references, **others)
        return self._of_dictionaries(given).compute(
            predictions=given, references=listed("references", () if references is None else references), **others
        )

    def add_batch(self, *, predictions: Sequence[Any], references: Sequence[Any], **columns: Any) -> None:
        """Take in some examples for a later `compute`; all of them texts, or all dictionaries."""
        given = _dictionaries(predictions)
        if (given is None) != (self._together is None) and (self._n or self._together is not None):
            raise UsageError("some batches hold texts and others dictionaries. Give all in one form")
        if given is None:
            super().add_batch(predictions=predictions, references=references, **columns)
            return
        if self._together is None:
            self._together = self._of_dictionaries(given)
        self._together.add_batch(predictions=given, references=references, **columns)

    def merge(self, other: Scorer) -> None:
        """Take over the batches of another scorer of the same metric, after one's own."""
        theirs = other._together if isinstance(other, SquadScorer) else None
        if theirs is None and self._together is None:
            super().merge(other)
        elif theirs is not None and not self._n:
            self._together = self._together or type(theirs)(theirs.metric)
            self._together.merge(theirs)
        else:
            raise UsageError("cannot merge: one of the two holds texts, the other dictionaries")

    def _of_dictionaries(self, rows: list[Any]) -> SetScorer:
        """The scorer of such dictionaries."""
        default = type(self.metric)().options()
        changed = [name for name, value in self.metric.options().items() if value != default[name]]
        if changed:
            raise UsageError(
                f"{_TOGETHER} by the published rules, so that {', '.join(map(repr, changed))} has no place there. "
                "Leave it out, or give texts"
            )
        name = "squad_v2" if any(NO_ANSWER in row for row in rows if isinstance(row, dict)) else "squad_v1"
        from fullmarks.metrics.set_metric import SetScorer

        return SetScorer(METRICS.make(name, {}))

    def _examples(self, predictions: Any, references: Any, columns: dict[str, Any]) -> Examples:
        if _dictionaries(predictions) is not None:
            raise UsageError(f"{_TOGETHER}, none of them alone. Use compute, or give the texts")
        return super()._examples(predictions, references, columns)

    def _forget(self) -> None:
        super()._forget()
        self._together = None


def _dictionaries(predictions: Any) -> list[Any] | None:
    """The predictions as a list if the first of them is a dictionary; otherwise None, nothing being used up."""
    if type(predictions) is list:
        return predictions if predictions and isinstance(predictions[0], dict) else None
    if isinstance(predictions, (str, bytes, dict)) or not hasattr(predictions, "__len__"):
        return None
    is_column = getattr(predictions, "ndim", 1) == 1 and len(predictions) > 0
    if not is_column or not isinstance(next(iter(predictions)), dict):
        return None
    return listed("predictions", predictions)
