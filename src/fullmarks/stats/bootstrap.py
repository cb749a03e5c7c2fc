"""Bootstrap intervals of any score that is a function of column sums: percentile and BCa.

A seed decides every digit. Rows without spread give an interval without width, and BCa, which needs spread,
then says that it became the percentile interval.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
import numpy.typing as npt

from fullmarks.stats.interval import (
    FEW_UNITS,
    Interval,
    Method,
    Used,
    check_level,
    check_method,
    few_clusters,
    of_buckets,
)
from fullmarks.stats.resampling import resampled_scores
from fullmarks.stats.rows import (
    ROUNDING,
    Finish,
    Floats,
    Units,
    apply_finish,
    checked_rows,
    means,
)
from fullmarks.stats.sample import Sample, sample_of
from fullmarks.stats.score_intervals import are_scores, wilson_of
from fullmarks.stats.standard_error import standard_errors_of
from fullmarks.stats.student import student_quantile

_NORMAL = NormalDist()
FEW_IN_A_TAIL = 5
"""An end of an interval beyond which there are fewer resamples than this is not known."""


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

    def intervals(self, *, level: float = 0.95, method: Method = "auto") -> tuple[Interval, ...]:
        """One interval per score: by "auto" BCa, or Student's where units or resamples are too few for it."""
        return tuple(self.interval(index, level=level, method=method) for index in range(len(self.estimate)))

    def interval(self, index: int, *, level: float = 0.95, method: Method = "auto") -> Interval:
        """The interval of one score."""
        check_level(level)
        check_method(method)
        replicates = self.replicates[:, index]
        defined = replicates[np.isfinite(replicates)]
        error, source = self._standard_error(index, defined)
        low, high, used, note = self._ends(index, defined, level, method, error)
        undefined = len(replicates) - len(defined)
        if undefined and np.isfinite(low):
            note = "; ".join(filter(None, [note, f"{undefined} resamples without a score were left out"]))
        return Interval(low, high, level, used, len(replicates), self.seed, error, source, self.units.count, note)

    def _ends(
        self, index: int, defined: Floats, level: float, method: Method, error: float | None
    ) -> tuple[float, float, Used, str]:
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
        in_a_tail = len(defined) * (1 - level) / 2
        if method == "auto" and error is not None and (self.units.count < FEW_UNITS or in_a_tail < FEW_IN_A_TAIL):
            others = self.units.count - 1
            # Resamples draw from the units at hand, whose spread is too small by one of them.
            missing = 1.0 if self.standard_errors is not None else math.sqrt(self.units.count / others)
            half = student_quantile((1 + level) / 2, others) * missing * error
            note = few_clusters(self.units.count, is_clustered=bool((self.units.sizes > 1).any()))
            if in_a_tail < FEW_IN_A_TAIL:
                note = note or f"{len(defined)} resamples are too few for the ends of a bootstrap at this level"
            return estimate - half, estimate + half, "student", note
        tails = ((1 - level) / 2, (1 + level) / 2)
        used: Used = "percentile" if method == "percentile" else "bca"
        note = ""
        if used == "bca":
            corrected = bca_tails(tails, estimate, defined, self.jackknife[:, index], self.units)
            if corrected is None:
                used, note = "percentile", "BCa has no value for these rows"
            else:
                tails = corrected
        low, high = (float(end) for end in np.quantile(defined, tails))
        return low, high, used, note

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
    return bootstrap_of(sample_of(checked_rows(rows), clusters), finish, resamples=resamples, seed=seed)


def bootstrap_of(sample: Sample, finish: Finish = means, *, resamples: int, seed: int) -> Bootstrap:
    """Resample the units of a sample."""
    units = sample.units()
    return Bootstrap(
        estimate=sample.scores(finish),
        replicates=resampled_scores(units, finish, resamples=resamples, seed=seed),
        jackknife=_jackknife(units, finish),
        units=units,
        standard_errors=standard_errors_of(units) if finish is means else None,
        seed=seed,
    )


def score_intervals(
    rows: npt.ArrayLike,
    finish: Finish = means,
    *,
    level: float = 0.95,
    method: Method = "auto",
    resamples: int = 10_000,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
) -> tuple[Interval, ...]:
    """One interval per score of `finish`, by default the mean of each column.

    By "auto" a mean of scores from 0 to 1 has Wilson's, with an effective number of examples, and only what else there
    is gets resampled.

    >>> (interval,) = score_intervals([[1.0], [0.0], [1.0], [1.0]], method="percentile")
    >>> interval.low, interval.high
    (0.25, 1.0)
    """
    check_level(level)
    check_method(method)
    sample = sample_of(checked_rows(rows), clusters)
    return sample_intervals(sample, finish, level=level, method=method, resamples=resamples, seed=seed)


def sample_intervals(
    sample: Sample,
    finish: Finish = means,
    *,
    level: float = 0.95,
    method: Method = "auto",
    resamples: int = 10_000,
    seed: int = 0,
) -> tuple[Interval, ...]:
    """The same for a sample; where its units are buckets, every method has a name of its own."""
    check_level(level)
    check_method(method)
    by_formula = finish is means and method == "auto"
    formulas = [column for column in range(sample.width) if by_formula and are_scores(sample.values[:, column])]
    found = {column: wilson_of(sample.part([column]), level) for column in formulas}
    if len(formulas) < sample.width:
        others = [column for column in range(sample.width) if column not in found]
        left = sample.part(others) if formulas else sample
        made = bootstrap_of(left, finish, resamples=resamples, seed=seed).intervals(level=level, method=method)
        # A finish may have more scores than there are columns, or fewer; then none of them has a formula.
        found.update(zip(others if formulas else range(len(made)), made, strict=True))
    intervals = tuple(found[column] for column in sorted(found))
    return tuple(map(of_buckets, intervals)) if sample.is_bucketed else intervals


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
