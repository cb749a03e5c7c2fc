"""Influences on the Frechet distance: against finite differences, direct resampling, and simulated data."""

from __future__ import annotations

import numpy as np
import pytest

from fullmarks.stats.bootstrap import score_intervals
from fullmarks.stats.frechet import frechet_distance
from fullmarks.stats.frechet_influence import FeatureSet, frechet_influences
from fullmarks.stats.gaussian import GaussianStatistics


def feature_set(features: np.ndarray) -> FeatureSet:
    return FeatureSet(GaussianStatistics.from_features([features]), features)


def ready(features: np.ndarray) -> FeatureSet:
    """The statistics as a file of mu and sigma gives them: without features."""
    return FeatureSet(GaussianStatistics(None, features.mean(axis=0), np.cov(features, rowvar=False)))


def distance(a: np.ndarray, b: np.ndarray) -> float:
    return frechet_distance(feature_set(a).statistics, feature_set(b).statistics)


def weighted_distance(a: np.ndarray, b: np.ndarray, weights_a: np.ndarray, weights_b: np.ndarray) -> float:
    """The distance of two sets in which an image counts as often as its weight says, stated plainly."""

    def moments(rows: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        mean = weights @ rows / weights.sum()
        rest = (rows - mean) * np.sqrt(weights)[:, None]
        return mean, rest / np.sqrt(weights.sum() - 1)

    (mean_a, root_a), (mean_b, root_b) = moments(a, weights_a), moments(b, weights_b)
    shared = np.linalg.svd(root_a @ root_b.T, compute_uv=False).sum()
    return float(((mean_a - mean_b) ** 2).sum() + (root_a**2).sum() + (root_b**2).sum() - 2 * shared)


def drawn(rows: int, dimension: int, seed: int, scale: float = 1.0) -> np.ndarray:
    generator = np.random.default_rng(seed)
    spread = scale / np.sqrt(np.arange(1, dimension + 1))
    return generator.normal(size=(rows, dimension)) * spread + 0.2 * generator.normal(size=dimension)


@pytest.mark.parametrize(
    ("rows_a", "rows_b", "dimension"), [(40, 60, 5), (12, 9, 20), (30, 12, 20), (12, 30, 20), (21, 20, 20), (3, 3, 2)]
)
def test_equals_the_derivative_by_an_image_s_weight(rows_a: int, rows_b: int, dimension: int) -> None:
    a, b = drawn(rows_a, dimension, seed=1), drawn(rows_b, dimension, seed=2, scale=1.5)
    found = frechet_influences(feature_set(a), feature_set(b))
    assert found.a is not None
    assert found.b is not None

    def derivative(side: int, image: int) -> float:
        """By moving weight from all other images of the set to this one."""
        step = 1e-5
        weights = [np.ones(rows_a), np.ones(rows_b)]
        n = len(weights[side])
        towards = np.full(n, -1 / n)
        towards[image] += 1
        ends = []
        for sign in (1, -1):
            moved = list(weights)
            moved[side] = weights[side] + sign * step * towards
            ends.append(weighted_distance(a, b, *moved))
        return n * (ends[0] - ends[1]) / (2 * step)

    # A central difference with this step is good to about 1e-16 / 1e-5 times the size of the numbers, times n.
    assert found.a == pytest.approx([derivative(0, image) for image in range(rows_a)], abs=1e-6)
    assert found.b == pytest.approx([derivative(1, image) for image in range(rows_b)], abs=1e-6)


@pytest.mark.parametrize("rows", [60, 12])
def test_a_side_with_ready_statistics_is_held(rows: int) -> None:
    a, b = drawn(rows, 20, seed=3), drawn(80, 20, seed=4)
    both = frechet_influences(feature_set(a), feature_set(b))
    ours = frechet_influences(feature_set(a), ready(b))
    theirs = frechet_influences(ready(a), feature_set(b))
    assert ours.b is None
    assert theirs.a is None
    # A covariance and the rows it was made of have other roots: these agree to a few roundings of either.
    assert ours.a == pytest.approx(both.a, abs=1e-6)
    assert theirs.b == pytest.approx(both.b, abs=1e-6)
    assert frechet_influences(ready(a), ready(b)) == (None, None)


def test_more_rows_than_a_block_and_single_precision() -> None:
    a, b = drawn(3000, 4, seed=5), drawn(2500, 4, seed=6)
    whole = frechet_influences(feature_set(a), feature_set(b))
    single = frechet_influences(FeatureSet(feature_set(a).statistics, a.astype(np.float32)), feature_set(b))
    assert single.a == pytest.approx(whole.a, abs=1e-4)  # float32 features of size 3 are good to 2e-7
    assert whole.a is not None
    assert abs(whole.a.mean()) < 1e-12


def test_equal_sets_are_moved_by_nothing() -> None:
    features = drawn(30, 8, seed=7)
    found = frechet_influences(feature_set(features), feature_set(features.copy()))
    assert found.a is not None
    assert not found.a.any()
    assert found.b is not None
    assert not found.b.any()
    constant = np.ones((5, 3))
    lone = frechet_influences(feature_set(constant), feature_set(drawn(6, 3, seed=8)))
    assert lone.a is not None
    assert lone.a == pytest.approx(np.zeros(5), abs=1e-12)


# The deviation of n normal draws has a relative standard error of 1 / sqrt(2 n): four of them.
@pytest.mark.parametrize(("draws", "off"), [(250, 0.18), pytest.param(1000, 0.09, marks=pytest.mark.deep)])
def test_with_many_images_the_spread_is_that_of_direct_resampling(draws: int, off: float) -> None:
    random = np.random.default_rng(9)
    gold = drawn(2000, 3, seed=10)
    predicted = gold * 1.2 + 0.5 * random.normal(size=gold.shape)
    found = frechet_influences(feature_set(predicted), feature_set(gold))
    assert found.a is not None
    assert found.b is not None
    (interval,) = score_intervals((found.a + found.b)[:, None], resamples=4000)
    direct = []
    for _ in range(draws):
        places = random.integers(0, len(gold), len(gold))
        direct.append(distance(predicted[places], gold[places]))
    assert interval.standard_error == pytest.approx(np.std(direct), rel=off)


def simulated(random: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """A prediction and a gold image for each of n questions, alike but not the same, and not normal."""
    gold = random.exponential(size=(n, 4))
    return gold * 0.6 + random.normal(loc=0.3, size=(n, 4)), gold


@pytest.mark.parametrize(
    ("trials", "least", "most"),
    [
        (150, 0.897, 1.0),  # three standard errors of 95 % are 5.3 %
        pytest.param(1000, 0.93, 0.97, marks=pytest.mark.deep),
    ],
)
def test_95_percent_intervals_cover_the_expected_distance(trials: int, least: float, most: float) -> None:
    random = np.random.default_rng(11)
    expected = np.mean([distance(*simulated(random, 300)) for _ in range(4 * trials)])
    covered = 0
    for trial in range(trials):
        predicted, gold = simulated(random, 300)
        found = frechet_influences(feature_set(predicted), feature_set(gold))
        assert found.a is not None
        assert found.b is not None
        rows = distance(predicted, gold) + (found.a + found.b)[:, None]
        (interval,) = score_intervals(rows, resamples=1000, seed=trial)
        covered += interval.low <= expected <= interval.high
    assert least <= covered / trials <= most


@pytest.mark.parametrize(("sets", "rounds"), [(150, 8), pytest.param(300, 20, marks=pytest.mark.deep)])
def test_with_few_images_direct_resampling_misleads_more_than_influences(sets: int, rounds: int) -> None:
    """Why distances of resamples are no interval: a set with repeated images is further from everything."""
    random = np.random.default_rng(12)

    def fresh() -> tuple[np.ndarray, np.ndarray]:
        spread = 1 / np.arange(1, 61) ** 0.35
        gold = random.normal(size=(40, 60)) * spread
        return 0.5 * gold + random.normal(size=(40, 60)) * spread, gold

    truth = np.std([distance(*fresh()) for _ in range(sets)])
    by_influence, direct, lowest = [], [], []
    for _ in range(rounds):
        predicted, gold = fresh()
        found = frechet_influences(feature_set(predicted), feature_set(gold))
        assert found.a is not None
        assert found.b is not None
        by_influence.append(np.std(found.a + found.b) / np.sqrt(40))
        draws = random.integers(0, 40, (60, 40))
        again = [distance(predicted[drawn], gold[drawn]) for drawn in draws]
        direct.append(np.std(again))
        lowest.append(min(again) - distance(predicted, gold))
    assert min(lowest) > 0
    assert np.mean(direct) > 1.7 * truth
    # Influences err on the wide side, too, and less.
    assert truth < np.mean(by_influence) < 1.4 * truth
