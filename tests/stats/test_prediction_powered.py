"""The mean that a judge helps a person to: against ppi-python, and against chance."""

from __future__ import annotations

import numpy as np
import pytest

from fullmarks.errors import InputError
from fullmarks.stats.prediction_powered import powered_mean

PERSON = [0, 0, *[1] * 7, 0, 1, 1, 1, 0, 0, 0, *[1] * 6, 0, 1, 1, 0, 1, 0, 0, 1, 0, *[1] * 5, 0, 1, 1, 1]
JUDGE = [0, 0, *[1] * 12, 0, *[1] * 7, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1]
OTHERS = [1] * 262 + [0] * 138


def test_the_mean_is_that_of_ppi_python() -> None:
    """ppi_mean_pointestimate and ppi_mean_ci of ppi-python 0.2.3, which divides by n where we divide by n - 1."""
    found = powered_mean(PERSON, JUDGE, OTHERS, 0.95)
    assert found.mean == pytest.approx(0.63517587, abs=1e-8)
    half = 1.959964 * found.standard_error
    assert half == pytest.approx((0.7444457 - 0.52590604) / 2 * (40 / 39) ** 0.5, abs=2e-4)
    assert found.low < 0.52590604  # Wilson's ends are further out, and nearer to a half
    assert 0.74 < found.high < 0.7444457
    assert (found.person_alone, found.labelled, found.judged, found.agreement) == (0.7, 40, 400, 0.875)
    assert found.standard_error < found.person_error
    assert found.worth > 60


def test_a_judge_that_says_nothing_costs_nothing() -> None:
    found = powered_mean(PERSON, [1] * 40, [1] * 400, 0.95)
    assert (found.weight, found.mean) == (0.0, pytest.approx(0.7))
    assert found.standard_error == pytest.approx(found.person_error)
    opposite = powered_mean(PERSON, [1 - value for value in PERSON], OTHERS, 0.95)
    assert opposite.weight == 0.0


# How far the share of few rounds may lie beyond the bounds for many: three standard errors of 95 % are 4.6 %, of
# 98.5 % 2.6 %.
FEW = pytest.param(200, 0.046, 0.026)
MANY = pytest.param(1000, 0.0, 0.0, marks=pytest.mark.deep)


@pytest.mark.parametrize(("rounds", "below", "above"), [FEW, MANY])
@pytest.mark.parametrize(("bias", "right"), [(0.0, 0.9), (0.2, 0.8), (0.0, 0.5)])
def test_it_covers_the_truth_however_biased_the_judge(
    bias: float, right: float, rounds: int, below: float, above: float
) -> None:
    random = np.random.default_rng(3)
    covered = 0
    for _ in range(rounds):
        truth = random.random(560) < 0.7
        judged = np.where(random.random(560) < right, truth, ~truth) | (random.random(560) < bias)
        found = powered_mean(truth[:60], judged[:60], judged[60:], 0.95)
        covered += found.low <= 0.7 <= found.high
    assert 0.93 - below <= covered / rounds <= 0.975 + above


@pytest.mark.parametrize(("rounds", "below", "above"), [FEW, MANY])
@pytest.mark.parametrize(("labelled", "least"), [(20, 0.89), (40, 0.90), (100, 0.93)])
def test_it_covers_shares_near_one(labelled: int, least: float, rounds: int, below: float, above: float) -> None:
    """Mean +- error covers such a share 0.58, 0.81 and 0.89 of the time: with few wrong answers it has no width."""
    random = np.random.default_rng(4)
    covered = 0
    for _ in range(rounds):
        truth = random.random(labelled + 500) < 0.95
        judged = np.where(random.random(labelled + 500) < 0.97, truth, ~truth)
        found = powered_mean(truth[:labelled], judged[:labelled], judged[labelled:], 0.95)
        covered += found.low <= 0.95 <= found.high
    assert least - below <= covered / rounds <= 0.985 + above


def test_opinions_that_do_not_vary_still_have_a_width() -> None:
    found = powered_mean([1] * 20, [1] * 20, [1, 0] * 100, 0.95)
    assert found.mean == 1.0
    assert found.high == 1.0
    assert 0.7 < found.low < 0.9
    wide = powered_mean([3, 4, 5], [3, 4, 4], [3, 4, 5, 5], 0.95)  # marks, no shares
    assert wide.low < 4 < wide.high


def test_what_cannot_be_estimated() -> None:
    with pytest.raises(InputError, match="fewer than 2 cannot be known"):
        powered_mean([1], [1], [1, 0], 0.95)
    with pytest.raises(InputError, match="found 1 opinions for 2 labelled"):
        powered_mean([1, 0], [1], [1, 0], 0.95)
    with pytest.raises(InputError, match="it can add nothing"):
        powered_mean([1, 0], [1, 1], [], 0.95)
    with pytest.raises(InputError, match="one finite number per example"):
        powered_mean([1, float("nan")], [1, 1], [0], 0.95)
