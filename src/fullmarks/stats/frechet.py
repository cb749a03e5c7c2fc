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


def frechet_distance(a: GaussianStatistics, b: GaussianStatistics) -> float:
    """The squared 2-Wasserstein distance of the two Gaussians; 0.0 for identical statistics.

    Source: Dowson and Landau 1982; as "FID" in Heusel et al. 2017.
    """
    if a.dimension != b.dimension:
        raise UsageError(f"cannot compare features of {a.dimension} and {b.dimension} dimensions")
    if _identical(a, b):
        return 0.0
    difference = a.mean - b.mean
    root_a, root_b = _square_root(a), _square_root(b)
    # vdot(F, F) is the trace of F'F: with the same roots in both terms their rounding cancels.
    apart = float(difference @ difference) + float(np.vdot(root_a, root_a)) + float(np.vdot(root_b, root_b))
    return max(0.0, apart - 2.0 * _nuclear_norm(root_a @ root_b.T, a.dimension))


def _identical(a: GaussianStatistics, b: GaussianStatistics) -> bool:
    if a is b:
        return True
    if not np.array_equal(a.mean, b.mean):
        return False
    if a.centred is not None and b.centred is not None:
        return np.array_equal(a.centred, b.centred)
    return np.array_equal(a.covariance, b.covariance)


def _square_root(statistics: GaussianStatistics) -> Matrix:
    """F with F'F = covariance, and as few rows as the covariance's rank where that is known or found."""
    root = statistics.centred_root
    if root is not None:
        return root
    covariance = statistics.covariance
    try:
        return np.ascontiguousarray(np.linalg.cholesky(covariance).T)
    except np.linalg.LinAlgError:
        return _singular_root(covariance)


def _singular_root(covariance: Matrix) -> Matrix:
    values, vectors = np.linalg.eigh(covariance)
    noise = float(np.abs(values).max()) * len(values) * np.finfo(np.float64).eps
    # A covariance stored in float32 is off by its own rounding, hence a looser bound for "not a covariance".
    if values[0] < -1e-5 * float(np.abs(values).max()):
        raise InputError(
            "sigma", f"has the eigenvalue {values[0]:g}; a covariance has none below 0", "Compute it again"
        )
    kept = values > noise
    return np.asarray(np.sqrt(values[kept])[:, None] * vectors[:, kept].T)


def _nuclear_norm(product: Matrix, dimension: int) -> float:
    """The sum of the singular values of a matrix.

    Where both covariances have full rank, the eigenvalues of the Gram matrix give them in half the time;
    where one has not, some are zero, and the root of a zero's rounding would be seen in the distance.
    """
    if product.shape == (dimension, dimension):
        values = np.sqrt(np.maximum(np.linalg.eigvalsh(product @ product.T), 0.0))
    else:
        values = np.linalg.svd(product, compute_uv=False)
    return float(np.cumsum(values)[-1]) if len(values) else 0.0
