"""A mean that a judge gave for all and a person for some: the judge's mean, corrected where the person looked too.

Source: Angelopoulos, Duchi, Zrnic, PPI++: Efficient Prediction-Powered Inference (2023). What it assumes: the examples
that the person looked at are a random part of all, and examples are independent of each other. How good the judge is
need not be known: a useless one costs nothing but itself, for its weight then is 0.

The interval of opinions from 0 to 1 is Wilson's, with as many examples as would give the error that was found, and no
more than the labelled ones are worth: mean +- error covers a share near 0 or 1 far too seldom when few are labelled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from fullmarks.errors import InputError
from fullmarks.stats.interval import check_level
from fullmarks.stats.rows import ROUNDING, Floats
from fullmarks.stats.score_intervals import Spread, are_scores, wilson
from fullmarks.stats.student import student_quantile


@dataclass(frozen=True)
class PoweredMean:
    """The mean that the person would have given for all examples, and what it is made from."""

    mean: float
    low: float
    high: float
    level: float
    standard_error: float
    weight: float
    """How much of the judge's opinion counts, from 0 (not at all) to 1."""
    judged: int
    """Examples that only the judge looked at."""
    labelled: int
    """Examples that both looked at."""
    person_alone: float
    """The person's mean, over those labelled."""
    person_error: float
    judge_alone: float
    """The judge's mean over all examples: as far off as the judge is biased."""
    agreement: float
    """The share of labelled examples on which both say the same."""

    @property
    def worth(self) -> float:
        """How many labelled examples the person alone would have needed for the same error."""
        if self.standard_error <= ROUNDING:
            return float(self.labelled)
        return self.labelled * (self.person_error / self.standard_error) ** 2


def powered_mean(person: npt.ArrayLike, judge: npt.ArrayLike, judge_only: npt.ArrayLike, level: float) -> PoweredMean:
    """The mean and its interval from both opinions of the labelled examples and the judge's of the others."""
    check_level(level)
    ours, theirs, others = (_checked(values, name) for values, name in _named(person, judge, judge_only))
    n, more = len(ours), len(others)
    if n != len(theirs):
        raise InputError("judge", f"found {len(theirs)} opinions for {n} labelled examples", "Give one for each.")
    if n < 2:
        raise InputError("person", f"found {n} labelled examples; the spread of fewer than 2 cannot be known")
    if not more:
        raise InputError("judge", "no example has the judge's opinion alone, so it can add nothing")
    weight = _weight(ours, theirs, others)
    corrected = ours - weight * theirs
    mean = weight * float(others.mean()) + float(corrected.mean())
    error = math.sqrt(
        float(corrected.var(ddof=1)) / n + weight**2 * float(others.var(ddof=1 if more > 1 else 0)) / more
    )
    found = PoweredMean(
        mean=mean,
        low=math.nan,
        high=math.nan,
        level=level,
        standard_error=error,
        weight=weight,
        judged=more,
        labelled=n,
        person_alone=float(ours.mean()),
        person_error=math.sqrt(float(ours.var(ddof=1)) / n),
        judge_alone=float(np.concatenate([theirs, others]).mean()),
        agreement=float((ours == theirs).mean()),
    )
    low, high = _ends(found, are_shares=all(map(are_scores, (ours, theirs, others))))
    return replace(found, low=low, high=high)


def _ends(found: PoweredMean, *, are_shares: bool) -> tuple[float, float]:
    if not are_shares:
        half = student_quantile((1 + found.level) / 2, found.labelled - 1) * found.standard_error
        return found.mean - half, found.mean + half
    mean = min(1.0, max(0.0, found.mean))
    error = max(found.standard_error, math.sqrt(mean * (1 - mean) / found.worth))
    return wilson(mean, Spread(found.labelled, error, is_plain=False), found.level)


def _weight(person: Floats, judge: Floats, judge_only: Floats) -> float:
    """The weight that makes the error smallest, kept from 0 to 1; the two sums are divided as ppi-python does."""
    everywhere = np.concatenate([judge, judge_only])
    spread = float(everywhere.var(ddof=1))
    if spread <= ROUNDING:
        return 0.0
    shared = float(np.cov(person, judge, ddof=0)[0, 1])
    return min(1.0, max(0.0, shared / ((1 + len(person) / len(judge_only)) * spread)))


def _named(*values: npt.ArrayLike) -> list[tuple[npt.ArrayLike, str]]:
    return list(zip(values, ("person", "judge", "judge alone"), strict=True))


def _checked(values: npt.ArrayLike, name: str) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise InputError(name, "expected one finite number per example", "Write 0 or 1 for each.")
    return array
