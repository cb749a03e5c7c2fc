"""Corrections for asking many questions of the same data."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Corrected:
    """The p-value of one test among others."""

    p_value: float
    is_counted: bool
    """Whether the others are corrected for it: not where it could not have reached the level anyhow."""


def tarone_holm(p_values: Sequence[float], smallest: Sequence[float], level: float) -> list[Corrected]:
    """Holm's correction over those tests alone that could have been significant at the level, such as 0.05.

    `smallest` are the least p-values that the data of each test allow, however they had come out. Which tests are
    counted hangs on these alone, so the correction holds at every level. Those that are not counted have their
    p-value times the number of tests that it was too large for, which is above the level. Source: Tarone, A Modified
    Bonferroni Method for Discrete Data (1990).

    >>> [each.p_value for each in tarone_holm([0.03, 1.0, 0.02], [0.001, 1.0, 0.001], 0.05)]
    [0.04, 1.0, 0.04]
    """
    tests, ascending = 1, sorted(smallest)
    while bisect_right(ascending, level / tests) > tests:
        tests += 1
    counted = [at for at, least in enumerate(smallest) if least <= level / tests]
    adjusted = dict(zip(counted, holm([p_values[at] for at in counted]), strict=True))
    return [Corrected(adjusted.get(at, min(1.0, tests * value)), at in adjusted) for at, value in enumerate(p_values)]
