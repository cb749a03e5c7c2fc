"""An error made of parts that are not known equally well: its intervals and its test.

Each part is multiplied by Student's t of its own degrees of freedom. One t for the whole, with the degrees of freedom
of Satterthwaite, covers 88 instead of 95 % of the time where a part that two values tell of is the larger one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from fullmarks.stats.rows import ROUNDING
from fullmarks.stats.student import student_cdf, student_quantile

_HALVINGS = 60
_SMALLEST_TAIL = 1e-12
"""Smaller chances have no digits left once they are taken from 1."""


@dataclass(frozen=True)
class Part:
    """A part of a squared error, and the degrees of freedom that it is known with."""

    square: float
    degrees: int


@dataclass(frozen=True)
class PartedError:
    """The parts of the error of one number, the best known one first."""

    parts: tuple[Part, ...]

    @property
    def standard_error(self) -> float:
        """The root of the sum of all parts."""
        return math.sqrt(sum(part.square for part in self.parts))

    def half_width(self, level: float) -> float:
        """How far the ends of the interval are from the number.

        >>> round(PartedError((Part(4.0, 1),)).half_width(0.5), 12)  # half of Student's t with 1 degree is within 1
        2.0
        """
        tail = (1 + level) / 2
        return math.sqrt(sum(student_quantile(tail, part.degrees) ** 2 * part.square for part in self.parts))

    def p_value(self, number: float) -> float:
        """One minus the level of the interval around the number that just reaches 0.

        Where nothing varies, nothing is known of chance: 1. Not under 2e-12, NaN for a number that is undefined.
        """
        if not math.isfinite(number):
            return math.nan
        if not number or not self.standard_error > 0:
            return 1.0
        low, high = 0.0, 1.0
        while not self._reaches(number, high):
            low, high = high, 2 * high
        for _ in range(_HALVINGS):
            if high - low <= ROUNDING * high:
                break
            middle = (low + high) / 2
            low, high = (low, middle) if self._reaches(number, middle) else (middle, high)
        return min(1.0, 2 * max(_SMALLEST_TAIL, 1 - student_cdf(high, self.parts[0].degrees)))

    def _reaches(self, number: float, quantile: float) -> bool:
        """Whether the interval is as wide as the number is large, where the first part takes this quantile."""
        first, *others = self.parts
        inside = student_cdf(quantile, first.degrees)
        if 1 - inside < _SMALLEST_TAIL:
            return True
        squares = sum(student_quantile(inside, part.degrees) ** 2 * part.square for part in others)
        return quantile**2 * first.square + squares >= number**2
