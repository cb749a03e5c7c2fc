"""The Frechet distance that endless images would give: FID(n) of smaller and smaller parts, followed back to 1/n = 0.

The distance of finite sets lies above that of what they were drawn from, to first order by a multiple of 1/n. Each set
is cut at random into halves and thirds, the distances of corresponding parts are averaged, and a straight line through
these means and the distance of the whole sets, over 1/n, is followed to 0. Source: Chong and Forsyth, Effectively
Unbiased FID and Inception Score and Where to Find Them (2020), whose sizes reach down to a tenth: parts that small are
of low rank where images are not many more than dimensions, and the line then is none.

The interval has the error of the distance itself, by its influences (the line only shifts the distance), and that of
the random cuts. It assumes that the images of either set were drawn one by one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from fullmarks.errors import InputError
from fullmarks.stats.frechet import are_identical, frechet_distance
from fullmarks.stats.frechet_influence import FeatureSet, Influences, frechet_influences
from fullmarks.stats.gaussian import GaussianStatistics
from fullmarks.stats.interval import check_level
from fullmarks.stats.resampling import generator
from fullmarks.stats.rows import Floats

PARTS = (2, 3)
"""Into how many parts the sets are cut: the distances over 1, 2 and 3 times 1/n."""
ROUNDS = 2
"""How often each cut is made anew."""
FEWEST_ROWS_PER_DIMENSION = 2
"""With fewer, what is extrapolated still lies above the truth: in simulations by up to half of the bias."""
_FEWEST = 2 * max(PARTS)


@dataclass(frozen=True)
class Extrapolated:
    """The distance at endless images, where it may be, and what is to be known about it."""

    value: float
    """Below 0 where the sets are too alike for so few images to tell them apart."""
    low: float
    high: float
    level: float
    standard_error: float
    distance: float
    """Of the sets as they are."""
    note: str = ""


def fid_infinity(a: FeatureSet, b: FeatureSet, *, level: float = 0.95, seed: int = 0) -> Extrapolated:
    """The extrapolated distance of two sets of features; ready statistics on one side are held as they are.

    The same two sets give 0.
    """
    check_level(level)
    distance = frechet_distance(a.statistics, b.statistics)
    sides = [side for side in (a, b) if side.features is not None]
    if not sides:
        found = "both sides are ready statistics, which cannot be cut into parts"
        raise InputError("fid", found, "Give images for one side at least.")
    for side in sides:
        if side.features is not None and len(side.features) < _FEWEST:
            found = f"{len(side.features)} feature vectors cannot be cut into {max(PARTS)} parts of at least 2"
            raise InputError("fid", found, f"Give at least {_FEWEST} images.")
    if are_identical(a.statistics, b.statistics):
        return Extrapolated(0.0, 0.0, 0.0, level, 0.0, distance, "both sets are the same")
    random = generator(seed)
    rounds = {parts: [_mean_of_parts(a, b, parts, random) for _ in range(ROUNDS)] for parts in PARTS}
    steps = np.array([1.0, *PARTS])
    weights: Floats = np.linalg.pinv(np.stack([np.ones_like(steps), steps], axis=1))[0]
    means = np.array([distance, *(np.mean(rounds[parts]) for parts in PARTS)])
    cuts = [float(np.var(rounds[parts], ddof=1)) / ROUNDS for parts in PARTS]
    error = math.sqrt(_variance(frechet_influences(a, b)) + float(weights[1:] ** 2 @ np.array(cuts)))
    value = float(weights @ means)
    half = NormalDist().inv_cdf((1 + level) / 2) * error
    return Extrapolated(
        value, max(0.0, value - half), max(0.0, value + half), level, error, distance, _note(sides, value)
    )


def _mean_of_parts(a: FeatureSet, b: FeatureSet, parts: int, random: np.random.Generator) -> float:
    pairs = zip(_cut(a, parts, random), _cut(b, parts, random), strict=True)
    return float(np.mean([frechet_distance(ours, theirs) for ours, theirs in pairs]))


def _cut(side: FeatureSet, parts: int, random: np.random.Generator) -> list[GaussianStatistics]:
    if side.features is None:
        return [side.statistics] * parts
    order = random.permutation(len(side.features))
    return [GaussianStatistics.from_features([side.features[part]]) for part in np.array_split(order, parts)]


def _variance(moved: Influences) -> float:
    return sum(float(values.var(ddof=1)) / len(values) for values in moved if values is not None)


def _note(sides: list[FeatureSet], value: float) -> str:
    told = []
    fewest = min(len(side.features) for side in sides if side.features is not None)
    dimension = sides[0].statistics.dimension
    if fewest < FEWEST_ROWS_PER_DIMENSION * dimension:
        told.append(
            f"{fewest} feature vectors for {dimension} dimensions: too few to extrapolate from, still too high "
            f"(at least {FEWEST_ROWS_PER_DIMENSION * dimension} advised)"
        )
    if len(sides) == 1:
        told.append("one side is ready statistics and taken as exact")
    if value < 0:
        told.append("below 0: so few images cannot tell the sets apart")
    return "; ".join(told)
