"""Which ranks several systems may have: from all pairs of them at once, over the same resamples.

A system's best possible rank is one more than there are systems surely better than it, its worst one the number of
systems less those surely worse. Surely is meant for all pairs together: the largest of all standardised differences
in a resample decides how large a single one must be. So the sets of all systems hold the true ranks at once, with the
chance of the level. Source: Mogstad, Romano, Shaikh, Wilhelm, Inference for Ranks with Applications to Mobility across
Neighbourhoods and Academic Achievement across Countries (2024).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fullmarks.errors import UsageError
from fullmarks.stats.interval import check_level
from fullmarks.stats.rows import ROUNDING, Floats


@dataclass(frozen=True)
class RankSet:
    """The rank of one system by its score, and the ranks that it may have."""

    rank: int
    """1 is best; systems of equal score share the better rank."""
    best: int
    worst: int


def rank_sets(scores: Floats, replicates: Floats, *, level: float, less_is_better: bool = False) -> tuple[RankSet, ...]:
    """One set for each system, from its score (m,) and those of the same resamples for all systems (resamples, m)."""
    check_level(level)
    if replicates.ndim != 2 or replicates.shape[1] != len(scores):
        raise UsageError(f"expected the replicates of {len(scores)} systems, found shape {replicates.shape}")
    ours = -scores if less_is_better else scores
    drawn = -replicates if less_is_better else replicates
    gaps = ours[:, None] - ours[None, :]
    moved = (drawn[:, :, None] - drawn[:, None, :]) - gaps
    errors = moved.std(axis=0, ddof=1)
    varying = errors > ROUNDING
    standardised = np.abs(moved[:, varying]) / errors[varying]
    needed = float(np.quantile(standardised.max(axis=1), level)) if varying.any() else 0.0
    # A gap without any spread is no surer than its resamples are many: all of them agree, so it is taken as sure.
    surely_better = np.where(varying, gaps > needed * errors, gaps > ROUNDING)
    return tuple(
        RankSet(
            rank=1 + int(np.count_nonzero(gaps[:, system] > ROUNDING)),
            best=1 + int(np.count_nonzero(surely_better[:, system])),
            worst=len(scores) - int(np.count_nonzero(surely_better[system])),
        )
        for system in range(len(scores))
    )
