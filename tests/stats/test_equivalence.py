"""Equivalence: the closed forms of two one-sided tests, found again by turning intervals round."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

from fullmarks.stats.comparison import compare_systems
from fullmarks.stats.equivalence import Equivalence, equivalence
from fullmarks.stats.interval import Interval
from fullmarks.stats.rows import Floats
from fullmarks.stats.student import student_cdf, student_quantile


def students(estimate: float, error: float, degrees: int, level: float) -> Interval:
    half = student_quantile((1 + level) / 2, degrees) * error
    return Interval(estimate - half, estimate + half, level, "student", 0, 0, error, "formula", degrees + 1)


@pytest.mark.parametrize(("estimate", "error"), [(0.0, 0.01), (0.02, 0.01), (-0.03, 0.015), (0.049, 0.02)])
def test_students_intervals_give_the_two_t_tests(estimate: float, error: float) -> None:
    found = equivalence(lambda level: students(estimate, error, 30, level), 0.95, 0.05)
    tails = [1 - student_cdf((0.05 - side * estimate) / error, 30) for side in (1, -1)]
    assert found.p_value == pytest.approx(max(tails), abs=1e-9)
    assert found.within == pytest.approx(abs(estimate) + student_quantile(0.95, 30) * error)


def tango_chance(wins: int, losses: int, n: int, supposed: float) -> float:
    """One tail of Tango's score test of a supposed difference of two shares, written down from the paper."""
    difference = (wins - losses) / n
    b = -wins - losses + (2 * n - wins + losses) * supposed
    c = -losses * supposed * (1 - supposed)
    share = (math.sqrt(b * b - 8 * n * c) - b) / (4 * n)
    error = math.sqrt((2 * share + supposed * (1 - supposed)) / n)
    return NormalDist().cdf(-abs(difference - supposed) / error)


@pytest.mark.parametrize(("wins", "losses", "margin"), [(10, 8, 0.1), (3, 9, 0.15), (0, 1, 0.05), (20, 20, 0.12)])
def test_shares_give_tangos_tests(wins: int, losses: int, margin: float) -> None:
    n = 200
    system = np.array([1.0] * wins + [0.0] * losses + [1.0] * (n - wins - losses))[:, None]
    baseline = np.array([0.0] * wins + [1.0] * losses + [1.0] * (n - wins - losses))[:, None]
    (test,) = compare_systems(system, baseline, margin=margin)
    assert test.equivalence is not None
    expected = max(tango_chance(wins, losses, n, margin), tango_chance(wins, losses, n, -margin))
    assert test.equivalence.p_value == pytest.approx(expected, rel=1e-6)
    # The margin at which the p-value is 5 % is the smallest one that they are equivalent in.
    (at_the_edge,) = compare_systems(system, baseline, margin=test.equivalence.within)
    assert at_the_edge.equivalence is not None
    assert at_the_edge.equivalence.p_value == pytest.approx(0.05, rel=1e-6)


def test_systems_further_apart_than_the_margin_are_not_alike() -> None:
    (test,) = compare_systems(np.ones((50, 1)), np.zeros((50, 1)), margin=0.5)
    assert test.equivalence is not None
    assert test.equivalence.p_value == 1.0


@pytest.mark.parametrize("rounds", [50, pytest.param(400, marks=pytest.mark.deep)])
def test_systems_at_the_margin_are_called_alike_as_seldom_as_said(rounds: int) -> None:
    """A true difference of exactly the margin: found equivalent in at most 5 % of the rounds and three errors."""
    random, alarms = np.random.default_rng(3), 0
    for _ in range(rounds):
        shared = random.random((150, 1)) < 0.5
        system = (shared | (random.random((150, 1)) < 0.2)).astype(np.float64)
        (test,) = compare_systems(system, shared.astype(np.float64), margin=0.1, resamples=2)
        assert test.equivalence is not None
        assert test.equivalence.p_value is not None
        alarms += test.equivalence.p_value <= 0.05
    assert alarms <= rounds * 0.05 + 3 * math.sqrt(rounds * 0.05 * 0.95)


def test_a_level_that_has_no_interval_of_equivalence() -> None:
    assert equivalence(lambda level: students(0.0, 0.1, 5, level), 0.5) == Equivalence(None)


def test_slices_are_not_asked() -> None:
    rows: Floats = np.random.default_rng(1).random((30, 2))
    assert [each.equivalence for each in compare_systems(rows, rows[::-1], in_full=False)] == [None, None]
