"""Everything known about the difference between two systems on the same examples, one record per score."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fullmarks.errors import MismatchError
from fullmarks.stats.bootstrap import Bootstrap, bootstrap
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
    """None where there are too few units for it."""
    p_mcnemar: float | None
    """None unless the score is a mean of 0/1 over examples that are not clustered."""
    effect: EffectSize
    outcomes: Outcomes
    examples: int


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
) -> tuple[PairedTest, ...]:
    """One record per score of `finish`; equal rows give a difference of 0 and p-values of 1.

    `example_scores` are the scores of each example, shape (n, m), for the system and the baseline; without
    them each row is finished alone. `held` are the columns that repeat a number of the whole: a difference that rests
    on them alone, or on a single unit, cannot be tested, and its p-values are 1.
    """
    first, second = checked_pair(system, baseline)
    resampled = bootstrap_difference(first, second, finish, resamples=resamples, seed=seed, clusters=clusters)
    intervals = list(resampled.intervals(level=level, method=method))
    if finish is means and method == "auto":
        for column in range(len(intervals)):
            ours, theirs = first[:, [column]], second[:, [column]]
            if are_scores(ours) and are_scores(theirs):
                intervals[column] = tango_interval(ours, theirs, level, clusters)
    tests = permutation_test(first, second, finish, permutations=resamples, seed=seed, clusters=clusters, held=held)
    scores = score(first, finish), score(second, finish)
    by_example = _example_scores(first, second, finish, example_scores)
    exact_mcnemar = finish is means and clusters is None
    unknown = np.array(_rests_on(held, first, second, finish)) | (resampled.units.count == 1)
    return tuple(
        _record(
            scores=(float(scores[0][index]), float(scores[1][index])),
            by_example=(by_example[0][:, index], by_example[1][:, index]),
            interval=intervals[index],
            permutation=tests[index],
            p_bootstrap=_p_bootstrap(resampled, index, is_unknown=bool(unknown[index])),
            exact_mcnemar=exact_mcnemar,
        )
        for index in range(len(intervals))
    )


def _p_bootstrap(resampled: Bootstrap, index: int, *, is_unknown: bool) -> float | None:
    if resampled.units.count < FEWEST_FOR_BOOTSTRAP:
        return None
    if is_unknown:
        return 1.0
    return bootstrap_p_value(float(resampled.estimate[index]), resampled.replicates[:, index])


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
) -> PairedTest:
    system, baseline = scores
    counts = outcomes(*by_example)
    binary = exact_mcnemar and is_binary(*by_example)
    return PairedTest(
        system=system,
        baseline=baseline,
        difference=system - baseline,
        interval=interval,
        permutation=permutation,
        p_bootstrap=p_bootstrap,
        p_mcnemar=mcnemar(counts.wins, counts.losses) if binary else None,
        effect=effect_size(*by_example),
        outcomes=counts,
        examples=len(by_example[0]),
    )
