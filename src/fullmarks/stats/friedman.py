"""Several systems on several data sets: average ranks, whether they differ by more than chance, and by how much.

On each data set the systems are ranked by their score, equal scores sharing the mean of their ranks. If no system is
better than another, every order within a data set is as likely: that, and no table of chi-square, gives the p-value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import permutations
from typing import Literal

import numpy as np
import numpy.typing as npt

from fullmarks.errors import InputError
from fullmarks.stats.resampling import block_sizes, generator
from fullmarks.stats.rows import ROUNDING, Floats, Integers

EXACT_CELLS = 1 << 18
"""Up to so many sums of ranks at once, times orders, the test is exact."""
_MOST_ORDERED = 7
"""The orders of more systems than this are not listed."""

NEMENYI = (
    *(1.960, 2.344, 2.569, 2.728, 2.850, 2.948, 3.031, 3.102, 3.164, 3.219),
    *(3.268, 3.313, 3.354, 3.391, 3.426, 3.458, 3.489, 3.517, 3.544),
)
"""For 2 to 20 systems: the 0.95 quantile of the studentised range over the root of 2. Source: Demsar, Statistical
Comparisons of Classifiers over Multiple Data Sets (2006), table 5, to 10 systems; the same quantiles for more."""


@dataclass(frozen=True)
class Friedman:
    """The average ranks of systems over data sets, and Friedman's test that they are all alike."""

    average_ranks: tuple[float, ...]
    """1 is best."""
    statistic: float
    """Corrected for ties; 0 where all systems tie everywhere."""
    p_value: float
    method: Literal["exact", "monte carlo"]
    permutations: int
    """Different outcomes weighed, up to the systems' names, or random ones drawn."""
    critical_difference: float | None
    """Nemenyi's at 0.05: average ranks further apart differ. None for more than 20 systems."""


def friedman(scores: npt.ArrayLike, *, draws: int = 100_000, seed: int = 0) -> Friedman:
    """The test for scores of shape (data sets, systems), of which more is better.

    Source: Friedman, The Use of Ranks to Avoid the Assumption of Normality Implicit in the Analysis of Variance (1937);
    Nemenyi's critical difference as in Demsar (2006).

    >>> friedman([[3, 2, 1], [3, 2, 1], [3, 2, 1]]).average_ranks
    (1.0, 2.0, 3.0)
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 1 or table.shape[1] < 2 or not np.isfinite(table).all():
        found = f"expected finite scores of at least 1 data set and 2 systems, found shape {table.shape}"
        raise InputError("scores", found, "Give one line per data set.")
    sets, systems = table.shape
    doubled = np.array([_doubled_ranks(row) for row in table])
    sums = doubled.sum(axis=0)
    p_value, method, outcomes = _p_value(doubled, draws, seed)
    return Friedman(
        average_ranks=tuple((sums / (2 * sets)).tolist()),
        statistic=_statistic(doubled),
        p_value=p_value,
        method=method,
        permutations=outcomes,
        critical_difference=critical_difference(systems, sets),
    )


def critical_difference(systems: int, sets: int) -> float | None:
    """How far apart two average ranks must be to differ at 0.05, all pairs together; None for more than 20 systems.

    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    if systems - 2 >= len(NEMENYI):
        return None
    return NEMENYI[systems - 2] * math.sqrt(systems * (systems + 1) / (6 * sets))


def _doubled_ranks(scores: Floats) -> Integers:
    """Twice the ranks, the largest score's first, so that shared ranks are whole numbers too."""
    slack = ROUNDING * float(np.abs(scores).max())
    better = (scores[None, :] > scores[:, None] + slack).sum(axis=1)
    not_worse = (scores[None, :] >= scores[:, None] - slack).sum(axis=1)
    doubled: Integers = better + not_worse + 1
    return doubled


def _statistic(doubled: Integers) -> float:
    sets, systems = doubled.shape
    centred = doubled.sum(axis=0) / 2 - sets * (systems + 1) / 2
    spread = float(((doubled / 2 - (systems + 1) / 2) ** 2).sum())
    return float((centred**2).sum()) * (systems - 1) / spread if spread else 0.0


def _p_value(doubled: Integers, draws: int, seed: int) -> tuple[float, Literal["exact", "monte carlo"], int]:
    """How often random orders spread the sums of ranks as widely; what else the statistic holds is the same for all."""
    observed = int((doubled.sum(axis=0) ** 2).sum())
    states = _all_sums(doubled)
    if states is not None:
        sums, chances = states
        return min(1.0, float(chances[(sums**2).sum(axis=1) >= observed].sum())), "exact", len(sums)
    random, reached = generator(seed), 0
    for size in block_sizes(draws, doubled.size):
        drawn = random.permuted(np.broadcast_to(doubled, (size, *doubled.shape)), axis=2)
        reached += int(np.count_nonzero((drawn.sum(axis=1) ** 2).sum(axis=1) >= observed))
    return (reached + 1) / (draws + 1), "monte carlo", draws


def _all_sums(doubled: Integers) -> tuple[Integers, Floats] | None:
    """Every possible sum of ranks with its chance, sorted, for the systems' names do not matter; None for too many."""
    systems = doubled.shape[1]
    if systems > _MOST_ORDERED:
        return None
    sums: Integers = np.sort(doubled[:1], axis=1)
    chances: Floats = np.ones(1)
    for ranks in doubled[1:]:
        orders = np.array(sorted(set(permutations(ranks.tolist()))))
        if len(sums) * len(orders) > EXACT_CELLS:
            return None
        reached = np.sort((sums[:, None, :] + orders[None, :, :]).reshape(-1, systems), axis=1)
        sums, where = np.unique(reached, axis=0, return_inverse=True)
        weights = np.repeat(chances / len(orders), len(orders))
        chances = np.bincount(where.reshape(-1), weights=weights).astype(np.float64)
    return sums, chances
