"""The paired permutation test: if two systems are alike, swapping their rows on any example changes nothing.

Examples on which the rows are equal never matter, and examples with the same difference are interchangeable,
so the test walks over how many of each kind are swapped: all possible numbers, with their binomial weights,
when they are few enough, else a random sample.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from fullmarks.stats.resampling import block_sizes, check_resamples, generator
from fullmarks.stats.rows import (
    ROUNDING,
    Finish,
    Floats,
    Integers,
    apply_finish,
    checked_pair,
    cluster_sums,
    collapse,
    column_totals,
    means,
)

EXACT_STATES = 1 << 16
"""Up to this many different outcomes the test is exact: 16 differences, or thousands of equal ones."""

_MANY = 256
"""From this many interchangeable examples on, one binomial draw is faster than a random bit for each."""


@dataclass(frozen=True)
class PermutationTest:
    """How often chance alone gives a difference at least as large, in either direction."""

    p_value: float
    """NaN where the difference itself is undefined."""
    method: Literal["exact", "monte carlo", "runs"]
    """"runs": no permutation, but a test over examples and runs, where systems have several."""
    permutations: int
    """Different outcomes weighed (exact) or random permutations drawn (Monte Carlo)."""
    seed: int | None
    """None for the exact test, which draws nothing."""


@dataclass(frozen=True, eq=False)
class _Swaps:
    """What swapping can change: the sums of either system are `half` plus or minus what was swapped."""

    half: Floats
    """Half the column totals of both systems together."""
    differences: Floats
    """The distinct differences of units, zero left out, up to sign: one per line."""
    multiplicity: Integers
    observed: Floats
    """Half the difference of the column totals as they are, of the columns that are swapped."""
    held: Floats
    """The same of the columns that are not."""
    examples: Floats


def permutation_test(
    system: npt.ArrayLike,
    baseline: npt.ArrayLike,
    finish: Finish = means,
    *,
    permutations: int = 10_000,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
    held: Sequence[int] = (),
) -> tuple[PermutationTest, ...]:
    """One two-sided test per score of `finish`; whole clusters are swapped when labels are given.

    Columns in `held` repeat a number of each system as a whole, which no example can lend to the other: they stay.
    Monte Carlo p-values count the outcome as it is among the drawn ones, so they are never zero. Source:
    Phipson and Smyth, Permutation P-values Should Never Be Zero (2010).
    """
    check_resamples(permutations)
    first, second = checked_pair(system, baseline)
    if finish is not means:
        return _test(_swaps(first, second, clusters, held), finish, permutations, seed)
    # Columns of means do not touch each other: alone, each has fewer kinds of difference.
    alone = (
        _swaps(first[:, [column]], second[:, [column]], clusters, [0] if column in held else [])
        for column in range(first.shape[1])
    )
    return tuple(test for swaps in alone for test in _test(swaps, finish, permutations, seed))


def _swaps(system: Floats, baseline: Floats, clusters: Sequence[Hashable] | None, held: Sequence[int] = ()) -> _Swaps:
    changes = system - baseline
    changes[:, list(held)] = 0.0
    units, _ = cluster_sums(changes, clusters)
    changing = units[(units != 0).any(axis=1)]
    first = (changing != 0).argmax(axis=1)
    signs = np.sign(changing[np.arange(len(changing)), first])[:, None]
    empty = (changing, np.empty(0, dtype=np.int64))
    differences, multiplicity = collapse(changing * signs) if len(changing) else empty
    totals, others = column_totals(system), column_totals(baseline)
    half, observed = (totals + others) / 2, (totals - others) / 2
    stays = np.zeros(len(observed), dtype=bool)
    stays[list(held)] = True
    swapped, kept = np.where(stays, 0.0, observed), np.where(stays, observed, 0.0)
    return _Swaps(half, differences, multiplicity, swapped, kept, np.array([float(len(system))]))


def _test(swaps: _Swaps, finish: Finish, permutations: int, seed: int) -> tuple[PermutationTest, ...]:
    observed, scale = _differences(swaps, finish, swaps.observed)
    threshold = np.abs(observed) - ROUNDING * scale
    states = math.prod(int(count) + 1 for count in swaps.multiplicity)
    exact = states <= EXACT_STATES
    blocks = _all_swaps(swaps, states) if exact else _random_swaps(swaps, permutations, generator(seed))
    reached = np.zeros_like(observed)
    for swapped, weights in blocks:
        permuted, _ = _differences(swaps, finish, swapped)
        # An undefined score is no evidence of a difference: it counts as one that reached it.
        reached += weights @ ~(np.abs(permuted) < threshold)
    p_values = np.minimum(1.0, reached) if exact else (reached + 1) / (permutations + 1)
    p_values = np.where(np.isfinite(observed), p_values, np.nan)
    if exact:
        return tuple(PermutationTest(float(value), "exact", states, None) for value in p_values)
    return tuple(PermutationTest(float(value), "monte carlo", permutations, seed) for value in p_values)


def _differences(swaps: _Swaps, finish: Finish, halves: Floats) -> tuple[Floats, Floats]:
    """The differences of scores when the swapped sums differ by twice `halves`, and the size of the scores."""
    halves = halves + swaps.held
    n = np.broadcast_to(swaps.examples, (*halves.shape[:-1], 1))
    system, baseline = (apply_finish(finish, sums, n) for sums in (swaps.half + halves, swaps.half - halves))
    return system - baseline, np.maximum(np.abs(system), np.abs(baseline))


def _all_swaps(swaps: _Swaps, states: int) -> Iterator[tuple[Floats, Floats]]:
    """Every outcome once, with its probability, in blocks."""
    kinds = len(swaps.multiplicity)
    if kinds == 0:
        yield np.zeros((1, swaps.half.shape[0])), np.ones(1)
        return
    chances = [half_binomial(int(count)) for count in swaps.multiplicity]
    start = 0
    for size in block_sizes(states, kinds):
        counts = np.unravel_index(np.arange(start, start + size), [len(chance) for chance in chances])
        weights = np.ones(size)
        for count, chance in zip(counts, chances, strict=True):
            weights *= chance[count]
        yield (np.stack(counts, axis=1) - swaps.multiplicity / 2) @ swaps.differences, weights
        start += size


def _random_swaps(swaps: _Swaps, permutations: int, random: np.random.Generator) -> Iterator[tuple[Floats, Floats]]:
    """Blocks of outcomes drawn at random, each of weight one."""
    many = swaps.multiplicity >= _MANY
    single = np.repeat(swaps.differences[~many], swaps.multiplicity[~many], axis=0)
    frequent, counts = swaps.differences[many], swaps.multiplicity[many]
    width = -(-len(single) // 8)
    for size in block_sizes(permutations, 8 * width + len(counts)):
        octets = random.integers(0, 256, size=(size, width), dtype=np.uint8)
        bits = np.unpackbits(octets, axis=1, count=len(single)).astype(np.float64)
        drawn = random.binomial(counts, 0.5, size=(size, len(counts)))
        yield (bits - 0.5) @ single + (drawn - counts / 2) @ frequent, np.ones(size)


def half_binomial(trials: int) -> Floats:
    """The chances of 0 to `trials` heads of a fair coin.

    From the middle outwards by ratios, so that only chances too small for a float become zero.

    >>> half_binomial(3)
    array([0.125, 0.375, 0.375, 0.125])
    """
    middle = trials // 2
    heads = np.arange(middle, trials)
    upper = np.cumprod(np.append(math.comb(trials, middle) / 2**trials, (trials - heads) / (heads + 1)))
    return np.concatenate([upper[::-1][:middle], upper])
