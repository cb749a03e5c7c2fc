"""Intervals for means of scores from 0 to 1, and for paired differences of two such means, without resampling.

For scores that are 0 or 1 these are Wilson's interval and Tango's: every value that a score test does not reject. Their
ends stay inside the possible range, and they have a width where all examples agree, where a bootstrap has none. Other
scores from 0 to 1, and clusters, take the same formulas with an effective number of examples: as many 0/1 scores, drawn
one by one, as would give the spread that was found. The normal quantile is then Student's, with one degree of freedom
less than there are units.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from fullmarks.stats.interval import Interval, Used, few_clusters
from fullmarks.stats.rows import ROUNDING, Floats, score
from fullmarks.stats.sample import Sample, sample_of
from fullmarks.stats.standard_error import standard_errors_of
from fullmarks.stats.student import student_quantile

_NORMAL = NormalDist()
_TURNS, _CLOSE = 200, 1e-15
"""So often an end is narrowed down at most, and so close: a few last digits of a float."""


@dataclass(frozen=True)
class Spread:
    """What an interval of a mean needs to know of the rows: how many units, of what kind, and the mean's error."""

    units: int
    """Examples, or clusters of them."""
    standard_error: float
    """Of the mean, from its formula; NaN for a single unit."""
    is_plain: bool
    """Whether every score is 0 or 1 and every example a unit: then the normal quantile is exact enough."""
    is_clustered: bool = False
    """Whether a unit may be several examples."""


def are_scores(values: Floats) -> bool:
    """Whether all are from 0 to 1."""
    return bool(((values >= 0) & (values <= 1)).all())


def wilson_interval(scores: Floats, level: float, clusters: Sequence[Hashable] | None = None) -> Interval:
    """For the mean of one column of scores from 0 to 1, shape (n, 1)."""
    return wilson_of(sample_of(scores, clusters), level)


def wilson_of(sample: Sample, level: float) -> Interval:
    """The same for a sample of one column."""
    spread = _spread(sample, is_binary=all_zero_or_one(sample.values))
    mean = min(1.0, float(sample.scores()[0]))
    if spread.units == 1 and not spread.is_plain:
        return _made((0.0, 1.0), level, "wilson", spread)
    return _made(wilson(mean, spread, level), level, "wilson", spread)


def tango_interval(
    system: Floats, baseline: Floats, level: float, clusters: Sequence[Hashable] | None = None
) -> Interval:
    """For the difference of the means of two columns of scores from 0 to 1 over the same examples, shape (n, 1)."""
    changes = system - baseline
    spread = spread_of(changes, clusters, is_binary=all_zero_or_one(system) and all_zero_or_one(baseline))
    if spread.units == 1 and not spread.is_plain:
        return _made((-1.0, 1.0), level, "tango", spread)
    gains, losses = (float(score(np.maximum(part, 0.0))[0]) for part in (changes, -changes))
    return _made(tango(gains, losses, spread, level), level, "tango", spread)


def spread_of(values: Floats, clusters: Sequence[Hashable] | None, *, is_binary: bool) -> Spread:
    """What the rows of one column say about the error of their mean."""
    return _spread(sample_of(values, clusters), is_binary=is_binary)


def _spread(sample: Sample, *, is_binary: bool) -> Spread:
    units = sample.units()
    is_clustered = units.count < sample.examples
    return Spread(units.count, float(standard_errors_of(units)[0]), is_binary and not is_clustered, is_clustered)


def _made(ends: tuple[float, float], level: float, method: Used, spread: Spread) -> Interval:
    error, note = spread.standard_error, few_clusters(spread.units, is_clustered=spread.is_clustered)
    if spread.units == 1:
        note = "a single unit: its spread cannot be known"
    elif not error > ROUNDING:
        note = "nothing varies: the width follows from the number of units alone"
    return Interval(*ends, level, method, 0, 0, None if math.isnan(error) else error, "formula", spread.units, note)


def wilson(mean: float, spread: Spread, level: float) -> tuple[float, float]:
    """The ends for a mean of scores from 0 to 1.

    Source: Wilson, Probable Inference, the Law of Succession, and Statistical Inference (1927); the effective number of
    examples as in Korn and Graubard, Confidence Intervals for Proportions with Small Expected Number of Positive Counts
    (1998).

    >>> low, high = wilson(1.0, Spread(20, 0.0, True), 0.95)
    >>> round(low, 4), high
    (0.8389, 1.0)
    """
    n = _effective(mean * (1 - mean), spread)
    square = _quantile(spread, level) ** 2
    centre = (mean + square / (2 * n)) / (1 + square / n)
    half = math.sqrt(square * (mean * (1 - mean) / n + square / (4 * n * n))) / (1 + square / n)
    return (0.0 if mean == 0 else max(0.0, centre - half)), (1.0 if mean == 1 else min(1.0, centre + half))


def tango(gains: float, losses: float, spread: Spread, level: float) -> tuple[float, float]:
    """The ends for a difference of two means over the same examples.

    `gains` is the mean of the differences above 0, `losses` that of those below, its sign taken off: for 0/1 scores the
    shares of examples that only one of the two has right. Source: Tango, Equivalence Test and Confidence Interval for
    the Difference in Proportions for the Paired-sample Design (1998).

    >>> low, high = tango(0.2, 0.1, Spread(50, 0.07, True), 0.95)
    >>> round(low, 4), round(high, 4)
    (-0.0557, 0.2552)
    """
    difference = gains - losses
    n = _effective(gains + losses - difference**2, spread)
    square = _quantile(spread, level) ** 2

    def excess(supposed: float) -> float:
        """How far the score test is from keeping the supposed difference; up to 0 it keeps it."""
        linear = 2 * n * supposed - n * (gains + losses) - n * supposed * difference
        constant = -n * losses * supposed * (1 - supposed)
        root = math.sqrt(max(0.0, linear**2 - 8 * n * constant))
        lost = max(0.0, (root - linear) / (4 * n))
        variance = max(0.0, 2 * lost + supposed * (1 - supposed))
        return n * (difference - supposed) ** 2 - square * variance

    return _end(excess, difference, -1.0), _end(excess, difference, 1.0)


def _effective(variance: float, spread: Spread) -> float:
    """How many 0/1 scores of this variance, drawn one by one, would have the error that was found.

    Where nothing varies the error tells nothing: then the units are all that is known to be independent.
    """
    if spread.is_plain or not spread.standard_error > ROUNDING or variance <= ROUNDING:
        return float(spread.units)
    return variance / spread.standard_error**2


def _quantile(spread: Spread, level: float) -> float:
    tail = (1 + level) / 2
    return _NORMAL.inv_cdf(tail) if spread.is_plain else student_quantile(tail, spread.units - 1)


def _end(excess: Callable[[float], float], inside: float, outside: float) -> float:
    """Where values stop being kept, between one that is and the end of the possible range.

    Where the straight line between the two crosses zero (the Illinois rule: an end that stays counts half the next
    time), or half way as long as there is no such line.
    """
    below, above = excess(inside), excess(outside)
    if above <= 0:
        return outside
    moved = ""
    for _ in range(_TURNS):
        if abs(outside - inside) <= _CLOSE:
            break
        middle = inside + (below / (below - above) if below < 0 else 0.5) * (outside - inside)
        found = excess(middle)
        if found <= 0:
            inside, below, above, moved = middle, found, above / 2 if moved == "inside" else above, "inside"
        else:
            outside, above, below, moved = middle, found, below / 2 if moved == "outside" else below, "outside"
    return (inside + outside) / 2


def all_zero_or_one(values: Floats) -> bool:
    """Whether every score is 0 or 1."""
    return bool(((values == 0.0) | (values == 1.0)).all())
