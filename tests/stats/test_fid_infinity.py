"""The distance at endless images: against Gaussians whose distance is known."""

from __future__ import annotations

import numpy as np
import pytest

from fullmarks.errors import InputError, UsageError
from fullmarks.stats.fid_infinity import Extrapolated, fid_infinity
from fullmarks.stats.frechet_influence import FeatureSet
from fullmarks.stats.gaussian import GaussianStatistics

DIMENSION = 12
VARIANCES = 1 / np.arange(1, DIMENSION + 1)


def known(shift: float, scale: float) -> float:
    """The distance of what is drawn below: both covariances are diagonal."""
    return float(shift**2 + ((np.sqrt(VARIANCES) - np.sqrt(scale * VARIANCES)) ** 2).sum())


def feature_set(features: np.ndarray) -> FeatureSet:
    return FeatureSet(GaussianStatistics.from_features([features]), features)


def drawn(random: np.random.Generator, n: int, shift: float = 0.0, scale: float = 1.0) -> FeatureSet:
    rows = random.normal(size=(n, DIMENSION)) * np.sqrt(scale * VARIANCES)
    rows[:, 0] += shift
    return feature_set(rows)


def simulated(shift: float, scale: float, rows_per_dimension: float, times: int) -> list[Extrapolated]:
    random = np.random.default_rng(7)
    n = round(rows_per_dimension * DIMENSION)
    return [fid_infinity(drawn(random, n, shift, scale), drawn(random, n), seed=at) for at in range(times)]


# Three standard errors of 95 % of 40 times are 10.3 %; a deviation of 40 draws is known to 11 %: two of these.
@pytest.mark.parametrize(
    ("times", "least", "narrowest", "widest"),
    [(40, 0.80, 0.66, 2.14), pytest.param(150, 0.90, 0.85, 1.75, marks=pytest.mark.deep)],
)
@pytest.mark.parametrize("rows_per_dimension", [2, 10])
@pytest.mark.parametrize(("shift", "scale"), [(0.0, 1.0), (1.0, 1.5), (0.0, 2.0)])
def test_it_is_nearer_and_its_interval_covers(
    shift: float, scale: float, rows_per_dimension: float, times: int, least: float, narrowest: float, widest: float
) -> None:
    truth = known(shift, scale)
    found = simulated(shift, scale, rows_per_dimension, times)
    off = abs(np.mean([each.value for each in found]) - truth)
    plain = abs(np.mean([each.distance for each in found]) - truth)
    assert off < plain / 4
    assert np.mean([each.low <= truth <= each.high for each in found]) >= least
    spread = np.std([each.value for each in found])
    assert narrowest <= np.mean([each.standard_error for each in found]) / spread <= widest


# Three standard errors of 91 % of 60 times are 11 %.
@pytest.mark.parametrize(
    ("times", "least", "most"), [(60, 0.80, 1.0), pytest.param(300, 0.86, 0.97, marks=pytest.mark.deep)]
)
def test_sets_that_are_nearly_alike_are_covered_less_often(times: int, least: float, most: float) -> None:
    """The error that is found goes with the distance: where that comes out small by chance, the interval is short."""
    truth = known(0.5, 1.0)
    found = simulated(0.5, 1.0, 10, times)
    assert least <= np.mean([each.low <= truth <= each.high for each in found]) <= most


def test_too_few_images_are_still_too_high_and_said_to_be() -> None:
    found = simulated(0.0, 1.0, 0.5, times=40)
    assert np.mean([each.low <= 0.0 <= each.high for each in found]) < 0.9
    assert np.mean([each.value for each in found]) < 0.7 * np.mean([each.distance for each in found])
    assert "6 feature vectors for 12 dimensions: too few to extrapolate from" in found[0].note
    assert simulated(1.0, 1.0, 2, times=1)[0].note == ""


@pytest.mark.parametrize(("times", "least"), [(40, 0.80), pytest.param(100, 0.90, marks=pytest.mark.deep)])
def test_ready_statistics_are_held(times: int, least: float) -> None:
    random = np.random.default_rng(3)
    ready = FeatureSet(GaussianStatistics(None, np.zeros(DIMENSION), np.diag(VARIANCES)))
    found = [fid_infinity(drawn(random, 120, 1.0), ready, seed=at) for at in range(times)]
    assert np.mean([each.low <= 1.0 <= each.high for each in found]) >= least
    assert found[0].note == "one side is ready statistics and taken as exact"
    with pytest.raises(InputError, match="both sides are ready statistics"):
        fid_infinity(ready, ready)


def test_a_seed_decides_every_digit() -> None:
    random = np.random.default_rng(4)
    a, b = drawn(random, 60), drawn(random, 70)
    assert fid_infinity(a, b, seed=1) == fid_infinity(a, b, seed=1)
    assert fid_infinity(a, b, seed=1) != fid_infinity(a, b, seed=2)
    same = fid_infinity(a, a)
    assert (same.value, same.low, same.high, same.note) == (0.0, 0.0, 0.0, "both sets are the same")


def test_what_cannot_be_cut() -> None:
    random = np.random.default_rng(5)
    with pytest.raises(InputError, match="5 feature vectors cannot be cut into 3 parts"):
        fid_infinity(drawn(random, 5), drawn(random, 50))
    with pytest.raises(UsageError, match="level"):
        fid_infinity(drawn(random, 9), drawn(random, 9), level=2)
