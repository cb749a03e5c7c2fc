"""SQuAD 2.0's analysis of no-answer probabilities: best thresholds and precision-recall curves.

Sums run in the order of rising probability, equal ones in file order, as strict left folds.
"""

from __future__ import annotations

import sys
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from array import array
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

MOST_ONE_BY_ONE = 50_000
"""Up to so many questions, adding up one by one is quicker than to load NumPy."""


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
        self.answerable = has_answer.count(True)
        self._probabilities = probabilities
        self._has_answer = has_answer
        self._answered = answered
        self._order = order
        self._without = len(has_answer) - self.answerable - sum(not has_answer[position] for position in unanswered)

    def best_threshold(self, scores: Sequence[float] | array[float]) -> tuple[float, float]:
        """The best score (0-100) that any threshold reaches, and that threshold as it was given (0.0 if none helps)."""
        count = len(self._probabilities)
        best = self._best_at_once(scores) if is_numpy_worth_it(count) else self._best_one_by_one(scores)
        threshold = 0.0 if best.position is None else self._probabilities[best.position]
        return 100.0 * best.reached / count, threshold

    def curve(self, scores: Sequence[float] | array[float] | None) -> Curve:
        """Precision and recall as the threshold rises; None scores every answerable question 1 (the oracle)."""
        import numpy

        questions = self._arrays
        gains = questions.has_answer if scores is None else questions.gains(scores, 0.0)
        gained = numpy.cumsum(gains, dtype=numpy.float64)[questions.points]
        precisions = gained / questions.taken_up
        recalls = gained / float(self.answerable)
        steps = recalls.copy()
        steps[1:] -= recalls[:-1]
        return Curve(precisions, recalls, float(numpy.cumsum(precisions * steps)[-1]))

    def _best_at_once(self, scores: Sequence[float] | array[float]) -> _Best:
        import numpy

        questions = self._arrays
        reached = numpy.cumsum(numpy.append(float(self._without), questions.gains(scores, questions.losses)))
        most = int(numpy.argmax(reached))
        return _Best(float(reached[most]), int(questions.rank[most - 1]) if most else None)

    def _best_one_by_one(self, scores: Sequence[float] | array[float]) -> _Best:
        gains = [scores[at] if self._has_answer[at] else -1.0 if self._answered[at] else 0.0 for at in self._rank]
        reached = list(accumulate(gains, initial=float(self._without)))
        best = max(reached)
        most = reached.index(best)
        return _Best(best, self._rank[most - 1] if most else None)

    @cached_property
    def _rank(self) -> list[int]:
        """The positions by rising probability, equal ones by their place in the file."""
        by_file = sorted(range(len(self._probabilities)), key=self._order.__getitem__)
        return sorted(by_file, key=self._probabilities.__getitem__)

    @cached_property
    def _arrays(self) -> _Arrays:
        import numpy

        values = numpy.asarray(self._probabilities, dtype=numpy.float64)
        rank = numpy.argsort(values)
        ranked = values[rank]
        is_last = numpy.append(ranked[1:] != ranked[:-1], True)
        points: slice | NDArray[np.intp] = slice(None)
        if not is_last.all():  # only then does the order in the file matter
            rank = numpy.lexsort((numpy.asarray(self._order), values))
            points = numpy.flatnonzero(is_last)
        has_answer, answered = (
            numpy.frombuffer(bytes(flags), dtype=bool)[rank] for flags in (self._has_answer, self._answered)
        )
        taken_up = numpy.arange(1.0, len(rank) + 1.0)[points]
        return _Arrays(rank, points, taken_up, has_answer, numpy.where(answered, -1.0, 0.0))


class _Best(NamedTuple):
    """The highest running sum, and the position of the question after which it is reached; None before the first."""

    reached: float
    position: int | None


class _Arrays(NamedTuple):
    """The questions by rising probability: their positions, the points of curves (after the last of equal ones), how
    many are taken up there, which have an answer, and what taking up one without an answer loses.
    """

    rank: NDArray[np.intp]
    points: slice | NDArray[np.intp]
    taken_up: NDArray[np.float64]
    has_answer: NDArray[np.bool_]
    losses: NDArray[np.float64]

    def gains(self, scores: Sequence[float] | array[float], others: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """The scores of the questions that have an answer; of the others what is given for them."""
        import numpy

        return numpy.where(self.has_answer, numpy.asarray(scores, dtype=numpy.float64)[self.rank], others)


def is_numpy_worth_it(count: int) -> bool:
    """Whether NumPy is at hand, or so many questions pay for loading it."""
    return count > MOST_ONE_BY_ONE or "numpy" in sys.modules
