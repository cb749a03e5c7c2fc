"""The Frechet distance against closed forms, against the textbook formula, and in its singular cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fullmarks.errors import InputError, UsageError
from fullmarks.stats.frechet import frechet_distance
from fullmarks.stats.gaussian import GaussianStatistics


def drawn(rows: int, dimension: int, seed: int, scale: float = 1.0) -> np.ndarray:
    generator = np.random.default_rng(seed)
    mixing = generator.normal(size=(dimension, dimension)) * np.logspace(0, -2, dimension)
    return generator.normal(size=(rows, dimension)) @ mixing * scale + generator.normal(size=dimension) * 0.1


def gaussian(features: np.ndarray) -> GaussianStatistics:
    return GaussianStatistics.from_features([features])


def dense(features: np.ndarray) -> GaussianStatistics:
    """The same statistics as a file of mu and sigma gives them: without the rows."""
    return GaussianStatistics(None, features.mean(axis=0), np.cov(features, rowvar=False))


def by_symmetric_roots(a: np.ndarray, b: np.ndarray) -> float:
    """The formula with real symmetric roots, tr((A^1/2 B A^1/2)^1/2), by two eigendecompositions."""
    first, second = np.cov(a, rowvar=False), np.cov(b, rowvar=False)
    values, vectors = np.linalg.eigh(first)
    root = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    inner = np.linalg.eigvalsh(root @ second @ root)
    apart = a.mean(axis=0) - b.mean(axis=0)
    return float(apart @ apart + np.trace(first) + np.trace(second) - 2 * np.sqrt(np.maximum(inner, 0)).sum())


@pytest.mark.parametrize("seed", range(3))
def test_commuting_covariances_have_a_closed_form(seed: int) -> None:
    generator = np.random.default_rng(seed)
    basis = np.linalg.qr(generator.normal(size=(60, 60)))[0]
    first, second = generator.uniform(0.01, 4, size=(2, 60))
    means = generator.normal(size=(2, 60))
    a = GaussianStatistics(None, means[0], (basis * first) @ basis.T)
    b = GaussianStatistics(None, means[1], (basis * second) @ basis.T)
    exact = ((means[0] - means[1]) ** 2).sum() + ((np.sqrt(first) - np.sqrt(second)) ** 2).sum()
    assert frechet_distance(a, b) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(("rows_a", "rows_b"), [(500, 400), (65, 70), (500, 30), (30, 500), (30, 20), (2, 2)])
def test_equals_the_formula(rows_a: int, rows_b: int) -> None:
    a, b = drawn(rows_a, 64, seed=1), drawn(rows_b, 64, seed=2, scale=1.3)
    expected = by_symmetric_roots(a, b)
    assert frechet_distance(gaussian(a), gaussian(b)) == pytest.approx(expected, rel=1e-6)
    assert frechet_distance(gaussian(b), gaussian(a)) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("rows_a", "rows_b"), [(500, 400), (200, 30)])
def test_equals_scipy_sqrtm(rows_a: int, rows_b: int) -> None:
    linalg = pytest.importorskip("scipy.linalg", reason="needs scipy: make install")
    a, b = drawn(rows_a, 16, seed=3), drawn(rows_b, 16, seed=4)
    first, second = np.cov(a, rowvar=False), np.cov(b, rowvar=False)
    apart = a.mean(axis=0) - b.mean(axis=0)
    textbook = apart @ apart + np.trace(first + second - 2 * linalg.sqrtm(first @ second).real)
    assert frechet_distance(gaussian(a), gaussian(b)) == pytest.approx(textbook, rel=1e-9)


@pytest.mark.parametrize("rows_b", [20, 300])
def test_rows_and_singular_covariance_agree(rows_b: int) -> None:
    a, b = drawn(30, 64, seed=5), drawn(rows_b, 64, seed=6)
    expected = frechet_distance(gaussian(a), gaussian(b))
    assert frechet_distance(dense(a), gaussian(b)) == pytest.approx(expected, rel=1e-7)
    assert frechet_distance(gaussian(b), dense(a)) == pytest.approx(expected, rel=1e-7)
    assert frechet_distance(dense(a), dense(b)) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("decay", [-2, -3, -4])
def test_badly_conditioned_covariances_keep_their_digits(decay: float) -> None:
    """Eigenvalues down to 1e-16 of the largest: the quick way must still equal the singular values."""
    generator = np.random.default_rng(7)
    basis = np.linalg.qr(generator.normal(size=(128, 128)))[0] * np.logspace(0, decay, 128)[:, None]
    a = generator.normal(size=(1000, 128)) @ basis
    b = generator.normal(size=(1000, 128)) @ basis * 1.001
    roots = [np.linalg.cholesky(np.cov(side, rowvar=False)).T for side in (a, b)]
    apart = a.mean(axis=0) - b.mean(axis=0)
    traces = float((roots[0] ** 2).sum() + (roots[1] ** 2).sum())
    exact = float(apart @ apart) + traces - 2 * float(np.linalg.svd(roots[0] @ roots[1].T, compute_uv=False).sum())
    assert frechet_distance(gaussian(a), gaussian(b)) == pytest.approx(exact, rel=1e-8)


def test_zero_for_itself_and_for_equal_statistics() -> None:
    features = drawn(100, 20, seed=8)
    assert frechet_distance(gaussian(features), gaussian(features)) == 0.0
    assert frechet_distance(gaussian(features[:10]), gaussian(features[:10].copy())) == 0.0


def test_only_the_means_differ() -> None:
    features = drawn(100, 20, seed=9)
    distance = frechet_distance(gaussian(features), gaussian(features + 0.5))
    assert distance == pytest.approx(20 * 0.25, rel=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 12), st.integers(2, 12), st.integers(1, 8), st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_never_negative_and_symmetric(rows_a: int, rows_b: int, dimension: int, seed: int, mix: float) -> None:
    generator = np.random.default_rng(seed)
    a = generator.normal(size=(rows_a, dimension))
    b = generator.normal(size=(rows_b, dimension)) * mix
    forth, back = (frechet_distance(*pair) for pair in ((gaussian(a), gaussian(b)), (gaussian(b), gaussian(a))))
    assert forth >= 0.0
    # Different operand orders round differently; 1e-7 bounds the square root of float64's rounding.
    assert forth == pytest.approx(back, rel=1e-7, abs=1e-7)


def test_constant_features() -> None:
    a, b = np.zeros((5, 3)), np.full((5, 3), 2.0)
    assert frechet_distance(gaussian(a), gaussian(b)) == 12.0


def test_refusals() -> None:
    with pytest.raises(UsageError, match="3 and 4 dimensions"):
        frechet_distance(gaussian(drawn(9, 3, seed=0)), gaussian(drawn(9, 4, seed=0)))
    indefinite = GaussianStatistics(None, np.zeros(2), np.diag([1.0, -0.5]))
    with pytest.raises(InputError, match=r"eigenvalue -0\.5"):
        frechet_distance(indefinite, gaussian(drawn(9, 2, seed=0)))
