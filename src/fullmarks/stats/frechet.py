"""The Frechet distance between two Gaussians, without a complex matrix square root.

    |mean_a - mean_b|^2 + tr(A) + tr(B) - 2 tr((A B)^1/2)

With A = F'F and B = G'G the last trace is the sum of the singular values of F G'. Invariant: the result is
never negative, and within 1e-6 (relative) of the exact value of this formula unless the two sides agree so
closely that float64 cannot tell them apart.
"""

from __future__ import annotations

import numpy as np

from fullmarks.errors import InputError, UsageError
from fullmarks.stats.gaussian import GaussianStatistics, Matrix

TRIANGLE_BLOCK = 256
"""Columns per block where a matrix is known to be triangular."""


def frechet_distance(a: GaussianStatistics, b: GaussianStatistics) -> float:
    """The squared 2-Wasserstein distance of the two Gaussians; 0.0 for identical statistics.

    Source: Dowson and Landau 1982; as "FID" in Heusel et al. 2017.
    """
    if a.dimension != b.dimension:
        raise UsageError(f"cannot compare features of {a.dimension} and {b.dimension} dimensions")
    if are_identical(a, b):
        return 0.0
    difference = a.mean - b.mean
    root_a, root_b = square_root(a), square_root(b)
    # The squares of F's elements add up to the trace of F'F: with the same roots in both terms their rounding cancels.
    apart = float(difference @ difference) + _sum_of_squares(root_a) + _sum_of_squares(root_b)
    return max(0.0, apart - 2.0 * _cross_trace(root_a, root_b, b))


def _sum_of_squares(matrix: Matrix) -> float:
    flat = matrix.ravel(order="K")  # in the order of memory: no copy
    return float(flat @ flat)


def are_identical(a: GaussianStatistics, b: GaussianStatistics) -> bool:
    """Whether both hold the same numbers."""
    if a is b:
        return True
    if not np.array_equal(a.mean, b.mean):
        return False
    if a.centred is not None and b.centred is not None:
        return np.array_equal(a.centred, b.centred)
    return np.array_equal(a.covariance, b.covariance)


def square_root(statistics: GaussianStatistics) -> Matrix:
    """F with F'F = covariance: the upper Cholesky factor where there is one, else rows that span it."""
    root = statistics.centred_root
    if root is not None:
        return root
    covariance = statistics.covariance
    try:
        # The transpose is the same matrix in the order that LAPACK wants: it need not be turned around first.
        factor = np.linalg.cholesky(covariance.T).T
    except np.linalg.LinAlgError:
        return _singular_root(covariance)
    return np.asarray(factor, dtype=np.float64)


def _singular_root(covariance: Matrix) -> Matrix:
    values, vectors = np.linalg.eigh(covariance)
    largest = float(np.abs(values).max())
    # A covariance stored in float32 is off by its own rounding, hence this loose bound for "not a covariance".
    if values[0] < -1e-5 * largest:
        raise InputError(
            "sigma", f"has the eigenvalue {values[0]:g}; a covariance has none below 0", "Compute it again"
        )
    kept = values > largest * len(values) * np.finfo(np.float64).eps
    return np.asarray(np.sqrt(values[kept])[:, None] * vectors[:, kept].T)


def _cross_trace(root_a: Matrix, root_b: Matrix, b: GaussianStatistics) -> float:
    """tr((A B)^1/2): the sum of the singular values of F G'.

    Where both covariances have full rank (F and G are Cholesky factors) they are the roots of the eigenvalues of
    F B F', which come in a third of the time. Where one has not, some are zero, and the root of a zero
    eigenvalue's rounding would be seen in the distance.
    """
    if len(root_a) == len(root_b) == b.dimension and b.centred is None:
        eigenvalues = np.linalg.eigvalsh(_lower_of_congruence(root_a.T, b.covariance))
        values = np.sqrt(np.maximum(eigenvalues, 0.0))
    else:
        values = np.linalg.svd(root_a @ root_b.T, compute_uv=False)
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def _lower_of_congruence(lower: Matrix, matrix: Matrix) -> Matrix:
    """The lower triangle of L'BL for a lower triangular L and a symmetric B, at a quarter of the products.

    Only blocks on and below the diagonal are computed; what stands above it is not part of the result.
    """
    inner, result = np.zeros_like(matrix), np.zeros(matrix.shape, order="F")
    for start in range(0, len(matrix), TRIANGLE_BLOCK):
        stop = start + TRIANGLE_BLOCK
        inner[start:, start:stop] = matrix[start:, start:] @ lower[start:, start:stop]
    for start in range(0, len(matrix), TRIANGLE_BLOCK):
        stop = start + TRIANGLE_BLOCK
        result[start:stop, :stop] = lower[start:, start:stop].T @ inner[start:, :stop]
    return result
