"""Student's t: its distribution for whole degrees of freedom as a finite sum, and its quantiles.

Source: Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.7.3, 26.7.4 and 26.7.5.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

from fullmarks.errors import UsageError

_NORMAL = NormalDist()
_MANY = 2000
"""From so many degrees of freedom on, four terms of the expansion around the normal quantile have all digits."""


def student_cdf(value: float, degrees: int) -> float:
    """The chance of a value up to this one.

    >>> student_cdf(1.0, 1)
    0.75
    """
    _check_degrees(degrees)
    if math.isinf(value):
        return 1.0 if value > 0 else 0.0
    angle = math.atan2(abs(value), math.sqrt(degrees))
    sine, square = math.sin(angle), math.cos(angle) ** 2
    inside = _odd(angle, sine, square, degrees) if degrees % 2 else _even(sine, square, degrees)
    return 0.5 + math.copysign(inside / 2, value)


@lru_cache(maxsize=256)
def student_quantile(chance: float, degrees: int) -> float:
    """The value that is not passed with this chance; the normal one's for infinitely many degrees of freedom.

    >>> round(student_quantile(0.975, 2), 4)
    4.3027
    """
    _check_degrees(degrees)
    if not 0 < chance < 1:
        raise UsageError(f"a quantile needs a chance between 0 and 1, found {chance}")
    if chance < 0.5:
        return -student_quantile(1 - chance, degrees)
    if degrees >= _MANY:
        return _expanded(_NORMAL.inv_cdf(chance), degrees)
    low, high = 0.0, 1.0
    while student_cdf(high, degrees) < chance:
        low, high = high, 2 * high
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return middle
        low, high = (middle, high) if student_cdf(middle, degrees) < chance else (low, middle)


def _odd(angle: float, sine: float, square: float, degrees: int) -> float:
    if degrees == 1:
        return 2 * angle / math.pi
    term = total = math.sqrt(square)
    for number in range(3, degrees - 1, 2):
        term *= square * (number - 1) / number
        total += term
    return 2 / math.pi * (angle + sine * total)


def _even(sine: float, square: float, degrees: int) -> float:
    term = total = 1.0
    for number in range(2, degrees - 1, 2):
        term *= square * (number - 1) / number
        total += term
    return sine * total


def _expanded(normal: float, degrees: int) -> float:
    x = normal
    terms = (
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
    )
    return x + math.fsum(term / float(degrees) ** power for power, term in enumerate(terms, start=1))


def _check_degrees(degrees: int) -> None:
    if degrees < 1:
        raise UsageError(f"Student's t needs at least 1 degree of freedom, found {degrees}")
