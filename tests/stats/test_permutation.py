"""The permutation test: equal to plain enumeration where that is possible, calibrated, and never zero."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fullmarks.errors import MismatchError
from fullmarks.stats import permutation
from fullmarks.stats.paired import mcnemar
from fullmarks.stats.permutation import half_binomial, permutation_test
from fullmarks.stats.rows import Finish, Floats, means


def ratio(sums: Floats, n: Floats) -> Floats:
    return sums[..., :1] / sums[..., 1:]


def scaled(sums: Floats, n: Floats) -> Floats:
    """Means that do not go by the name of `means`."""
    return sums / n


def enumerate_plainly(system: Floats, baseline: Floats, finish: Finish, groups: list[int]) -> float:
    """The share of all 2^groups ways to swap whose difference is at least the found one."""
    n = np.array([float(len(system))])

    def difference(swaps: tuple[bool, ...]) -> float:
        chosen = np.array([swaps[group] for group in groups])[:, None]
        first, second = np.where(chosen, baseline, system), np.where(chosen, system, baseline)
        return abs(float((finish(first.sum(axis=0), n) - finish(second.sum(axis=0), n))[0]))

    every = list(product([False, True], repeat=max(groups) + 1))
    found = difference(every[0])
    return sum(difference(swaps) >= found - 1e-12 for swaps in every) / len(every)


pairs = st.lists(st.tuples(*[st.sampled_from([0.0, 0.2, 0.5, 1.0])] * 2), min_size=1, max_size=8)


@settings(max_examples=40, deadline=None)
@given(pairs)
def test_means_equal_plain_enumeration(scores: list[tuple[float, float]]) -> None:
    system, baseline = (np.array(column)[:, None] for column in zip(*scores, strict=True))
    (test,) = permutation_test(system, baseline)
    assert test.method == "exact"
    assert test.p_value == pytest.approx(enumerate_plainly(system, baseline, means, list(range(len(scores)))))


def share_in_fractions(differences: list[int]) -> Fraction:
    """The share of all ways to turn signs whose sum is as far from zero as the sum itself, difference by difference."""
    ways = {0: 1}
    for difference in differences:
        turned: dict[int, int] = {}
        for total, count in ways.items():
            for signed in (difference, -difference):
                turned[total + signed] = turned.get(total + signed, 0) + count
        ways = turned
    found = abs(sum(differences))
    return Fraction(sum(count for total, count in ways.items() if abs(total) >= found), 2 ** len(differences))


@pytest.mark.parametrize(
    "differences",
    [
        [1] * 8 + [-1] * 7,
        [1] * 30 + [-1] * 30,
        [2, 1, -1, 3, -3, 5, 1, 1, -4],
        [1] * 45 + [-1] * 40 + [2] * 9 + [-3] * 5,
        [1] * 90 + [-1] * 95 + [3] * 70 + [-3] * 65,
        [1] * 700 + [-1] * 690 + [5],
        list(range(1, 17)),
    ],
    ids=len,
)
def test_exact_p_values_are_the_nearest_float_to_the_fraction(differences: list[int]) -> None:
    """To the last digit, as no sum of rounded chances is: half of these came out a little off before."""
    system = np.array([float(max(each, 0)) for each in differences])[:, None]
    baseline = np.array([float(max(-each, 0)) for each in differences])[:, None]
    (test,) = permutation_test(system, baseline)
    assert test.method == "exact"
    assert test.p_value == float(share_in_fractions(differences))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=60))
def test_exact_p_values_are_fractions_of_whole_numbers(differences: list[int]) -> None:
    rows = np.array(differences, dtype=float)[:, None]
    (test,) = permutation_test(rows, np.zeros_like(rows))
    if test.method == "exact":
        assert test.p_value == float(share_in_fractions(differences))


@pytest.mark.parametrize("seed", range(5))
def test_a_corpus_score_equals_plain_enumeration(seed: int) -> None:
    random = np.random.default_rng(seed)
    system, baseline = (
        np.stack([random.integers(0, 4, 9), random.integers(4, 7, 9)], axis=1).astype(float) for _ in range(2)
    )
    (test,) = permutation_test(system, baseline, ratio)
    assert test.method == "exact"
    assert test.p_value == pytest.approx(enumerate_plainly(system, baseline, ratio, list(range(9))))


def test_clusters_are_swapped_whole() -> None:
    random = np.random.default_rng(3)
    system, baseline = random.random((12, 1)), random.random((12, 1)) - 0.2
    groups = [0, 0, 0, 1, 1, 2, 3, 3, 4, 5, 6, 6]
    (test,) = permutation_test(system, baseline, clusters=groups)
    assert test.p_value == pytest.approx(enumerate_plainly(system, baseline, means, groups))
    (alone,) = permutation_test(system, baseline)
    assert alone.p_value != pytest.approx(test.p_value)


@pytest.mark.parametrize("finish", [means, ratio], ids=["means", "ratio"])
def test_random_permutations_agree_with_the_exact_test(finish: Finish, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(4)
    system = np.stack([random.integers(0, 3, 12), random.integers(5, 7, 12)], axis=1).astype(float)
    baseline = np.stack([random.integers(0, 4, 12), random.integers(4, 7, 12)], axis=1).astype(float)
    exact = permutation_test(system, baseline, finish)
    monkeypatch.setattr(permutation, "EXACT_STATES", 1)
    for many in (256, 2):  # every example by its own bit, then interchangeable ones by a binomial draw
        monkeypatch.setattr(permutation, "_MANY", many)
        drawn = permutation_test(system, baseline, finish, permutations=40_000, seed=1)
        for truth, estimate in zip(exact, drawn, strict=True):
            assert (truth.method, estimate.method) == ("exact", "monte carlo")
            # Four standard errors of a share of 40,000.
            slack = 4 * math.sqrt(truth.p_value * (1 - truth.p_value) / 40_000) + 1 / 40_000
            assert estimate.p_value == pytest.approx(truth.p_value, abs=slack)


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (1, 0), (3, 9), (40, 40), (300, 251), (900, 700)])
def test_binary_scores_give_mcnemar(wins: int, losses: int) -> None:
    system = np.array([1.0] * wins + [0.0] * losses + [1.0] * 500)[:, None]
    baseline = np.array([0.0] * wins + [1.0] * losses + [1.0] * 500)[:, None]
    (test,) = permutation_test(system, baseline)
    assert test.method == "exact"
    # Both are the same binomial tail; 1e-12 is the rounding of a sum of a thousand chances.
    assert test.p_value == pytest.approx(mcnemar(wins, losses), rel=1e-12)


@pytest.mark.parametrize("trials", [0, 1, 2, 3, 10, 61, 1024])
def test_coin_chances_equal_counted_ones(trials: int) -> None:
    expected = [math.comb(trials, heads) / 2**trials for heads in range(trials + 1)]
    # One rounding per ratio walked from the middle.
    np.testing.assert_allclose(half_binomial(trials), expected, rtol=1e-13)


def test_coin_chances_of_many_trials_are_not_lost() -> None:
    """Those far from the middle are too small for a float, those around it are not."""
    chances = half_binomial(20_000)
    for heads in (9_000, 9_999, 10_000, 10_500):
        assert chances[heads] == pytest.approx(math.comb(20_000, heads) / 2**20_000, rel=1e-11)
    assert (chances[0], chances[-1]) == (0.0, 0.0)
    assert chances.sum() == pytest.approx(1.0, rel=1e-11)


def test_equal_systems_give_one() -> None:
    rows = np.random.default_rng(1).random((50, 2))
    assert [test.p_value for test in permutation_test(rows, rows)] == [1.0, 1.0]
    assert permutation_test(rows, rows, ratio)[0].p_value == 1.0


def test_the_p_value_is_never_zero_and_a_seed_decides_it() -> None:
    random = np.random.default_rng(2)
    baseline = random.random((300, 1))
    clear = baseline + random.random((300, 1))
    (test,) = permutation_test(clear, baseline, scaled, permutations=999, seed=5)
    assert (test.method, test.p_value, test.permutations, test.is_floor) == ("monte carlo", 1 / 19_981, 19_980, True)
    weaker = baseline + random.normal(0.05, 0.5, size=(300, 1))
    repeated = [permutation_test(weaker, baseline, permutations=999, seed=seed) for seed in (5, 5, 6)]
    assert repeated[0] == repeated[1]
    assert repeated[0] != repeated[2]


def test_a_rare_difference_is_looked_at_longer() -> None:
    """Against the whole distribution of the sums of differences in fortieths, made one example after the other."""
    random = np.random.default_rng(12)
    for examples, expected_method in ((60, "monte carlo"), (300, "bound")):
        steps = random.integers(-20, 41, size=examples)
        chances = np.ones(1)
        for step in np.abs(steps):
            grown = np.zeros(len(chances) + 2 * step)
            grown[: len(chances)] += chances / 2
            grown[2 * step :] += chances / 2
            chances = grown
        middle, total = len(chances) // 2, abs(int(steps.sum()))
        truth = 2 * float(chances[middle + total :].sum())
        rows = (steps / 40)[:, None]
        (test,) = permutation_test(rows, np.zeros_like(rows), seed=3)
        assert test.method == expected_method
        if expected_method == "bound":
            assert truth <= test.p_value <= 1 / 200_000
            assert test.p_value < 60 * truth
        else:
            assert 10_000 < test.permutations <= 200_000
            # Ten permutations that reached it are known to four times their root.
            assert test.p_value == pytest.approx(truth, rel=4 / math.sqrt(10))


@pytest.mark.parametrize("rounds", [500, pytest.param(4_000, marks=pytest.mark.deep)])
def test_no_false_alarm_comes_from_looking_longer(rounds: int) -> None:
    """Shares of permutations that are looked at longer keep their rate: p up to 1 % in 1 % of all rounds."""
    random = np.random.default_rng(13)
    alarms = 0
    for seed in range(rounds):
        (test,) = permutation_test(random.normal(size=(25, 1)), np.zeros((25, 1)), permutations=99, seed=seed)
        alarms += test.p_value <= 0.01
    assert alarms <= rounds * 0.01 + 3 * math.sqrt(rounds * 0.01 * 0.99)


def test_the_least_p_value_that_the_examples_allow() -> None:
    rows = np.array([1.0, 0.0, 1.0, 0.0, 0.0])[:, None]
    (test,) = permutation_test(rows, np.zeros((5, 1)))
    assert (test.smallest, test.p_value) == (0.5, 0.5)
    assert permutation_test(rows, rows)[0].smallest == 1.0

    def never(sums: Floats, n: Floats) -> Floats:
        return np.zeros((*sums.shape[:-1], 1))

    many = np.random.default_rng(1).random((40, 1))
    assert permutation_test(many[:6], np.zeros((6, 1)), never)[0].smallest == 1.0
    assert permutation_test(many, np.zeros((40, 1)), never)[0].smallest == 1.0
    assert permutation_test(many, np.zeros((40, 1)), scaled)[0].smallest == 2.0**-39


# Three standard errors of a share: at 5 % of 100 rounds 6.5 %, of 1,000 0.7 % each; at the power 14 % and 1.5 % each.
@pytest.mark.parametrize(
    ("repeats", "off", "off_power"), [(100, 0.065, 0.14), pytest.param(1_000, 0.021, 0.046, marks=pytest.mark.deep)]
)
def test_false_positives_come_at_the_promised_rate_and_a_known_effect_is_found(
    repeats: int, off: float, off_power: float
) -> None:
    random = np.random.default_rng(6)
    examples, noise, effect = 100, 0.3, 0.1
    false, found = 0, 0
    for seed in range(repeats):
        shared = random.random((examples, 1))
        system, baseline = (shared + random.normal(0, noise, (examples, 1)) for _ in range(2))
        false += permutation_test(system, baseline, permutations=499, seed=seed)[0].p_value <= 0.05
        found += permutation_test(system + effect, baseline, permutations=499, seed=seed)[0].p_value <= 0.05
    assert abs(false / repeats - 0.05) < off
    # The paired z-test with d_z = 0.1 / (0.3 * sqrt 2) on 100 pairs has power 0.654.
    assert abs(found / repeats - 0.654) < off_power


def test_an_undefined_difference_has_no_p_value() -> None:
    (test,) = permutation_test(np.zeros((3, 2)), np.ones((3, 2)), ratio)
    assert math.isnan(test.p_value)


def test_rows_must_be_paired() -> None:
    with pytest.raises(MismatchError, match="same examples, in the same order"):
        permutation_test(np.ones((3, 1)), np.ones((2, 1)))


@pytest.mark.parametrize("seed", range(4))
def test_held_columns_are_not_swapped(seed: int) -> None:
    """A number of the whole system stands in every row: swapping an example's answers does not move it."""
    random = np.random.default_rng(seed)
    answers = random.integers(0, 3, size=(2, 8, 1)).astype(float)
    of_the_whole = np.array([0.7, 0.2])
    system, baseline = (np.hstack([answers[at], np.full((8, 1), of_the_whole[at])]) for at in range(2))

    def both(sums: Floats, n: Floats) -> Floats:
        return np.concatenate([sums / n, sums.sum(axis=-1, keepdims=True) / n], axis=-1)

    def difference(swaps: tuple[bool, ...]) -> Floats:
        chosen = np.array(swaps)[:, None]
        first, second = np.where(chosen, answers[1], answers[0]), np.where(chosen, answers[0], answers[1])
        own = float(first.mean() - second.mean())
        apart = float(of_the_whole[0] - of_the_whole[1])
        return np.abs([own, apart, own + apart])

    every = [difference(swaps) for swaps in product([False, True], repeat=8)]
    expected = np.mean([found >= every[0] - 1e-12 for found in every], axis=0)
    tests = permutation_test(system, baseline, both, held=[1])
    assert [test.p_value for test in tests] == pytest.approx(expected)
    assert tests[1].p_value == 1.0
    assert [test.p_value for test in permutation_test(system, baseline, held=[1])] == pytest.approx(expected[:2])
