"""Two systems on the same examples: who wins where, how large the difference is, and whether chance gives it.

Every function takes the system first and the baseline second, and differences are system minus baseline.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
import numpy.typing as npt

from fullmarks.errors import InputError, MismatchError
from fullmarks.stats.permutation import half_binomial
from fullmarks.stats.rows import ROUNDING, Floats
from fullmarks.stats.score_intervals import all_zero_or_one
from fullmarks.stats.student import student_quantile

_TAIL = 0.975


@dataclass(frozen=True)
class Outcomes:
    """On how many examples the system scores higher than the baseline, lower, or the same."""

    wins: int
    losses: int
    ties: int


@dataclass(frozen=True)
class EffectSize:
    """A difference on a scale that does not depend on the number of examples."""

    name: Literal["cohen d_z", "cohen g"]
    value: float
    odds_ratio: float | None = None
    """Wins over losses, for 0/1 scores; infinite without losses, None without either."""


def outcomes(system: npt.ArrayLike, baseline: npt.ArrayLike) -> Outcomes:
    """Wins, losses and ties by example; a score that is NaN on either side is a tie.

    >>> outcomes([1.0, 0.0, 1.0], [0.0, 0.0, 0.0])
    Outcomes(wins=2, losses=0, ties=1)
    """
    first, second = _score_pair(system, baseline)
    wins, losses = int(np.count_nonzero(first > second)), int(np.count_nonzero(first < second))
    return Outcomes(wins, losses, len(first) - wins - losses)


def is_binary(*scores: npt.ArrayLike) -> bool:
    """Whether every score is 0 or 1, so that McNemar's test and Cohen's g apply."""
    return all(all_zero_or_one(np.asarray(values)) for values in scores)


def mcnemar(wins: int, losses: int) -> float:
    """The exact two-sided p-value of McNemar's test: wins and losses as flips of a fair coin.

    Without wins and losses it is 1. Source: McNemar (1947), with the binomial distribution in place of the
    chi-squared approximation.

    >>> mcnemar(1, 9)
    0.021484375
    """
    if wins < 0 or losses < 0:
        raise InputError("mcnemar", f"found {wins} wins and {losses} losses; counts cannot be negative")
    fewer = min(wins, losses)
    return min(1.0, 2 * math.fsum(half_binomial(wins + losses)[: fewer + 1]))


def effect_size(system: npt.ArrayLike, baseline: npt.ArrayLike) -> EffectSize:
    """Cohen's g for 0/1 scores, else Cohen's d_z: the mean difference over its standard deviation.

    Equal systems give 0; the same non-zero difference on every example gives infinity. Examples with an
    undefined score are left out; NaN when d_z then has fewer than two differences. Source: Cohen,
    Statistical Power Analysis (1988).
    """
    first, second = _score_pair(system, baseline)
    if is_binary(first, second):
        counts = outcomes(first, second)
        decided = counts.wins + counts.losses
        if decided == 0:
            return EffectSize("cohen g", 0.0)
        odds = counts.wins / counts.losses if counts.losses else math.inf
        return EffectSize("cohen g", counts.wins / decided - 0.5, odds)
    defined = np.isfinite(first) & np.isfinite(second)
    return EffectSize("cohen d_z", _cohen_d_z(first[defined] - second[defined]))


def _cohen_d_z(differences: Floats) -> float:
    if len(differences) and not differences.any():
        return 0.0
    if len(differences) < 2:
        return math.nan
    mean, deviation = float(differences.mean()), float(differences.std(ddof=1))
    if deviation <= ROUNDING * abs(mean):
        return math.copysign(math.inf, mean)
    return mean / deviation


def bootstrap_p_value(estimate: float, replicates: npt.ArrayLike, units: int | None = None) -> float:
    """The two-sided p-value of a difference, from the differences of its resamples.

    Resampling under no difference is the resampled differences moved by the one that was found: the share of
    them that is at least as far from zero, with the found one counted in. Resamples without a score count as
    far. NaN when the estimate is. Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993),
    section 16.4. Where all resamples differ alike, they say nothing about chance: 1. Few units seem to spread less than
    they do: where their number is given, the moves are stretched by as much as Student's interval is longer.
    """
    if not math.isfinite(estimate):
        return math.nan
    moved = np.abs(np.asarray(replicates, dtype=np.float64) - estimate)
    if units is not None:
        longer = student_quantile(_TAIL, units - 1) / NormalDist().inv_cdf(_TAIL)
        moved *= longer * math.sqrt(units / (units - 1))
    if not moved.size or float(moved.max()) <= ROUNDING * abs(estimate):
        return 1.0
    nearer = int(np.count_nonzero(moved < abs(estimate) * (1 - ROUNDING)))
    return (moved.size - nearer + 1) / (moved.size + 1)


def _score_pair(system: npt.ArrayLike, baseline: npt.ArrayLike) -> tuple[Floats, Floats]:
    first, second = np.asarray(system, dtype=np.float64), np.asarray(baseline, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape:
        raise MismatchError(
            "scores of the system",
            f"found shape {first.shape}, and {second.shape} for the baseline",
            "A paired comparison needs one score per example, of the same examples in the same order.",
        )
    if not len(first):
        raise InputError("scores of the system", "found no examples", "There is nothing to compare.")
    return first, second
