"""Bootstrap intervals of any score that is a function of column sums: percentile and BCa.

A seed decides every digit. Rows without spread give an interval without width, and BCa, which needs spread,
then says that it became the percentile interval.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from fullmarks.checks import check_kind
from fullmarks.errors import UsageError
from fullmarks.stats.resampling import resampled_scores
from fullmarks.stats.rows import (
    ROUNDING,
    Finish,
    Floats,
    Units,
    apply_finish,
    checked_rows,
    means,
    score,
    units_of,
)
from fullmarks.stats.standard_error import standard_errors_of

Method: TypeAlias = Literal["bca", "percentile"]

_NORMAL = NormalDist()


@dataclass(frozen=True)
class Interval:
    """Where the score would fall if other examples of the same kind had been drawn."""

    low: float
    high: float
    level: float
    method: Method
    """The method that was used, which is "percentile" where BCa was asked for and has no value."""
    resamples: int
    seed: int
    standard_error: float | None
    """None for a single unit, whose spread cannot be known."""
    standard_error_from: Literal["formula", "resamples"]
    note: str = ""
    """What the reader must know: a method that fell back, resamples without a score. Mostly empty."""


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """The resampled scores of one set of rows; every interval and test of it reads the same resamples."""

    estimate: Floats
    """The scores of the rows themselves, shape (m,)."""
    replicates: Floats
    """The scores of each resample, shape (resamples, m)."""
    jackknife: Floats
    """The scores without one unit, for each distinct unit, shape (d, m); empty for a single unit."""
    units: Units
    standard_errors: Floats | None
    """From the formula, shape (m,); None where the score has none."""
    seed: int

    def intervals(self, *, level: float = 0.95, method: Method = "bca") -> tuple[Interval, ...]:
        """One interval per score."""
        check_kind("level", level, float)
        if not 0 < level < 1:
            raise UsageError(f"level {level} is not between 0 and 1; for 95 % give 0.95")
        if method not in ("bca", "percentile"):
            raise UsageError(f"unknown interval method {method!r}; give 'bca' or 'percentile'")
        return tuple(self._interval(index, level, method) for index in range(len(self.estimate)))

    def _interval(self, index: int, level: float, method: Method) -> Interval:
        replicates = self.replicates[:, index]
        defined = replicates[np.isfinite(replicates)]
        low, high, used, note = self._ends(index, defined, level, method)
        undefined = len(replicates) - len(defined)
        if undefined and np.isfinite(low):
            note = "; ".join(filter(None, [note, f"{undefined} resamples without a score were left out"]))
        error, source = self._standard_error(index, defined)
        return Interval(low, high, level, used, len(replicates), self.seed, error, source, note)

    def _ends(self, index: int, defined: Floats, level: float, method: Method) -> tuple[float, float, Method, str]:
        """Low and high end, the method that gave them, and what is to be said about it."""
        estimate = float(self.estimate[index])
        if not np.isfinite(estimate):
            return np.nan, np.nan, "percentile", "the score of these rows is undefined"
        if self.units.count == 1:
            return estimate, estimate, "percentile", "a single unit: its spread cannot be known"
        if not len(defined):
            return np.nan, np.nan, "percentile", "no resample has a score"
        if _without_spread(defined, estimate):
            return estimate, estimate, "percentile", "all resamples have the same score"
        tails, note = ((1 - level) / 2, (1 + level) / 2), ""
        if method == "bca":
            corrected = bca_tails(tails, estimate, defined, self.jackknife[:, index], self.units)
            if corrected is None:
                method, note = "percentile", "BCa has no value for these rows"
            else:
                tails = corrected
        low, high = (float(end) for end in np.quantile(defined, tails))
        return low, high, method, note

    def _standard_error(self, index: int, defined: Floats) -> tuple[float | None, Literal["formula", "resamples"]]:
        if self.standard_errors is not None:
            error = float(self.standard_errors[index])
            return (None if np.isnan(error) else error), "formula"
        known = self.units.count > 1 and len(defined) > 1
        return (float(defined.std(ddof=1)) if known else None), "resamples"


def bootstrap(
    rows: npt.ArrayLike,
    finish: Finish = means,
    *,
    resamples: int = 10_000,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
) -> Bootstrap:
    """Resample the examples of `rows`, or whole clusters when each example's label is given."""
    checked = checked_rows(rows)
    units = units_of(checked, clusters)
    return Bootstrap(
        estimate=score(checked, finish),
        replicates=resampled_scores(units, finish, resamples=resamples, seed=seed),
        jackknife=_jackknife(units, finish),
        units=units,
        standard_errors=standard_errors_of(units) if finish is means else None,
        seed=seed,
    )


def bootstrap_intervals(
    rows: npt.ArrayLike,
    finish: Finish = means,
    *,
    level: float = 0.95,
    method: Method = "bca",
    resamples: int = 10_000,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
) -> tuple[Interval, ...]:
    """One interval per score of `finish`, by default the mean of each column.

    >>> (interval,) = bootstrap_intervals([[1.0], [0.0], [1.0], [1.0]], method="percentile")
    >>> interval.low, interval.high
    (0.25, 1.0)
    """
    resampled = bootstrap(rows, finish, resamples=resamples, seed=seed, clusters=clusters)
    return resampled.intervals(level=level, method=method)


def _jackknife(units: Units, finish: Finish) -> Floats:
    if units.count == 1:
        return np.empty((0, 0))
    weights = units.multiplicity[:, None]
    sums, examples = (weights * units.sums).sum(axis=0), (weights * units.sizes).sum(axis=0)
    return apply_finish(finish, sums - units.sums, examples - units.sizes)


def _without_spread(scores: Floats, centre: float) -> bool:
    return float(np.abs(scores - centre).max()) <= ROUNDING * float(np.abs(scores).max())


def bca_tails(
    tails: tuple[float, float], estimate: float, replicates: Floats, jackknife: Floats, units: Units
) -> tuple[float, float] | None:
    """The quantiles of the replicates that BCa takes instead of `tails`; None where it is not defined.

    Bias: half the ties count as below. Acceleration: from the jackknife over units. Source: Efron, Better
    Bootstrap Confidence Intervals (1987).
    """
    slack = ROUNDING * float(np.abs(replicates).max())
    below = np.count_nonzero(replicates < estimate - slack)
    not_above = np.count_nonzero(replicates <= estimate + slack)
    share = (below + not_above) / (2 * len(replicates))
    if not 0 < share < 1 or not np.isfinite(jackknife).all() or _without_spread(jackknife, float(jackknife[0])):
        return None
    centre = float(units.multiplicity @ jackknife) / units.count
    influence = centre - jackknife
    cubes, squares = float(units.multiplicity @ influence**3), float(units.multiplicity @ influence**2)
    acceleration = cubes / (6 * squares**1.5)
    bias = _NORMAL.inv_cdf(share)
    shifted = [bias + _NORMAL.inv_cdf(tail) for tail in tails]
    stretch = [1 - acceleration * quantile for quantile in shifted]
    if min(stretch) <= 0:
        return None
    low, high = (_NORMAL.cdf(bias + quantile / by) for quantile, by in zip(shifted, stretch, strict=True))
    return low, high
