"""Intervals of means of scores from 0 to 1: Wilson against SciPy, Tango against its definition, both against chance."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

from fullmarks.stats.bootstrap import score_intervals
from fullmarks.stats.comparison import compare_systems
from fullmarks.stats.rows import Floats
from fullmarks.stats.score_intervals import Spread, tango, tango_interval, wilson_interval


def zeros_and_ones(ones: int, n: int) -> Floats:
    return np.array([[1.0]] * ones + [[0.0]] * (n - ones))


@pytest.mark.parametrize("n", [1, 2, 5, 20, 30, 200])
def test_wilson_is_scipys(n: int) -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs scipy: make install")
    for ones in range(0, n + 1, max(1, n // 7)):
        for level in (0.9, 0.95, 0.99):
            found = wilson_interval(zeros_and_ones(ones, n), level)
            wanted = stats.binomtest(ones, n).proportion_ci(level, method="wilson")
            assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), abs=1e-12)


def test_all_right_is_not_certain() -> None:
    (interval,) = score_intervals(np.ones((20, 1)))
    assert (round(interval.low, 4), interval.high, interval.method) == (0.8389, 1.0, "wilson")
    (test,) = compare_systems(np.ones((20, 1)), np.ones((20, 1)))
    # Without any difference the ends are those of z^2 / (n + z^2).
    square = NormalDist().inv_cdf(0.975) ** 2
    assert (-test.interval.low, test.interval.high) == pytest.approx([square / (20 + square)] * 2, abs=1e-12)
    assert (test.interval.method, test.p_bootstrap) == ("tango", None)


def test_tango_as_published() -> None:
    """Of 50 pairs, 12 that only the first has and 2 that only the second has. Source: Tango (1998)."""
    low, high = tango(12 / 50, 2 / 50, Spread(50, math.nan, is_plain=True), 0.95)
    assert (round(low, 4), round(high, 4)) == (0.0611, 0.3447)


@pytest.mark.parametrize(("gains", "losses", "n"), [(5, 0, 12), (0, 3, 20), (7, 4, 30), (1, 1, 9), (40, 22, 200)])
def test_the_ends_of_tango_are_where_the_score_test_stops_to_reject(gains: int, losses: int, n: int) -> None:
    """The likelihood under each supposed difference maximised by SciPy instead of by formula."""
    optimize = pytest.importorskip("scipy.optimize", reason="needs scipy: make install")
    stats = pytest.importorskip("scipy.stats", reason="needs scipy: make install")

    def statistic(supposed: float) -> float:
        def minus_likelihood(lost: float) -> float:
            won, tied = lost + supposed, 1 - 2 * lost - supposed
            parts = ((gains, won), (losses, lost), (n - gains - losses, tied))
            return -sum(count * math.log(max(chance, 1e-300)) for count, chance in parts if count)

        bounds = (max(0.0, -supposed), (1 - supposed) / 2)
        lost = optimize.minimize_scalar(minus_likelihood, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x
        variance = n * (2 * lost + supposed * (1 - supposed))
        return float((gains - losses - n * supposed) ** 2 / variance)

    low, high = tango(gains / n, losses / n, Spread(n, math.nan, is_plain=True), 0.95)
    for end in (low, high):
        assert statistic(end) == pytest.approx(stats.norm.ppf(0.975) ** 2, rel=1e-4)


def test_clusters_of_equal_examples_count_once() -> None:
    """Ten examples of each of 12 articles that always agree are worth 12 examples, with Student's quantile."""
    right = [1.0] * 9 + [0.0] * 3
    rows = np.repeat(np.array(right), 10)[:, None]
    found = wilson_interval(rows, 0.95, [number // 10 for number in range(120)])
    alone = wilson_interval(np.array(right)[:, None], 0.95)
    assert found.units == 12
    assert found.low < alone.low < alone.high < found.high
    assert "only 12 clusters" in found.note


def test_one_cluster_says_nothing() -> None:
    rows = np.array([[1.0], [0.0], [1.0]])
    whole = wilson_interval(rows, 0.95, ["a"] * 3)
    assert (whole.low, whole.high) == (0.0, 1.0)
    both = tango_interval(rows, 1 - rows, 0.95, ["a"] * 3)
    assert (both.low, both.high) == (-1.0, 1.0)


def covered(draws: Floats, truth: float, clusters: list[int] | None = None) -> float:
    found = [wilson_interval(row[:, None], 0.95, clusters) for row in draws]
    return sum(interval.low - 1e-12 <= truth <= interval.high + 1e-12 for interval in found) / len(found)


@pytest.mark.parametrize("n", [20, 30, 200])
@pytest.mark.parametrize("truth", [0.5, 0.9, 0.97, 1.0])
def test_coverage_of_shares_by_every_count(truth: float, n: int) -> None:
    """With few counts a discrete score test covers more than its level; never less than 93 %."""
    found = [wilson_interval(zeros_and_ones(ones, n), 0.95) for ones in range(n + 1)]
    chances = [math.comb(n, ones) * truth**ones * (1 - truth) ** (n - ones) for ones in range(n + 1)]
    holding = [interval.low - 1e-12 <= truth <= interval.high + 1e-12 for interval in found]
    assert sum(chance for chance, holds in zip(chances, holding, strict=True) if holds) >= 0.93


@pytest.mark.deep
@pytest.mark.parametrize("n", [20, 30, 200])
@pytest.mark.parametrize("truth", [0.5, 0.9, 0.97, 1.0])
def test_coverage_of_shares(truth: float, n: int) -> None:
    """The same by drawing."""
    draws = (np.random.default_rng(7).random((2000, n)) < truth).astype(np.float64)
    assert covered(draws, truth) >= 0.93


# Of 250 draws three standard errors of 95 % are 4.1 %, beside what many draws allow.
@pytest.mark.parametrize(
    ("count", "least", "most"), [(250, 0.884, 1.0), pytest.param(2000, 0.925, 0.975, marks=pytest.mark.deep)]
)
@pytest.mark.parametrize("n", [20, 30, 200])
def test_coverage_of_scores_like_f1(n: int, count: int, least: float, most: float) -> None:
    random = np.random.default_rng(8)
    kind, between = random.random((count, n)), random.random((count, n))
    draws = np.where(kind < 0.85, 1.0, np.where(kind < 0.92, 0.0, between))
    assert least <= covered(draws, 0.85 + 0.08 / 2) <= most


# Of 200 draws three standard errors of 95 % are 4.6 %, beside what many draws allow.
@pytest.mark.parametrize(("count", "least"), [(200, 0.884), pytest.param(1000, 0.93, marks=pytest.mark.deep)])
@pytest.mark.parametrize("clusters", [3, 10, 30])
def test_coverage_over_clusters(clusters: int, count: int, least: float) -> None:
    random = np.random.default_rng(9)
    common = 0.7 * random.normal(size=(count, clusters, 1))
    draws = (common + random.normal(size=(count, clusters, 10)) > -1).astype(np.float64).reshape(count, -1)
    truth = NormalDist().cdf(1 / math.sqrt(1 + 0.49))
    labels = [number // 10 for number in range(clusters * 10)]
    assert covered(draws, truth, labels) >= least


@pytest.mark.parametrize("rounds", [100, pytest.param(400, marks=pytest.mark.deep)])
@pytest.mark.parametrize("clusters", [None, 3, 10, 30])
def test_equal_systems_rarely_seem_to_differ(clusters: int | None, rounds: int) -> None:
    random = np.random.default_rng(10)
    count = clusters or 300
    size = 1 if clusters is None else 8
    labels = None if clusters is None else [number // size for number in range(count * size)]
    common = random.normal(size=(2, rounds, count, 1))
    scores = 0.7 * common + random.normal(size=(2, rounds, count, size))
    rows = (scores > -1).astype(np.float64).reshape(2, rounds, -1, 1)
    excluded = 0
    for system, baseline in zip(*rows, strict=True):
        interval = tango_interval(system, baseline, 0.95, labels)
        excluded += not interval.low <= 0 <= interval.high
    assert excluded / rounds <= 0.06 + 2 * math.sqrt(0.05 * 0.95 / rounds)
