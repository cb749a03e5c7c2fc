"""Everything known about the difference between two systems on the same examples, one record per score."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import starmap

import numpy as np
import numpy.typing as npt

from fullmarks.errors import MismatchError
from fullmarks.stats.bootstrap import Bootstrap, bootstrap
from fullmarks.stats.equivalence import Equivalence, IntervalMaker, equivalence
from fullmarks.stats.interval import Interval, Method
from fullmarks.stats.paired import (
    EffectSize,
    Outcomes,
    bootstrap_p_value,
    effect_size,
    is_binary,
    mcnemar,
    outcomes,
)
from fullmarks.stats.permutation import PermutationTest, permutation_test
from fullmarks.stats.rows import ROUNDING, Finish, Floats, apply_finish, checked_pair, means, score
from fullmarks.stats.score_intervals import are_scores, tango_interval

_SUMMED = 1e-9
"""Sums of many scores in another order differ by less than this part."""
FEWEST_FOR_BOOTSTRAP = 50
"""Over fewer units the bootstrap tells equally good systems apart at 0.05 in up to 7.5 % of simulated sets."""


@dataclass(frozen=True)
class PairedTest:
    """The difference of one score, system minus baseline, and how sure it is."""

    system: float
    baseline: float
    difference: float
    interval: Interval
    """Of the difference."""
    permutation: PermutationTest
    p_bootstrap: float | None
    """None where there are too few units for it, and where it was not asked for."""
    p_mcnemar: float | None
    """None unless the score is a mean of 0/1 over examples that are not clustered."""
    effect: EffectSize | None
    """None where the score is no mean of the examples' own: their differences may then have the other sign."""
    outcomes: Outcomes | None
    """None where `effect` is."""
    examples: int
    equivalence: Equivalence | None = None
    """None where it was not asked for."""


def compare_systems(
    system: npt.ArrayLike,
    baseline: npt.ArrayLike,
    finish: Finish = means,
    *,
    example_scores: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
    level: float = 0.95,
    method: Method = "auto",
    resamples: int = 10_000,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
    held: Sequence[int] = (),
    in_full: bool = True,
    margin: float | None = None,
) -> tuple[PairedTest, ...]:
    """One record per score of `finish`; equal rows give a difference of 0 and p-values of 1.

    `example_scores` are the scores of each example, shape (n, m), for the system and the baseline; without
    them each row is finished alone. `held` are the columns that repeat a number of the whole: a difference that rests
    on them alone, or on a single unit, cannot be tested, and its p-values are 1. Without `in_full` there is no
    `p_bootstrap` and no `equivalence`, which is tested for the `margin` where one is given.
    """
    first, second = checked_pair(system, baseline)

    @cache
    def resampled() -> Bootstrap:
        return bootstrap_difference(first, second, finish, resamples=resamples, seed=seed, clusters=clusters)

    tests = permutation_test(first, second, finish, permutations=resamples, seed=seed, clusters=clusters, held=held)
    scores = score(first, finish), score(second, finish)
    by_example = _example_scores(first, second, finish, example_scores)
    exact_mcnemar = finish is means and clusters is None
    unknown = _rests_on(held, first, second, finish)

    def interval_maker(index: int) -> IntervalMaker:
        if finish is means and method == "auto":
            ours, theirs = first[:, [index]], second[:, [index]]
            if are_scores(ours) and are_scores(theirs):
                return lambda level: tango_interval(ours, theirs, level, clusters)
        return lambda level: resampled().interval(index, level=level, method=method)

    def record(index: int) -> PairedTest:
        interval_at = interval_maker(index)
        return _record(
            scores=(float(scores[0][index]), float(scores[1][index])),
            by_example=(by_example[0][:, index], by_example[1][:, index]),
            interval=interval_at(level),
            permutation=tests[index],
            p_bootstrap=_p_bootstrap(resampled(), index, is_unknown=unknown[index]) if in_full else None,
            exact_mcnemar=exact_mcnemar,
            equivalence=equivalence(interval_at, level, margin) if in_full else None,
        )

    return tuple(record(index) for index in range(len(tests)))


def _p_bootstrap(resampled: Bootstrap, index: int, *, is_unknown: bool) -> float | None:
    if resampled.units.count < FEWEST_FOR_BOOTSTRAP:
        return None
    if is_unknown:
        return 1.0
    return bootstrap_p_value(float(resampled.estimate[index]), resampled.replicates[:, index], resampled.units.count)


def bootstrap_difference(
    system: npt.ArrayLike,
    baseline: npt.ArrayLike,
    finish: Finish = means,
    *,
    resamples: int = 10_000,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
) -> Bootstrap:
    """Resample the examples of both systems together and take the difference of their scores."""
    first, second = checked_pair(system, baseline)
    if finish is means:
        return bootstrap(first - second, means, resamples=resamples, seed=seed, clusters=clusters)
    both = np.hstack([first, second])
    difference = _difference_of(finish, first.shape[1])
    return bootstrap(both, difference, resamples=resamples, seed=seed, clusters=clusters)


def _rests_on(held: Sequence[int], system: Floats, baseline: Floats, finish: Finish) -> list[bool]:
    """Whether the difference of each score is that of the held columns alone."""
    ours = score(system, finish)
    if not held:
        return [False] * len(ours)
    moved = baseline.copy()
    moved[:, list(held)] = system[:, list(held)]
    return list(score(moved, finish) == ours)


def _difference_of(finish: Finish, columns: int) -> Finish:
    """The `finish` of rows that hold both systems' columns; differences of rounding alone become 0."""

    def difference(sums: Floats, n: Floats) -> Floats:
        system, baseline = finish(sums[..., :columns], n), finish(sums[..., columns:], n)
        found = system - baseline
        scale = np.maximum(np.abs(system), np.abs(baseline))
        return np.where(np.abs(found) <= ROUNDING * scale, 0.0, found)

    return difference


def _example_scores(
    system: Floats,
    baseline: Floats,
    finish: Finish,
    given: tuple[npt.ArrayLike, npt.ArrayLike] | None,
) -> tuple[Floats, Floats]:
    one = np.ones((len(system), 1))
    if given is None:
        return apply_finish(finish, system, one), apply_finish(finish, baseline, one)
    first, second = (np.asarray(values, dtype=np.float64) for values in given)
    expected = (len(system), len(score(system, finish)))
    for values in (first, second):
        if values.shape != expected:
            found = f"found shape {values.shape}, expected {expected}"
            raise MismatchError("example_scores", found, "Give one line per example and one column per score.")
    return first, second


def _record(
    *,
    scores: tuple[float, float],
    by_example: tuple[Floats, Floats],
    interval: Interval,
    permutation: PermutationTest,
    p_bootstrap: float | None,
    exact_mcnemar: bool,
    equivalence: Equivalence | None,
) -> PairedTest:
    system, baseline = scores
    counts = outcomes(*by_example)
    is_of_examples = all(starmap(_is_their_mean, zip(scores, by_example, strict=True)))
    binary = exact_mcnemar and is_binary(*by_example)
    return PairedTest(
        system=system,
        baseline=baseline,
        difference=system - baseline,
        interval=interval,
        permutation=permutation,
        p_bootstrap=p_bootstrap,
        p_mcnemar=mcnemar(counts.wins, counts.losses) if binary else None,
        effect=effect_size(*by_example) if is_of_examples else None,
        outcomes=counts if is_of_examples else None,
        examples=len(by_example[0]),
        equivalence=equivalence,
    )


def _is_their_mean(whole: float, by_example: Floats) -> bool:
    """Whether the score is the mean of the examples' own, where they have one."""
    defined = by_example[np.isfinite(by_example)]
    return bool(len(defined)) and math.isclose(whole, float(defined.mean()), rel_tol=_SUMMED, abs_tol=_SUMMED)
