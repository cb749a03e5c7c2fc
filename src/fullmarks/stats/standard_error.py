"""The standard error of a mean from its formula, without resampling, for examples and for clusters."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from fullmarks.stats.rows import Floats, Units, checked_rows, units_of


def mean_standard_errors(rows: npt.ArrayLike, *, clusters: Sequence[Hashable] | None = None) -> Floats:
    """The standard error of each column's mean, shape (k,); NaN where there is only one unit.

    Single examples: the sample standard deviation over the root of n. Clusters: the linearised ratio of
    cluster sums to cluster sizes, which is the same number when every cluster holds one example. Source:
    Cochran, Sampling Techniques (1977), section 9A.2, without the finite population correction.

    >>> mean_standard_errors([[0.0], [1.0], [1.0], [0.0], [1.0]])
    array([0.24494897])
    """
    return standard_errors_of(units_of(checked_rows(rows), clusters))


def standard_errors_of(units: Units) -> Floats:
    """The same for units that are already collapsed."""
    count, weights = units.count, units.multiplicity[:, None]
    if count == 1:
        return np.full(units.sums.shape[1], np.nan)
    examples = (weights * units.sizes).sum()
    average = (weights * units.sums).sum(axis=0) / examples
    residuals = units.sums - average * units.sizes
    squares = (weights * residuals**2).sum(axis=0)
    errors: Floats = np.sqrt(count / (count - 1) * squares) / examples
    return errors
