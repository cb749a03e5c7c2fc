"""Corrections for asking many questions of the same data."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from fullmarks.errors import UsageError


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values adjusted by Holm's step-down procedure, in the order given.

    Rejecting every adjusted value at or under a level keeps the chance of one or more false rejections under
    that level, however the tests depend on each other. No p-values give an empty list. Source: Holm, A Simple
    Sequentially Rejective Multiple Test Procedure (1979).

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    for position, value in enumerate(p_values):
        if not 0 <= value <= 1:
            raise UsageError(f"p-value {value} at position {position} is not between 0 and 1")
    ascending = sorted(range(len(p_values)), key=lambda position: p_values[position])
    raised = (p_values[position] * (len(p_values) - rank) for rank, position in enumerate(ascending))
    adjusted = dict(zip(ascending, accumulate(raised, max), strict=True))
    return [min(1.0, adjusted[position]) for position in range(len(p_values))]
