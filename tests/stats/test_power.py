"""Plans of tests: the formula against simulated runs of the test that is planned for."""

from __future__ import annotations

import numpy as np
import pytest

from fullmarks.errors import UsageError
from fullmarks.stats.comparison import compare_systems
from fullmarks.stats.power import Plan, paired_error


# Planned for 80 %; the exact test of counts is a little more careful. Two standard errors of 300 rounds: 5 %; three of
# 80 rounds: 13.4 %.
@pytest.mark.parametrize(
    ("rounds", "least", "most"), [(80, 0.62, 0.94), pytest.param(300, 0.70, 0.86, marks=pytest.mark.deep)]
)
def test_the_planned_power_is_reached(rounds: int, least: float, most: float) -> None:
    """Systems that differ on a third of 400 questions, by as much as the plan says can be found."""
    decided, n = 0.3, 400
    error = np.sqrt(decided / n)
    difference = Plan().smallest_difference(error)
    wins = (decided + difference) / 2
    random = np.random.default_rng(6)
    found = 0
    for _ in range(rounds):
        kinds = random.random((n, 1))
        system = (kinds < wins).astype(np.float64)
        baseline = ((kinds >= wins) & (kinds < decided)).astype(np.float64)
        (test,) = compare_systems(system, baseline, resamples=2)
        found += test.permutation.p_value <= 0.05
    assert least <= found / rounds <= most


def test_units_and_differences_are_inverse() -> None:
    plan = Plan(level=0.01, power=0.9)
    difference = plan.smallest_difference(0.02)
    assert plan.units_needed(difference, 0.02, 500) in (500, 501)
    assert plan.units_needed(difference / 2, 0.02, 500) in (2000, 2001)
    assert plan.power_of(difference, 0.02) == pytest.approx(0.9, abs=1e-4)
    assert plan.power_of(0.0, 0.02) == pytest.approx(0.01)
    assert plan.power_of(0.1, 0.0) == 1.0


def test_statsmodels_agrees() -> None:
    """TTestPower().solve_power(0.1, alpha=0.05, power=0.8) of statsmodels 0.15.0 gives 786.8, by Student's t."""
    assert Plan().units_needed(0.1, 1.0, 1) == 785


def test_errors_of_pairs() -> None:
    assert paired_error(0.02, 0.02, 1.0) == 0.0
    assert paired_error(0.02, 0.02, 0.5) == pytest.approx(0.02)
    with pytest.raises(UsageError, match="from -1 to 1"):
        paired_error(0.1, 0.1, 2.0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"level": 0.0}, "level must be"), ({"power": 1.0}, "power must be"), ({"power": 0.05}, "no better than chance")],
)
def test_impossible_plans(settings: dict[str, float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Plan(**settings)
    with pytest.raises(UsageError, match="more than 0"):
        Plan().units_needed(0.0, 0.1, 10)
