"""Several runs of a system: the components of variance, intervals that cover, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from fullmarks.errors import InputError, MismatchError
from fullmarks.stats.parted_error import Part, PartedError
from fullmarks.stats.several_runs import compare_runs, run_spreads
from fullmarks.stats.standard_error import mean_standard_errors


@pytest.fixture
def reference() -> Any:
    return pytest.importorskip("scipy.stats", reason="needs scipy: make install")


# By hand: three runs over four examples, run means 0.5, 0.75, 0.25, example means 1, 2/3, 1/3, 0.
BY_HAND = np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0]])[:, :, None]


def mean_squares(table):
    """Examples, runs and what is left over, of a two-way table of runs by examples, from the sums of squares."""
    runs, n = table.shape
    total = ((table - table.mean()) ** 2).sum()
    of_examples = runs * ((table.mean(axis=0) - table.mean()) ** 2).sum()
    of_runs = n * ((table.mean(axis=1) - table.mean()) ** 2).sum()
    left = total - of_examples - of_runs
    return of_examples / (n - 1), of_runs / (runs - 1), left / ((n - 1) * (runs - 1))


def test_components_by_hand(reference):
    # sums of squares: examples 5/3, runs 1/2, left over 5/6; degrees of freedom 3, 2, 6
    examples, runs, left = (5 / 9, 1 / 4, 5 / 36)
    assert mean_squares(BY_HAND[:, :, 0]) == pytest.approx((examples, runs, left))
    ((spread, interval),) = run_spreads(BY_HAND)
    assert spread.score == 0.5
    assert spread.between_examples == pytest.approx(math.sqrt((examples - left) / 3))
    assert spread.between_runs == pytest.approx(math.sqrt((runs - left) / 4))
    assert spread.residual == pytest.approx(math.sqrt(left))
    assert spread.standard_error == pytest.approx(math.sqrt((examples + runs - left) / 12))
    by_examples, by_runs = reference.t.ppf(0.975, 3) ** 2 * examples / 12, reference.t.ppf(0.975, 2) ** 2 * 1 / 108
    assert interval.high == pytest.approx(min(1.0, 0.5 + math.sqrt(by_examples + by_runs)))


@pytest.mark.parametrize(("runs", "n", "seed"), [(2, 7, 0), (3, 40, 1), (5, 12, 2), (4, 200, 3)])
def test_components_are_those_of_an_analysis_of_variance(runs, n, seed):
    table = made(np.random.default_rng(seed), runs, n, of_runs=0.2)
    examples, between, left = mean_squares(table)
    ((spread, _),) = run_spreads(table[:, :, None])
    assert spread.between_examples == pytest.approx(math.sqrt(max(0.0, (examples - left) / runs)))
    assert spread.between_runs == pytest.approx(math.sqrt(max(0.0, (between - left) / n)))
    assert spread.residual == pytest.approx(math.sqrt(left))
    error = (examples + max(0.0, between - left)) / (n * runs)
    assert spread.standard_error == pytest.approx(math.sqrt(error))


def made(random, runs, n, *, of_runs, shift=0.0, of_examples=None, left=0.3):
    """A table of runs by examples with these standard deviations."""
    shared = random.normal(0, 0.4, n) if of_examples is None else of_examples
    return shift + shared + random.normal(0, of_runs, (runs, 1)) + random.normal(0, left, (runs, n))


def share_covered(runs, n, ratio, trials):
    """How often the interval holds the truth; `ratio` is the error that runs add over that which examples leave."""
    random = np.random.default_rng([runs, n, round(10 * ratio)])
    by_examples = math.sqrt(0.4**2 / n + 0.3**2 / (n * runs))
    tables = np.stack(
        [made(random, runs, n, of_runs=ratio * by_examples * math.sqrt(runs)) for _ in range(trials)], axis=2
    )
    return np.mean([interval.low <= 0 <= interval.high for _, interval in run_spreads(tables)])


@pytest.mark.parametrize(("runs", "ratio"), [(2, 1.0), (5, 0.0), (5, 1.0)])
def test_the_interval_covers(runs, ratio):
    """400 trials: three standard errors of 95 % are 3.3 %."""
    assert 0.917 <= share_covered(runs, 50, ratio, trials=400) <= 0.983


@pytest.mark.deep
@pytest.mark.parametrize("runs", [2, 3, 5])
@pytest.mark.parametrize("n", [50, 300])
@pytest.mark.parametrize("ratio", [0.0, 0.5, 1.0])
def test_the_interval_covers_to_the_percent(runs, n, ratio):
    """4,000 trials: a standard error of 0.3 %."""
    assert 0.93 <= share_covered(runs, n, ratio, trials=4_000) <= 0.97


@pytest.mark.parametrize(
    ("runs", "others", "trials", "least", "most"),
    [
        (3, 3, 150, 0.897, 1.0),  # three standard errors of 95 % are 5.3 %
        pytest.param(3, 3, 1_500, 0.93, 0.98, marks=pytest.mark.deep),
        pytest.param(5, 2, 1_500, 0.93, 0.98, marks=pytest.mark.deep),
    ],
)
def test_the_interval_of_a_difference_covers_and_its_p_value_agrees(runs, others, trials, least, most):
    random = np.random.default_rng([runs, others])
    n = 100
    shared = [random.normal(0, 0.4, n) for _ in range(trials)]
    first = np.stack([made(random, runs, n, of_runs=0.04, of_examples=each, shift=0.1) for each in shared], axis=2)
    second = np.stack([made(random, others, n, of_runs=0.04, of_examples=each) for each in shared], axis=2)
    tests = compare_runs(first, second)
    covered = np.mean([test.interval.low <= 0.1 <= test.interval.high for test in tests])
    assert least <= covered <= most
    outside = [not test.interval.low <= 0 <= test.interval.high for test in tests]
    assert outside == [test.permutation.p_value < 0.05 for test in tests]


def test_one_run_each_is_the_paired_t_test(reference):
    random = np.random.default_rng(5)
    first, second = random.random((1, 30, 1)), random.random((1, 30, 1))
    (test,) = compare_runs(first, second)
    known = reference.ttest_rel(first[0, :, 0], second[0, :, 0])
    assert test.permutation.p_value == pytest.approx(known.pvalue, rel=1e-9)
    assert (test.interval.low, test.interval.high) == pytest.approx(tuple(known.confidence_interval()), rel=1e-9)
    assert test.permutation.method == test.interval.method == "runs"


def test_scores_that_are_no_means_agree_with_the_formula():
    table = made(np.random.default_rng(6), 3, 80, of_runs=0.1)[:, :, None]
    other = made(np.random.default_rng(7), 2, 80, of_runs=0.1)[:, :, None]

    def finish(sums, n):
        return sums / n

    ((known, _),) = run_spreads(table)
    ((found, interval),) = run_spreads(table, finish, resamples=20_000)
    # 20,000 resamples tell a standard deviation to half a percent
    for name in ("between_examples", "between_runs", "residual", "standard_error"):
        assert getattr(found, name) == pytest.approx(getattr(known, name), rel=0.02)
    assert interval.resamples == 20_000
    (by_formula,), (resampled,) = compare_runs(table, other), compare_runs(table, other, finish, resamples=20_000)
    assert resampled.interval.standard_error == pytest.approx(by_formula.interval.standard_error, rel=0.02)
    assert resampled.permutation.p_value == pytest.approx(by_formula.permutation.p_value, rel=0.1)


def test_clusters_widen():
    random = np.random.default_rng(8)
    labels = np.repeat(np.arange(20), 10)
    table = (random.normal(0, 0.5, 20)[labels] + random.normal(0, 0.1, (2, 200)))[:, :, None]
    ((spread, interval),) = run_spreads(table, clusters=labels.tolist())
    mean = table.mean(axis=0)
    assert spread.standard_error >= mean_standard_errors(mean, clusters=labels.tolist())[0]
    assert spread.standard_error > 2 * run_spreads(table)[0][0].standard_error
    assert interval.units == 20


def test_a_single_run_has_no_spread_between_runs():
    ((spread, interval),) = run_spreads(BY_HAND[:1])
    assert (spread.runs, spread.between_runs, spread.residual) == (1, None, None)
    assert spread.standard_error == pytest.approx(mean_standard_errors(BY_HAND[0])[0])
    assert interval.standard_error == spread.standard_error


def test_equal_runs_have_no_difference_and_a_single_unit_no_spread():
    (same,) = compare_runs(BY_HAND, BY_HAND)
    assert (same.difference, same.permutation.p_value) == (0.0, 1.0)
    (alone,) = compare_runs(BY_HAND[:, :1], 1 - BY_HAND[:, :1])
    assert (alone.interval.low, alone.interval.high, alone.permutation.p_value) == (-1.0, 1.0, 1.0)
    ((spread, interval),) = run_spreads(BY_HAND[:, :1])
    assert spread.standard_error is spread.between_runs is interval.standard_error is None
    assert "single unit" in interval.note
    (constant,) = compare_runs(np.ones((2, 9, 1)), np.zeros((2, 9, 1)))
    assert (constant.difference, constant.permutation.p_value) == (1.0, 1.0)


def test_an_undefined_score_stays_undefined():
    (test,) = compare_runs(BY_HAND, BY_HAND, lambda sums, n: np.full_like(sums[..., :1], np.nan), resamples=50)
    assert math.isnan(test.permutation.p_value)
    assert math.isnan(test.interval.low)
    assert "undefined" in test.interval.note


def test_wins_are_counted_on_the_mean_over_runs():
    (test,) = compare_runs(BY_HAND, BY_HAND[:1])
    assert (test.outcomes.wins, test.outcomes.losses, test.outcomes.ties) == (1, 1, 2)


@pytest.mark.parametrize(
    ("rows", "error", "words"),
    [
        ([], InputError, "at least one run"),
        ([[1.0, 2.0]], InputError, r"\(runs, examples, columns\)"),
        ([[[1.0]], [[1.0], [0.0]]], MismatchError, "different shapes"),
        ([[[math.nan]]], InputError, "NaN"),
    ],
)
def test_what_is_refused(rows, error, words):
    with pytest.raises(error, match=words):
        run_spreads(rows)


def test_runs_of_other_examples_are_refused():
    with pytest.raises(MismatchError, match="the same examples"):
        compare_runs(BY_HAND, BY_HAND[:, :3])


def test_a_parted_error_of_one_part_is_students_t(reference):
    error = PartedError((Part(0.04, 7),))
    assert error.half_width(0.9) == pytest.approx(0.2 * reference.t.ppf(0.95, 7))
    assert error.p_value(-0.5) == pytest.approx(2 * reference.t.sf(2.5, 7), rel=1e-9)
    assert error.p_value(1e9) == 2e-12
    assert PartedError((Part(0.0, 7),)).p_value(1.0) == 1.0


def test_the_p_value_is_that_of_the_interval():
    error = PartedError((Part(0.04, 40), Part(0.02, 1)))
    p_value = error.p_value(1.3)
    assert error.half_width(1 - p_value) == pytest.approx(1.3, rel=1e-8)
