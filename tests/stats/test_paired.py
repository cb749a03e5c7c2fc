"""Outcomes, McNemar, effect sizes and the bootstrap p-value."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fullmarks.errors import InputError, MismatchError
from fullmarks.stats.comparison import bootstrap_difference
from fullmarks.stats.paired import (
    EffectSize,
    Outcomes,
    bootstrap_p_value,
    effect_size,
    is_binary,
    mcnemar,
    outcomes,
)


def test_outcomes_count_undefined_scores_as_ties() -> None:
    nan = math.nan
    assert outcomes([1, 0, 0.5, nan, nan], [0, 0.25, 0.5, 1, nan]) == Outcomes(wins=1, losses=1, ties=3)


# By hand: 2 * (1 + 10) / 2^10; 2 * 1 / 2^5; (3, 3) doubles to over one.
@pytest.mark.parametrize(
    ("wins", "losses", "p_value"), [(9, 1, 22 / 1024), (0, 5, 2 / 32), (3, 3, 1.0), (0, 0, 1.0), (1, 0, 1.0)]
)
def test_mcnemar_by_hand(wins: int, losses: int, p_value: float) -> None:
    assert mcnemar(wins, losses) == mcnemar(losses, wins) == p_value


@pytest.mark.parametrize(("wins", "losses"), [(7, 19), (120, 171), (1500, 1400), (2000, 900), (30_000, 30_500)])
def test_mcnemar_equals_scipy(wins: int, losses: int) -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs scipy: make install")
    expected = stats.binomtest(wins, wins + losses).pvalue
    # The terms are ratios multiplied up from the middle: up to 30,000 roundings of 1e-16 each.
    assert mcnemar(wins, losses) == pytest.approx(expected, rel=1e-11, abs=0)


def test_mcnemar_false_positives_stay_under_the_level_and_a_known_effect_is_found() -> None:
    random = np.random.default_rng(1)
    wins, losses = random.multinomial(500, [0.1, 0.1, 0.8], size=4_000)[:, :2].T
    rate = np.mean([mcnemar(int(a), int(b)) <= 0.05 for a, b in zip(wins, losses, strict=True)])
    # Discrete, hence under the level; not so far under that it never rejects.
    assert 0.02 < rate <= 0.05
    # 15 % wins against 7 %: z = 0.08 * sqrt(500) / sqrt(0.22 - 0.08^2) = 3.87 has power 0.97; the exact test
    # has a little less.
    wins, losses = random.multinomial(500, [0.15, 0.07, 0.78], size=1_000)[:, :2].T
    assert 0.93 < np.mean([mcnemar(int(a), int(b)) <= 0.05 for a, b in zip(wins, losses, strict=True)]) < 0.99


def test_effect_sizes_by_hand() -> None:
    # Differences 0.5, 0, 0.25: mean 0.25, sample deviation 0.25.
    assert effect_size([0.5, 0.5, 0.5], [0.0, 0.5, 0.25]) == EffectSize("cohen d_z", 1.0)
    # Three wins, one loss.
    assert effect_size([1, 1, 1, 0, 1], [0, 0, 0, 1, 1]) == EffectSize("cohen g", 0.25, 3.0)


def test_effect_sizes_at_their_edges() -> None:
    assert effect_size([1, 0], [1, 0]) == EffectSize("cohen g", 0.0, None)
    assert effect_size([1, 1], [0, 0]) == EffectSize("cohen g", 0.5, math.inf)
    assert effect_size([0.3, 0.4], [0.3, 0.4]) == EffectSize("cohen d_z", 0.0)
    assert effect_size([0.1, 0.2, 0.3], [0.2, 0.3, 0.4]) == EffectSize("cohen d_z", -math.inf)
    assert math.isnan(effect_size([0.5], [0.25]).value)
    assert effect_size([0.5, 0.5, 0.5, math.nan], [0.0, 0.5, 0.25, 1.0]).value == 1.0


def test_binary_means_zero_or_one_everywhere() -> None:
    assert is_binary([0, 1], [1.0, 1.0])
    assert not is_binary([0, 1], [0.5, 1.0])
    assert not is_binary([0, math.nan])


def test_bootstrap_p_value_by_hand() -> None:
    # Found 1; moved resamples -1.5, -0.5, 0, 1: two are at least 1 away, and the found one is counted in.
    assert bootstrap_p_value(1.0, [-0.5, 0.5, 1.0, 2.0]) == 3 / 5
    assert bootstrap_p_value(0.0, [0.0, 0.0, 0.0]) == 1.0
    assert bootstrap_p_value(1.0, [1.0, 1.0, math.nan]) == 2 / 4
    assert math.isnan(bootstrap_p_value(math.nan, [1.0]))


# Three standard errors of a share (of 150 rounds 5.4 % at 5 % and 12 % at the power), and the quarter percent that
# resampling 200 is too narrow.
@pytest.mark.parametrize(
    ("repeats", "off", "off_power"), [(150, 0.057, 0.12), pytest.param(1_000, 0.024, 0.05, marks=pytest.mark.deep)]
)
def test_bootstrap_false_positives_come_at_the_promised_rate_and_a_known_effect_is_found(
    repeats: int, off: float, off_power: float
) -> None:
    random = np.random.default_rng(6)
    examples, noise, effect = 200, 0.3, 0.07
    false, found = 0, 0
    for seed in range(repeats):
        shared = random.random((examples, 1))
        system, baseline = (shared + random.normal(0, noise, (examples, 1)) for _ in range(2))
        resampled = bootstrap_difference(system, baseline, resamples=499, seed=seed)
        estimate, replicates = float(resampled.estimate[0]), resampled.replicates[:, 0]
        false += bootstrap_p_value(estimate, replicates) <= 0.05
        # Adding the same to every example moves the estimate and every resample by it.
        found += bootstrap_p_value(estimate + effect, replicates + effect) <= 0.05
    assert abs(false / repeats - 0.05) < off
    # The paired z-test with d_z = 0.07 / (0.3 * sqrt 2) on 200 pairs has power 0.645.
    assert abs(found / repeats - 0.645) < off_power


def test_scores_must_be_paired_and_present() -> None:
    with pytest.raises(MismatchError, match=r"found shape \(2,\), and \(1,\) for the baseline"):
        outcomes([1, 2], [1])
    with pytest.raises(InputError, match="found no examples"):
        effect_size([], [])
    with pytest.raises(InputError, match="counts cannot be negative"):
        mcnemar(-1, 3)
