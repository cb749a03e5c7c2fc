"""Scores that several runs of a system have on the same examples: the mean of the runs, and both reasons why it moves.

Other examples would have moved it, and so would other runs. What examples do is read off how the scores of the runs
move together, by the formula of a mean or from resamples of the examples that all runs see alike; what runs do is what
their scores differ by beyond that. Of a mean these are the components of a two-way analysis of variance.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from fullmarks.errors import InputError, MismatchError
from fullmarks.stats.comparison import PairedTest
from fullmarks.stats.interval import Interval, check_level, few_clusters
from fullmarks.stats.paired import effect_size, outcomes
from fullmarks.stats.parted_error import Part, PartedError
from fullmarks.stats.permutation import PermutationTest
from fullmarks.stats.resampling import resampled_scores
from fullmarks.stats.rows import ROUNDING, Finish, Floats, checked_rows, cluster_sums, means, score, units_of
from fullmarks.stats.score_intervals import are_scores

Bounds = tuple[float, float] | None


@dataclass(frozen=True)
class RunSpread:
    """What one score of several runs is, and how far examples and runs lie apart, on the scale of the score."""

    runs: int
    score: float
    """The mean of the runs' scores."""
    between_examples: float | None
    """The standard deviation of examples (or clusters) that the runs share; of a single run, all that it has."""
    between_runs: float | None
    """The standard deviation that runs would have on ever so many examples; None for a single run."""
    residual: float | None
    """The standard deviation that neither explains: of one run on one example."""
    standard_error: float | None
    """Of the mean, by both; None for a single unit."""


@dataclass(frozen=True, eq=False)
class _Runs:
    """One score of some runs: their values, and how examples make them move together."""

    values: Floats
    """Shape (runs,)."""
    covariance: Floats
    """Of the values over other examples, shape (runs, runs); NaN for a single unit."""
    units: int

    @property
    def count(self) -> int:
        return len(self.values)

    @property
    def mean(self) -> float:
        return float(self.values.mean())

    @property
    def apart(self) -> float:
        """The variance of the values as they are."""
        return float(self.values.var(ddof=1))

    @property
    def noise(self) -> float:
        """The part of it that examples alone would give: the residual mean square of a mean, by example."""
        return max(0.0, float(np.trace(self.covariance) - self.covariance.sum() / self.count) / (self.count - 1))

    @property
    def run_variance(self) -> float:
        """The rest; 0 where runs differ by less than their examples make them."""
        return max(0.0, self.apart - self.noise)

    @property
    def error(self) -> PartedError:
        """The error of the mean of the values."""
        return _error([self], float(self.covariance.sum()) / self.count**2, self.units)

    def of(self, places: slice) -> _Runs:
        """The same of some of the runs."""
        return _Runs(self.values[places], self.covariance[places, places], self.units)

    def spread(self) -> RunSpread:
        together = float(self.covariance.sum())
        error = _finite(self.error.standard_error)
        if self.count == 1 or error is None:
            alone = None if error is None else math.sqrt(self.units * together)
            return RunSpread(self.count, self.mean, alone, None, None, error)
        common = (together - float(np.trace(self.covariance))) / (self.count * (self.count - 1))
        return RunSpread(
            runs=self.count,
            score=self.mean,
            between_examples=math.sqrt(self.units * max(0.0, common)),
            between_runs=math.sqrt(self.run_variance),
            residual=math.sqrt(self.units * self.noise),
            standard_error=error,
        )


@dataclass(frozen=True)
class _Drawn:
    """How the error by examples was found."""

    level: float
    resamples: int
    seed: int
    is_clustered: bool


def run_spreads(
    rows: npt.ArrayLike,
    finish: Finish = means,
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
) -> tuple[tuple[RunSpread, Interval], ...]:
    """For every score of `finish` what the runs spread by, and the interval of their mean.

    `rows` holds the rows of every run over the same examples, shape (runs, n, k).

    >>> ((spread, interval),) = run_spreads([[[0.0], [1.0], [1.0]], [[0.0], [1.0], [0.0]]])
    >>> spread.runs, spread.score, interval.method
    (2, 0.5, 'runs')
    """
    check_level(level)
    checked = _checked_runs(rows, "rows of the runs")
    scored = _scored(checked, finish, resamples, seed, clusters)
    drawn = _Drawn(level, 0 if finish is means else resamples, seed, clusters is not None)
    found = []
    for each, is_bounded in zip(scored, _are_bounded(checked, finish), strict=True):
        bounds = (0.0, 1.0) if is_bounded else None
        found.append((each.spread(), _interval(each.mean, each.error, drawn, bounds, each.units)))
    return tuple(found)


def compare_runs(
    system: npt.ArrayLike,
    baseline: npt.ArrayLike,
    finish: Finish = means,
    *,
    example_scores: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
) -> tuple[PairedTest, ...]:
    """One record per score of `finish` about the difference of the runs' means, over the same examples.

    Rows are of shape (runs, n, k); either system may have any number of runs, but of a single one the spread between
    runs is unknown and counts as none. `example_scores` are the mean scores of each example, shape (n, m), for scores
    that are no means. The p-value belongs to the interval: the level at which its end is 0.
    """
    check_level(level)
    both, split = _checked_both(system, baseline)
    by_example = example_scores or (both[:split].mean(axis=0), both[split:].mean(axis=0))
    ours, theirs = (np.asarray(values, dtype=np.float64) for values in by_example)
    drawn = _Drawn(level, 0 if finish is means else resamples, seed, clusters is not None)
    bounded = _are_bounded(both, finish)
    return tuple(
        _record(each, split, (ours[:, index], theirs[:, index]), drawn, (-1.0, 1.0) if bounded[index] else None)
        for index, each in enumerate(_scored(both, finish, resamples, seed, clusters))
    )


def _record(each: _Runs, split: int, by_example: tuple[Floats, Floats], drawn: _Drawn, bounds: Bounds) -> PairedTest:
    """The record of one score whose first runs, up to `split`, are the system's and the others the baseline's."""
    system, baseline = each.of(slice(None, split)), each.of(slice(split, None))
    difference = system.mean - baseline.mean
    if abs(difference) <= ROUNDING * max(abs(system.mean), abs(baseline.mean)):
        difference = 0.0
    weights = np.repeat([1 / system.count, -1 / baseline.count], [system.count, baseline.count])
    error = _error([system, baseline], float(weights @ each.covariance @ weights), each.units)
    return PairedTest(
        system=system.mean,
        baseline=baseline.mean,
        difference=difference,
        interval=_interval(difference, error, drawn, bounds, each.units),
        permutation=PermutationTest(error.p_value(difference), "runs", 0, None),
        p_bootstrap=None,
        p_mcnemar=None,
        effect=effect_size(*by_example),
        outcomes=outcomes(*by_example),
        examples=len(by_example[0]),
    )


def _error(systems: Sequence[_Runs], by_examples: float, units: int) -> PartedError:
    """The squared error by examples, and that by the runs of all systems, known with Welch's degrees of freedom."""
    parts = [Part(by_examples if math.isnan(by_examples) else max(0.0, by_examples), max(1, units - 1))]
    several = [each for each in systems if each.count > 1]
    square = sum(each.run_variance / each.count for each in several)
    if square > 0:
        found = [(each.apart / each.count, each.count - 1) for each in several]
        degrees = sum(part for part, _ in found) ** 2 / sum(part**2 / free for part, free in found)
        parts.append(Part(square, max(1, math.floor(degrees * (1 + ROUNDING)))))
    return PartedError(tuple(parts))


def _interval(estimate: float, error: PartedError, drawn: _Drawn, bounds: Bounds, units: int) -> Interval:
    found, note = _finite(error.standard_error), few_clusters(units, is_clustered=drawn.is_clustered)
    if not math.isfinite(estimate):
        low, high, found, note = math.nan, math.nan, None, "the score of these rows is undefined"
    elif found is None:
        low, high = bounds or (estimate, estimate)
        note = "a single unit: its spread cannot be known" if units == 1 else "no resample has a score"
    else:
        least, most = bounds or (-math.inf, math.inf)
        half = error.half_width(drawn.level)
        low, high = max(least, estimate - half), min(most, estimate + half)
    return Interval(
        low=low,
        high=high,
        level=drawn.level,
        method="runs",
        resamples=drawn.resamples,
        seed=drawn.seed if drawn.resamples else 0,
        standard_error=found,
        standard_error_from="resamples" if drawn.resamples else "formula",
        units=units,
        note=note,
    )


def _checked_both(system: npt.ArrayLike, baseline: npt.ArrayLike) -> tuple[Floats, int]:
    """The runs of both systems, and how many are the system's."""
    ours, theirs = _checked_runs(system, "rows of the system"), _checked_runs(baseline, "rows of the baseline")
    if ours.shape[1:] != theirs.shape[1:]:
        raise MismatchError(
            "rows of the system",
            f"found shape {ours.shape[1:]} in a run, but the baseline has {theirs.shape[1:]}",
            "A paired test needs the same examples, in the same order, scored by the same metric.",
        )
    return np.concatenate([ours, theirs]), len(ours)


def _checked_runs(rows: npt.ArrayLike, where: str) -> Floats:
    """The rows of every run; an error unless there is one, and all have the same examples."""
    try:
        runs = np.asarray(rows, dtype=np.float64)
    except ValueError:
        advice = "Give every run the same examples, in the same order."
        raise MismatchError(where, "found runs of different shapes", advice) from None
    if runs.ndim != 3 or not len(runs):
        found = f"expected an array of shape (runs, examples, columns), found shape {runs.shape}"
        raise InputError(where, found, "Give the rows of at least one run.")
    for run in runs:
        checked_rows(run, where)
    return runs


def _scored(
    rows: Floats, finish: Finish, resamples: int, seed: int, clusters: Sequence[Hashable] | None
) -> list[_Runs]:
    """Each score of all runs, with how examples make the runs' values move together."""
    values = np.array([score(run, finish) for run in rows])
    if finish is means:
        covariances, units = _mean_covariances(rows, clusters)
    else:
        covariances, units = _resampled_covariances(rows, finish, resamples, seed, clusters)
    return [_Runs(values[:, index], covariances[index], units) for index in range(values.shape[1])]


def _mean_covariances(rows: Floats, clusters: Sequence[Hashable] | None) -> tuple[list[Floats], int]:
    """By formula, one matrix per column: over clusters the linearised ratio, as in `standard_errors_of`."""
    found, units = [], 0
    for column in range(rows.shape[2]):
        sums, sizes = cluster_sums(np.ascontiguousarray(rows[:, :, column].T), clusters)
        units, examples = len(sums), float(sizes.sum())
        residuals = sums - sums.sum(axis=0) / examples * sizes
        factor = units / (units - 1) if units > 1 else math.nan
        found.append(factor * (residuals.T @ residuals) / examples**2)
    return found, units


def _resampled_covariances(
    rows: Floats, finish: Finish, resamples: int, seed: int, clusters: Sequence[Hashable] | None
) -> tuple[list[Floats], int]:
    """From resamples that every run sees alike, one matrix per score."""
    runs, _, columns = rows.shape
    units = units_of(np.hstack(list(rows)), clusters)
    of_each = partial(_each_run, finish, runs, columns)
    drawn = resampled_scores(units, of_each, resamples=resamples, seed=seed).reshape(resamples, -1, runs)
    # Resamples draw from the units at hand, whose spread is too small by one of them.
    factor = units.count / (units.count - 1) if units.count > 1 else math.nan
    found = []
    for index in range(drawn.shape[1]):
        values = drawn[:, index]
        defined = values[np.isfinite(values).all(axis=1)]
        unknown = np.full((runs, runs), np.nan)
        found.append(factor * (np.cov(defined, rowvar=False).reshape(runs, runs) if len(defined) > 1 else unknown))
    return found, units.count


def _each_run(finish: Finish, runs: int, columns: int, sums: Floats, n: Floats) -> Floats:
    """The scores of every run from the sums of all, the values of one score beside each other."""
    scores = [finish(sums[..., run * columns : (run + 1) * columns], n) for run in range(runs)]
    stacked = np.stack(scores, axis=-1)
    return stacked.reshape(*stacked.shape[:-2], -1)


def _are_bounded(rows: Floats, finish: Finish) -> list[bool]:
    """Whether each score is known to lie from 0 to 1: a mean of scores that do."""
    if finish is not means:
        return [False] * len(score(rows[0], finish))
    return [are_scores(rows[:, :, column]) for column in range(rows.shape[2])]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
