"""Mean and covariance of features: equal to NumPy's, the same however the rows are cut, and safe to load."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fullmarks.errors import InputError, UsageError
from fullmarks.stats import gaussian
from fullmarks.stats.gaussian import BLOCK_ROWS, GaussianStatistics


def drawn(rows: int, dimension: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(3.0, 2.0, size=(rows, dimension))


@pytest.mark.parametrize(
    ("rows", "dimension"),
    [(2, 5), (5, 5), (50, 7), (2 * BLOCK_ROWS + 3, 4), (150, 200), pytest.param(1500, 2000, marks=pytest.mark.deep)],
)
def test_equals_numpy(rows: int, dimension: int) -> None:
    features = drawn(rows, dimension)
    statistics = GaussianStatistics.from_features([features])
    np.testing.assert_allclose(statistics.mean, features.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(statistics.covariance, np.cov(features, rowvar=False), rtol=1e-10, atol=1e-12)
    assert statistics.n == rows


@pytest.mark.parametrize(
    ("block", "dimension", "sizes"),
    [
        (64, 3, (1, 20, 64, 300)),
        (64, 250, (1, 20, 64, 300)),
        (BLOCK_ROWS, 3, (1, 300, BLOCK_ROWS, 5000)),
        pytest.param(BLOCK_ROWS, 3000, (97, 300, BLOCK_ROWS, 5000), marks=pytest.mark.deep),
    ],
)
def test_same_digits_however_the_rows_arrive(
    block: int, dimension: int, sizes: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With more dimensions than rows the rows are kept, with fewer their products are."""
    monkeypatch.setattr(gaussian, "BLOCK_ROWS", block)
    features = drawn(2 * block + 100, dimension)
    whole = GaussianStatistics.from_features([features])
    assert (whole.centred is not None) is (dimension > 3)
    for size in sizes:
        parts = [features[start : start + size] for start in range(0, len(features), size)]
        cut = GaussianStatistics.from_features(iter(parts))
        assert np.array_equal(cut.mean, whole.mean)
        assert np.array_equal(cut.covariance, whole.covariance)


def test_merging_blocks_equals_the_whole() -> None:
    features = drawn(3 * BLOCK_ROWS, 6)
    blocks = [features[start : start + BLOCK_ROWS] for start in range(0, len(features), BLOCK_ROWS)]
    first, second, third = (GaussianStatistics.from_features([block]) for block in blocks)
    merged = first.merge(second).merge(third)
    whole = GaussianStatistics.from_features([features])
    assert merged.n == whole.n
    assert np.array_equal(merged.mean, whole.mean)
    assert np.array_equal(merged.covariance, whole.covariance)


def test_rows_are_kept_only_while_there_are_few() -> None:
    few, many = (GaussianStatistics.from_features([drawn(rows, 10)]) for rows in (10, 11))
    assert few.centred is not None
    assert many.centred is None
    merged = few.merge(many)
    np.testing.assert_allclose(
        merged.covariance, np.cov(np.concatenate([drawn(10, 10), drawn(11, 10)]), rowvar=False), rtol=1e-12
    )


def test_file_round_trip_and_pytorch_fid_file(tmp_path: Path) -> None:
    statistics = GaussianStatistics.from_features([drawn(40, 5)])
    path = tmp_path / "stats.npz"
    statistics.save(path)
    again = GaussianStatistics.load(path)
    assert again.n == 40
    np.testing.assert_allclose(again.covariance, statistics.covariance, rtol=1e-15)
    foreign = tmp_path / "foreign.npz"
    np.savez(foreign, mu=statistics.mean, sigma=statistics.covariance)
    loaded = GaussianStatistics.load(foreign)
    assert loaded.n is None
    assert loaded.warning() is None
    assert np.array_equal(loaded.covariance, statistics.covariance)
    with pytest.raises(UsageError, match="without n"):
        loaded.merge(statistics)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"mu": np.zeros(2)}, "no array sigma"),
        ({"mu": np.zeros(2), "sigma": np.eye(3)}, r"expected \(d,\) and \(d, d\)"),
        ({"mu": np.array([0.0, np.nan]), "sigma": np.eye(2)}, "NaN"),
        ({"mu": np.zeros(2), "sigma": np.array([[1.0, 0.5], [0.0, 1.0]])}, "not symmetric"),
        ({"mu": np.zeros(2), "sigma": np.eye(2), "n": np.array(1)}, "n is 1"),
        ({"mu": np.zeros(2), "sigma": np.eye(2), "n": np.array([3, 4])}, r"n is \[3, 4\]"),
        ({"mu": np.zeros(2), "sigma": np.eye(2), "n": np.array(np.nan)}, "n is nan"),
        ({"mu": np.zeros(2), "sigma": np.eye(2), "n": np.array("many")}, "n is 'many'"),
        ({"mu": np.array(["a", "b"]), "sigma": np.eye(2)}, "not numeric"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, arrays: dict[str, np.ndarray], message: str) -> None:
    path = tmp_path / "stats.npz"
    np.savez(path, **arrays)
    with pytest.raises(InputError, match=message):
        GaussianStatistics.load(path)


def test_no_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "stats.npz"
    path.write_bytes(b"PK\x03\x04 not an archive")
    with pytest.raises(InputError, match="cannot be read"):
        GaussianStatistics.load(path)
    np.save(tmp_path / "matrix.npy", np.eye(2))
    with pytest.raises(InputError, match="cannot be read"):
        GaussianStatistics.load(tmp_path / "matrix.npy")
    with pytest.raises(InputError, match="cannot be read"):
        GaussianStatistics.load(tmp_path / "absent.npz")


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_bad_feature_is_named(bad: float) -> None:
    features = drawn(30, 4)
    features[17, 2] = bad
    with pytest.raises(InputError, match="predictions: row 17, feature 2 is"):
        GaussianStatistics.from_features([features[:10], features[10:]], where="predictions")


def test_other_bad_features() -> None:
    with pytest.raises(InputError, match="no feature vectors"):
        GaussianStatistics.from_features([])
    with pytest.raises(InputError, match="shape"):
        GaussianStatistics.from_features([np.zeros(3)])
    with pytest.raises(InputError, match="row 2 has 4 dimensions"):
        GaussianStatistics.from_features([np.zeros((2, 3)), np.zeros((1, 4))])
    with pytest.raises(InputError, match="at least 2"):
        _ = GaussianStatistics.from_features([np.zeros((1, 3))]).covariance


def test_warning_gives_the_numbers() -> None:
    singular = GaussianStatistics.from_features([drawn(8, 10)]).warning()
    assert singular is not None
    assert "8 feature vectors for 10 dimensions" in singular
    assert "singular" in singular
    few = GaussianStatistics.from_features([drawn(49, 10)]).warning()
    assert few is not None
    assert "singular" not in few
    assert GaussianStatistics.from_features([drawn(50, 10)]).warning() is None


@pytest.mark.parametrize(
    ("mean", "covariance"),
    [
        (np.zeros(0), np.zeros((0, 0))),
        (np.zeros((2, 1)), np.eye(2)),
        (np.zeros((2, 2)), np.eye(2)),
        (np.zeros(2), np.eye(3)),
        (np.zeros(2), np.zeros((2, 3))),
        (np.zeros(2), np.zeros(2)),
    ],
)
def test_statistics_of_other_shapes_are_refused(mean: np.ndarray, covariance: np.ndarray, tmp_path: Path) -> None:
    np.savez(tmp_path / "stats.npz", mu=mean, sigma=covariance)
    with pytest.raises(InputError, match=r"mu has shape .*; expected \(d,\) and \(d, d\)"):
        GaussianStatistics.load(tmp_path / "stats.npz")
