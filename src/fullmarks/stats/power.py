"""How small a difference so many questions can show, and how many questions a difference needs.

The test that is planned for is the two-sided paired one of `compare`, by the normal approximation: a difference of
`detectable` questions' errors is found with the wanted chance. Source: Card et al., With Little Power Comes Great
Responsibility (2020); for clusters the error of the mean over clusters takes the place of that over examples.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from fullmarks.errors import UsageError

_NORMAL = NormalDist()
LEVEL, POWER = 0.05, 0.8


@dataclass(frozen=True)
class Plan:
    """What a test of this level and power needs."""

    level: float = LEVEL
    """The chance of finding a difference where there is none."""
    power: float = POWER
    """The chance of finding one that is there."""

    def __post_init__(self) -> None:
        for name, value in (("level", self.level), ("power", self.power)):
            if not 0 < value < 1:
                raise UsageError(f"{name} must be between 0 and 1, found {value}")
        if self.power <= self.level:
            raise UsageError(f"a power of {self.power} is no better than chance at the level {self.level}")

    @property
    def errors(self) -> float:
        """How many standard errors a difference must be."""
        return _NORMAL.inv_cdf(1 - self.level / 2) + _NORMAL.inv_cdf(self.power)

    def smallest_difference(self, standard_error: float) -> float:
        """The smallest difference that a standard error of the difference lets be found.

        >>> round(Plan().smallest_difference(0.01), 4)
        0.028
        """
        return self.errors * standard_error

    def units_needed(self, difference: float, standard_error: float, units: int) -> int:
        """How many examples (or clusters) the difference needs, if so many have this error.

        >>> Plan().units_needed(0.01, 0.01, 1000)
        7849
        """
        if not difference > 0:
            raise UsageError(f"a wanted difference must be more than 0, found {difference}")
        return max(2, math.ceil(units * (self.errors * standard_error / difference) ** 2))

    def power_of(self, difference: float, standard_error: float) -> float:
        """The chance of finding this difference with this error.

        >>> round(Plan().power_of(0.028, 0.01), 2)
        0.8
        """
        if standard_error <= 0:
            return 1.0 if difference else self.level
        quantile = _NORMAL.inv_cdf(1 - self.level / 2)
        moved = abs(difference) / standard_error
        return _NORMAL.cdf(moved - quantile) + _NORMAL.cdf(-moved - quantile)


def paired_error(first_error: float, second_error: float, correlation: float) -> float:
    """The error of a difference of two means whose examples correlate so.

    >>> paired_error(0.03, 0.04, 0.0)
    0.05
    """
    if not -1 <= correlation <= 1:
        raise UsageError(f"a correlation is from -1 to 1, found {correlation}")
    square = first_error**2 + second_error**2 - 2 * correlation * first_error * second_error
    return math.sqrt(max(0.0, square))
