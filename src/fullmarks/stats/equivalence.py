"""How alike two systems are: within which margin their difference surely lies.

Two one-sided tests, one against either end of the margin, each at one minus the level: both reject when the interval of
twice the level minus one (90 % for 95 %) lies inside. Source: Schuirmann, A Comparison of the Two One-sided Tests
Procedure and the Power Approach for Assessing the Equivalence of Average Bioavailability (1987).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from fullmarks.stats.interval import Interval

IntervalMaker: TypeAlias = Callable[[float], Interval]
"""The interval of one difference at any level."""

_HALVINGS = 40


@dataclass(frozen=True)
class Equivalence:
    """What is known of two systems being alike."""

    within: float | None
    """The smallest margin in which they are equivalent at the level; None where there is no interval."""
    p_value: float | None = None
    """Of the two one-sided tests against the margin asked for; None without one."""


def equivalence(interval_at: IntervalMaker, level: float, margin: float | None = None) -> Equivalence:
    """The smallest margin at a level above one half, and the p-value of the margin asked for.

    The p-value is one minus the highest level at which the interval lies inside the margin; 1 where that is none.
    """
    within = _reach(interval_at(2 * level - 1)) if level > 0.5 else math.nan
    known = within if math.isfinite(within) else None
    return Equivalence(known, None if margin is None else _p_value(interval_at, margin))


def _p_value(interval_at: IntervalMaker, margin: float) -> float:
    refused, met = 0.0, 0.5
    for _ in range(_HALVINGS):
        middle = (refused + met) / 2
        refused, met = (refused, middle) if _reach(interval_at(1 - 2 * middle)) < margin else (middle, met)
    return met if met < 0.5 else 1.0


def _reach(interval: Interval) -> float:
    """The larger distance of the two ends from zero."""
    return max(abs(interval.low), abs(interval.high))
