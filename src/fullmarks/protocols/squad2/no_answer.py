"""SQuAD 2.0's analysis of no-answer probabilities: best thresholds and precision-recall curves.

Sums run in the order of rising probability, equal ones in file order, as strict left folds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from array import array
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


class Curve(Struct, frozen=True):
    """A precision-recall curve and the area under it as average precision (0-1)."""

    precisions: list[float]
    recalls: list[float]
    average_precision: float


class RankedQuestions:
    """Questions by rising no-answer probability, ready for every analysis.

    `order` is each question's place in the file, by which equal probabilities are ordered; a range means as they are.
    The questions at the positions `unanswered` have no prediction at all and count 0 whatever the threshold.
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
        if isinstance(order, range):
            rank = numpy.argsort(values, kind="stable")
        else:
            by_file = numpy.argsort(numpy.asarray(order), kind="stable")
            rank = by_file[numpy.argsort(values[by_file], kind="stable")]
        self._rank = rank
        self._probabilities: NDArray[np.float64] = values[rank]
        self._has_answer: NDArray[np.bool_] = numpy.frombuffer(bytes(has_answer), dtype=bool)[rank]
        self._answered: NDArray[np.bool_] = numpy.frombuffer(bytes(answered), dtype=bool)[rank]
        self._without = len(has_answer) - sum(has_answer) - sum(not has_answer[position] for position in unanswered)

    def best_threshold(self, scores: Sequence[float] | array[float]) -> tuple[float, float]:
        """The best score (0-100) that any threshold reaches, and that threshold (0.0 if none helps)."""
        import numpy

        ranked = numpy.asarray(scores, dtype=numpy.float64)[self._rank]
        steps = numpy.where(self._has_answer, ranked, numpy.where(self._answered, -1.0, 0.0))
        reached = numpy.cumsum(numpy.concatenate([[float(self._without)], steps]))
        best = int(numpy.argmax(reached))
        threshold = float(self._probabilities[best - 1]) if best else 0.0
        return 100.0 * float(reached[best]) / len(ranked), threshold

    def curve(self, scores: Sequence[float] | array[float] | None) -> Curve:
        """Precision and recall as the threshold rises; None scores every answerable question 1 (the oracle)."""
        import numpy

        if scores is None:
            ranked = self._has_answer.astype(numpy.float64)
        else:
            ranked = numpy.asarray(scores, dtype=numpy.float64)[self._rank]
        gained = numpy.cumsum(numpy.where(self._has_answer, ranked, 0.0))
        precision = gained / numpy.arange(1.0, len(ranked) + 1.0)
        recall = gained / float(numpy.count_nonzero(self._has_answer))
        last = numpy.append(self._probabilities[1:] != self._probabilities[:-1], True)
        precisions, recalls = precision[last], recall[last]
        areas = precisions * numpy.diff(recalls, prepend=0.0)
        total: Any = numpy.cumsum(areas)[-1]
        return Curve([1.0, *precisions.tolist()], [0.0, *recalls.tolist()], float(total))
