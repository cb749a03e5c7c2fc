"""How far each feature vector moves the Frechet distance: what its intervals are resampled from.

The influence of a vector is the derivative of the distance by that vector's weight, times the number of vectors. To
first order the distance of any reweighted set is the distance itself plus the weighted mean of the influences, so they
serve as a row's number like those of any other score. Computing the distance of every resample anew is no
alternative: a set that holds some images twice and others not at all is of lower rank and further from everything, so
such distances lie above the one in question, and spread wider than those of fresh sets of images do.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fullmarks.stats.frechet import are_identical, square_root
from fullmarks.stats.gaussian import BLOCK_ROWS, GaussianStatistics, Matrix

Features = NDArray[Any]
"""One row per image, in any type of float."""


class FeatureSet(NamedTuple):
    """The statistics of a set of images, and its feature vectors; None where the statistics came ready."""

    statistics: GaussianStatistics
    features: Features | None = None


class Influences(NamedTuple):
    """One number for each feature vector of the two sets, with mean 0; None for a set without vectors."""

    a: Matrix | None
    b: Matrix | None


def frechet_influences(a: FeatureSet, b: FeatureSet) -> Influences:
    """How far each vector of either set moves the distance, the other set held as it is.

    Source of the derivative: the optimal map between two Gaussians, Dowson and Landau 1982. With roots F, G of the
    covariances and F G' = U S V', the map from a to b takes y to G' V S^-1 V' G y.
    """
    if are_identical(a.statistics, b.statistics):
        return Influences(_zeros(a), _zeros(b))
    root_a, root_b = square_root(a.statistics), square_root(b.statistics)
    if len(root_a) < len(root_b):  # the smaller of the two Gram matrices is taken apart
        onto_a, onto_b, singular = _maps(root_b, root_a)
    else:
        onto_b, onto_a, singular = _maps(root_a, root_b)
    apart = a.statistics.mean - b.statistics.mean
    return Influences(_influence(a, apart, onto_b, singular), _influence(b, -apart, onto_a, singular))


def _zeros(one: FeatureSet) -> Matrix | None:
    return None if one.features is None else np.zeros(len(one.features))


def _maps(tall: Matrix, short: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """G'V, F'U and S for F = `tall` and G = `short`.

    Singular values that are lost in the rounding of their squares are left out: their share in an influence is as
    small.
    """
    product = tall @ short.T
    squares, right = np.linalg.eigh(product.T @ product)
    kept = squares > squares.max(initial=0.0) * len(squares) * np.finfo(np.float64).eps
    singular = np.sqrt(squares[kept])
    right = right[:, kept]
    return short.T @ right, tall.T @ ((product @ right) / singular), singular


def _influence(one: FeatureSet, apart: Matrix, onto_other: Matrix, singular: Matrix) -> Matrix | None:
    if one.features is None:
        return None
    n = len(one.features)
    found = np.empty(n)
    for start in range(0, n, BLOCK_ROWS):
        rows = np.asarray(one.features[start : start + BLOCK_ROWS], dtype=np.float64) - one.statistics.mean
        own = np.einsum("ij,ij->i", rows, rows)
        mapped = ((rows @ onto_other) ** 2 / singular).sum(axis=1)
        found[start : start + BLOCK_ROWS] = 2.0 * (rows @ apart) + n / (n - 1) * (own - mapped)
    centred: Matrix = found - found.mean()
    return centred
