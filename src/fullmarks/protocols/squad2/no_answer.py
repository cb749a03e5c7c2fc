"""SQuAD 2.0's analysis of no-answer probabilities: best thresholds and precision-recall curves.

Sums run in the order of rising probability, equal ones in file order, as strict left folds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from array import array
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


class Curve:
    """A precision-recall curve and the area under it as average precision (0-1)."""

    def __init__(self, precisions: NDArray[np.float64], recalls: NDArray[np.float64], average_precision: float) -> None:
        self._precisions = precisions
        self._recalls = recalls
        self.average_precision = average_precision

    @property
    def precisions(self) -> list[float]:
        """Precision at each point, from 1.0 before the first answer."""
        return [1.0, *self._precisions.tolist()]

    @property
    def recalls(self) -> list[float]:
        """Recall at each point, from 0.0 before the first answer."""
        return [0.0, *self._recalls.tolist()]


class RankedQuestions:
    """Questions by rising no-answer probability, ready for every analysis.

    `order` is each question's place in the file, by which equal probabilities are ordered. The questions at the
    positions `unanswered` have no prediction at all and count 0 whatever the threshold. `answerable` says how many have
    an answer.
    """

    def __init__(
        self,
        probabilities: Sequence[float],
        has_answer: Sequence[bool],
        answered: Sequence[bool],
        order: Sequence[int],
        unanswered: Sequence[int] = (),
    ) -> None:
        import numpy

        values = numpy.asarray(probabilities, dtype=numpy.float64)
        rank = numpy.argsort(values)
        ranked = values[rank]
        is_new = ranked[1:] != ranked[:-1]
        if not is_new.all():  # only then does the order in the file matter
            rank = numpy.lexsort((numpy.asarray(order), values))
        has = numpy.frombuffer(bytes(has_answer), dtype=bool)
        self._rank = rank
        self._probabilities: NDArray[np.float64] = ranked
        self._is_last: NDArray[np.bool_] = numpy.append(is_new, True)
        self._has_answer: NDArray[np.bool_] = has[rank]
        self.answerable = int(numpy.count_nonzero(has))
        self._lost: NDArray[np.float64] = numpy.where(numpy.frombuffer(bytes(answered), dtype=bool)[rank], -1.0, 0.0)
        self._without = len(has) - self.answerable - sum(not has_answer[position] for position in unanswered)

    def best_threshold(self, scores: Sequence[float] | array[float]) -> tuple[float, float]:
        """The best score (0-100) that any threshold reaches, and that threshold (0.0 if none helps)."""
        import numpy

        steps = numpy.empty(len(self._rank) + 1)
        steps[0] = self._without
        steps[1:] = numpy.where(self._has_answer, numpy.asarray(scores, dtype=numpy.float64)[self._rank], self._lost)
        reached = numpy.cumsum(steps)
        best = int(numpy.argmax(reached))
        threshold = float(self._probabilities[best - 1]) if best else 0.0
        return 100.0 * float(reached[best]) / len(self._rank), threshold

    def curve(self, scores: Sequence[float] | array[float] | None) -> Curve:
        """Precision and recall as the threshold rises; None scores every answerable question 1 (the oracle)."""
        import numpy

        if scores is None:
            ranked = self._has_answer.astype(numpy.float64)
        else:
            ranked = numpy.where(self._has_answer, numpy.asarray(scores, dtype=numpy.float64)[self._rank], 0.0)
        gained = numpy.cumsum(ranked)[self._is_last]
        precisions = gained / (numpy.flatnonzero(self._is_last) + 1.0)
        recalls = gained / float(self.answerable)
        areas = precisions * numpy.diff(recalls, prepend=0.0)
        return Curve(precisions, recalls, float(numpy.cumsum(areas)[-1]))
