"""The mean and covariance of feature vectors: what a Frechet distance is computed from.

Invariant: features enter in blocks of `BLOCK_ROWS` rows and blocks are merged from left to right, so the
statistics do not depend on how the rows were cut up on their way here. While there are no more rows than
dimensions the centred rows themselves are kept instead of the d x d scatter matrix: they are smaller, and an
exact square root of it.
"""

from __future__ import annotations

import math
import os
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fullmarks.atomic_file import written_whole
from fullmarks.checks import check_local
from fullmarks.errors import InputError, UsageError

Matrix = NDArray[np.float64]

BLOCK_ROWS = 1024
"""Rows per block; part of the definition, because another size gives other last digits."""

ENOUGH_ROWS_PER_DIMENSION = 5
"""Below this many rows per dimension the estimated covariance biases the distance clearly upwards."""


@dataclass(frozen=True, eq=False)
class GaussianStatistics:
    """Mean and sample covariance (divisor n - 1) of `n` feature vectors; `n` is None when unknown.

    Exactly one of `centred` (n x d rows minus their mean) and `scatter` (the d x d sum of their outer
    products, or the covariance itself when `n` is None) is held.
    """

    n: int | None
    mean: Matrix
    scatter: Matrix | None = None
    centred: Matrix | None = None

    @classmethod
    def from_features(cls, chunks: Iterable[NDArray[Any]], *, where: str = "features") -> GaussianStatistics:
        """The statistics of the rows of all chunks, in order; an InputError for no rows, NaN or infinity."""
        total: GaussianStatistics | None = None
        for block in _blocks(chunks, where):
            mean = block.mean(axis=0)
            part = _keep(len(block), mean, block - mean)
            total = part if total is None else total.merge(part)
        if total is None:
            raise InputError(where, "no feature vectors were given", "Give at least 2.")
        return total

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> GaussianStatistics:
        """The statistics of an `.npz` file with `mu` and `sigma` (and `n`, when fullmarks wrote it)."""
        where = os.fspath(path)
        check_local("a file of statistics", path)
        try:
            # Opened here: np.load leaves its own file open when the archive is broken.
            with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in ("mu", "sigma", "n") if name in archive.files}
        except (OSError, ValueError, EOFError, TypeError, AttributeError, zipfile.BadZipFile) as error:
            raise InputError(
                where, f"cannot be read as .npz ({error})", "Expected an archive with mu and sigma"
            ) from error
        mean, covariance = _checked(arrays, where)
        if "n" not in arrays:
            return cls(None, mean, covariance)
        n = _checked_count(arrays["n"], where)
        return cls(n, mean, covariance * (n - 1))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `mu`, `sigma` and (when known) `n` to an `.npz` file that pytorch-fid reads too."""
        arrays: dict[str, NDArray[Any]] = {"mu": self.mean, "sigma": self.covariance}
        if self.n is not None:
            arrays["n"] = np.array(self.n)
        with written_whole(path) as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]

    @property
    def dimension(self) -> int:
        """The length of a feature vector."""
        return len(self.mean)

    @cached_property
    def covariance(self) -> Matrix:
        """The d x d sample covariance, computed once; an InputError when there is a single row."""
        divisor = self._divisor()
        if self.centred is not None:
            return np.asarray(self.centred.T @ self.centred / divisor)
        return np.asarray(self.scatter) / divisor

    @property
    def centred_root(self) -> Matrix | None:
        """Centred rows F with F'F = covariance when they are held, else None."""
        return None if self.centred is None else self.centred / np.sqrt(self._divisor())

    def merge(self, other: GaussianStatistics) -> GaussianStatistics:
        """The statistics of the rows of both; fixed blocks merged from left to right give the same digits."""
        if self.n is None or other.n is None:
            raise UsageError("statistics read from a file without n cannot be merged: the weights are unknown")
        if self.dimension != other.dimension:
            raise UsageError(f"cannot merge statistics of {self.dimension} and {other.dimension} dimensions")
        n = self.n + other.n
        shift = other.mean - self.mean
        mean = self.mean + shift * (other.n / n)
        if self.centred is not None and other.centred is not None and n <= self.dimension:
            rows = (self.centred + (self.mean - mean), other.centred + (other.mean - mean))
            return GaussianStatistics(n, mean, centred=np.concatenate(rows))
        between = np.outer(shift, shift * (self.n * other.n / n))
        return GaussianStatistics(n, mean, self._scatter() + other._scatter() + between)

    def warning(self) -> str | None:
        """A sentence with the numbers when there are few rows for so many dimensions, else None."""
        if self.n is None or self.n >= ENOUGH_ROWS_PER_DIMENSION * self.dimension:
            return None
        rank = " and the covariance is singular" if self.n <= self.dimension else ""
        return (
            f"{self.n} feature vectors for {self.dimension} dimensions: the distance is biased upwards{rank};"
            " compare it only with distances from equally many vectors, of which alone its interval speaks "
            f"(at least {ENOUGH_ROWS_PER_DIMENSION * self.dimension} advised)"
        )

    def _divisor(self) -> int:
        if self.n is None:
            return 1
        if self.n < 2:
            raise InputError("features", "1 feature vector has no covariance", "Give at least 2.")
        return self.n - 1

    def _scatter(self) -> Matrix:
        if self.centred is not None:
            return np.asarray(self.centred.T @ self.centred)
        return np.asarray(self.scatter)


def _keep(n: int, mean: Matrix, centred: Matrix) -> GaussianStatistics:
    if n <= len(mean):
        return GaussianStatistics(n, mean, centred=centred)
    return GaussianStatistics(n, mean, centred.T @ centred)


def _blocks(chunks: Iterable[NDArray[Any]], where: str) -> Iterator[Matrix]:
    """The same rows in float64 blocks of BLOCK_ROWS (the last one shorter), each checked to be finite."""
    waiting: list[Matrix] = []
    rows = seen = 0
    for chunk in chunks:
        features = np.asarray(chunk, dtype=np.float64)
        _check_features(features, seen, waiting, where)
        seen += len(features)
        while len(features):
            taken = features[: BLOCK_ROWS - rows]
            features = features[len(taken) :]
            waiting.append(taken)
            rows += len(taken)
            if rows == BLOCK_ROWS:
                yield np.concatenate(waiting)
                waiting, rows = [], 0
    if waiting:
        yield np.concatenate(waiting)


def _check_features(features: Matrix, seen: int, waiting: list[Matrix], where: str) -> None:
    if features.ndim != 2 or features.shape[1] == 0:
        found = f"features have shape {features.shape}; expected (rows, dimensions)"
        raise InputError(where, found, "Give one row of features per image.")
    if waiting and waiting[0].shape[1] != features.shape[1]:
        raise InputError(
            where,
            f"row {seen} has {features.shape[1]} dimensions, the rows before it {waiting[0].shape[1]}",
            "Take all features from one network.",
        )
    bad = np.argwhere(~np.isfinite(features))
    if len(bad):
        row, column = (int(index) for index in bad[0])
        raise InputError(
            where,
            f"row {seen + row}, feature {column} is {features[row, column]}; every feature must be finite",
            "Check that image and the network that gave the features",
        )


_ANEW = "Compute the statistics anew."


def _checked_count(n: NDArray[Any], where: str) -> int:
    if n.size != 1 or n.dtype.kind not in "iuf" or not 2 <= n.item() < math.inf:
        raise InputError(where, f"n is {n.tolist()!r}; expected the number of vectors, at least 2", _ANEW)
    return int(n.item())


def _checked(arrays: dict[str, NDArray[Any]], where: str) -> tuple[Matrix, Matrix]:
    missing = [name for name in ("mu", "sigma") if name not in arrays]
    if missing:
        raise InputError(where, f"has no array {' and '.join(missing)}; expected mu (d) and sigma (d x d)", _ANEW)
    try:
        mean, covariance = arrays["mu"].astype(np.float64), arrays["sigma"].astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(where, f"mu or sigma is not numeric ({error})", _ANEW) from error
    if mean.ndim != 1 or covariance.shape != (len(mean), len(mean)) or len(mean) == 0:
        found = f"mu has shape {mean.shape}, sigma {covariance.shape}; expected (d,) and (d, d)"
        raise InputError(where, found, _ANEW)
    if not (np.isfinite(mean).all() and np.isfinite(covariance).all()):
        raise InputError(where, "mu or sigma holds NaN or infinity; every number must be finite", _ANEW)
    if np.abs(covariance - covariance.T).max() > 1e-6 * max(np.abs(covariance).max(), 1e-300):
        raise InputError(where, "sigma is not symmetric, so it is no covariance", _ANEW)
    return mean, covariance
