"""Student's t against SciPy."""

from __future__ import annotations

import math

import pytest

from fullmarks.errors import UsageError
from fullmarks.stats.student import student_cdf, student_quantile

DEGREES = [1, 2, 3, 4, 5, 9, 10, 29, 30, 99, 500, 1999, 2000, 11872]


@pytest.mark.parametrize("degrees", DEGREES)
def test_the_distribution_is_scipys(degrees: int) -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs scipy: make install")
    for value in (-8.0, -3.0, -0.5, 0.0, 0.2, 1.0, 2.5, 8.0):
        # A sum of up to six thousand terms: rounding alone.
        assert student_cdf(value, degrees) == pytest.approx(stats.t.cdf(value, degrees), abs=1e-11)


@pytest.mark.parametrize("degrees", [*DEGREES, 10**6])
def test_quantiles_are_scipys(degrees: int) -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs scipy: make install")
    for chance in (0.1, 0.5, 0.6, 0.9, 0.95, 0.975, 0.995, 0.9999):
        assert student_quantile(chance, degrees) == pytest.approx(stats.t.ppf(chance, degrees), rel=1e-11, abs=1e-11)


def test_the_ends_of_the_line() -> None:
    assert (student_cdf(math.inf, 3), student_cdf(-math.inf, 3)) == (1.0, 0.0)


def test_what_has_no_quantile() -> None:
    with pytest.raises(UsageError, match="at least 1 degree of freedom, found 0"):
        student_quantile(0.9, 0)
    with pytest.raises(UsageError, match="between 0 and 1, found 1"):
        student_quantile(1.0, 5)
