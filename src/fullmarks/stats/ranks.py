"""Which ranks several systems may have: from all pairs of them at once, over the same resamples.

A system's best possible rank is one more than there are systems surely better than it, its worst one the number of
systems less those surely worse. Surely is meant for all pairs together: the largest of all standardised differences
in a resample decides how large a single one must be. So the sets of all systems hold the true ranks at once, with the
chance of the level. Source: Mogstad, Romano, Shaikh, Wilhelm, Inference for Ranks with Applications to Mobility across
Neighbourhoods and Academic Achievement across Countries (2024).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fullmarks.errors import UsageError
from fullmarks.stats.interval import FEW_UNITS, check_level
from fullmarks.stats.resampling import resampled_scores
from fullmarks.stats.rows import ROUNDING, Finish, Floats, means, score, units_of

MOST_RESAMPLES = 2_000
"""Ranks are whole numbers, which move little with more."""


@dataclass(frozen=True)
class RankSet:
    """The rank of one system by its score, and the ranks that it may have."""

    rank: int
    """1 is best; systems of equal score share the better rank."""
    best: int
    worst: int


def joint_ranks(
    rows: Sequence[Floats],
    finish: Finish = means,
    *,
    score_index: int = 0,
    level: float = 0.95,
    resamples: int = MOST_RESAMPLES,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
    less_is_better: bool = False,
) -> tuple[RankSet, ...] | None:
    """One set for each system from its rows, resampling the examples, or clusters of them, of all systems together.

    None where there are too few of these, or where a score is undefined.
    """
    width = rows[0].shape[1]

    def all_scores(sums: Floats, n: Floats) -> Floats:
        systems = (finish(sums[..., at : at + width], n) for at in range(0, sums.shape[-1], width))
        return np.stack([found[..., score_index] for found in systems], axis=-1)

    together = np.hstack(rows)
    units, scores = units_of(together, clusters), score(together, all_scores)
    if units.count < FEW_UNITS or not np.isfinite(scores).all():
        return None
    replicates = resampled_scores(units, all_scores, resamples=min(resamples, MOST_RESAMPLES), seed=seed)
    defined = replicates[np.isfinite(replicates).all(axis=1)]
    if 2 * len(defined) < len(replicates):
        return None
    return rank_sets(scores, defined, level=level, less_is_better=less_is_better)


def rank_sets(scores: Floats, replicates: Floats, *, level: float, less_is_better: bool = False) -> tuple[RankSet, ...]:
    """One set for each system, from its score (m,) and those of the same resamples for all systems (resamples, m)."""
    check_level(level)
    if replicates.ndim != 2 or replicates.shape[1] != len(scores):
        raise UsageError(f"expected the replicates of {len(scores)} systems, found shape {replicates.shape}")
    ours = -scores if less_is_better else scores
    drawn = -replicates if less_is_better else replicates
    gaps = ours[:, None] - ours[None, :]
    errors = _errors_of_gaps(drawn)
    varying = errors > ROUNDING
    needed = float(np.quantile(_largest(drawn - ours, errors, varying), level)) if varying.any() else 0.0
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


def _errors_of_gaps(drawn: Floats) -> Floats:
    """The standard deviation of the difference of every two systems over the resamples."""
    errors = np.zeros((drawn.shape[1],) * 2)
    for system in range(drawn.shape[1]):
        errors[system] = (drawn - drawn[:, [system]]).std(axis=0, ddof=1)
    return errors


def _largest(moved: Floats, errors: Floats, varying: npt.NDArray[np.bool_]) -> Floats:
    """The largest standardised difference of any two systems in every resample; one system after the other, so that
    memory grows with the systems and not with their pairs."""
    largest = np.zeros(len(moved))
    for system, (own, spread) in enumerate(zip(errors, varying, strict=True)):
        later = spread & (np.arange(len(own)) > system)
        if later.any():
            apart = np.abs(moved[:, later] - moved[:, [system]]) / own[later]
            np.maximum(largest, apart.max(axis=1), out=largest)
    return largest
