"""The paired permutation test: if two systems are alike, swapping their rows on any example changes nothing.

Examples on which the rows are equal never matter, and examples with the same difference are interchangeable,
so the test walks over how many of each kind are swapped: all possible numbers, each with the ways that lead to it,
when they are few enough, else a random sample. Ways are counted in whole numbers, so that an exact p-value is the
nearest float to the true one on every machine.

A random sample cannot give less than one over its size. So a difference that few of the permutations reach is looked
at longer, until `REACHED` of them do or there are `LONGER` times as many (fewer where one is much work); and a
difference of means so clear that a bound proves it rarer than that takes the bound. Nothing of this hangs on what else
is tested.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Literal, TypeAlias

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
from fullmarks.stats.sign_bound import sign_bound

Booleans: TypeAlias = npt.NDArray[np.bool_]

EXACT_STATES = 1 << 16
"""Up to this many different outcomes the test is exact: 16 differences, or thousands of equal ones."""

REACHED = 10
"""A share of permutations is known well enough when so many of them reached the difference."""

LONGER = 20
"""At most so many times the permutations asked for are drawn where fewer did."""

_LONGER_CELLS = 1 << 28
"""Permutations times units that are worked through for it at most: a second or two."""

_FINISH_CELLS = 5_000
"""The score of sums that is no mean takes about as long as drawing so many units."""

_INTEGER_BITS = 63
"""The whole numbers below two to this power fit NumPy's; larger ones are left to Python's."""

_MANY = 256
"""From this many interchangeable examples on, one binomial draw is faster than a random bit for each."""


@dataclass(frozen=True)
class PermutationTest:
    """How often chance alone gives a difference at least as large, in either direction."""

    p_value: float
    """NaN where the difference itself is undefined."""
    method: Literal["exact", "monte carlo", "bound", "runs"]
    """"bound": the p-value is not more than this one, which is less than random permutations could show. "runs": no
    permutation, but a test over examples and runs, where systems have several."""
    permutations: int
    """Different outcomes weighed (exact) or random permutations drawn (Monte Carlo)."""
    seed: int | None
    """None where nothing is drawn."""
    smallest: float = 0.0
    """The least p-value that the same examples could have given, however they had come out."""
    is_floor: bool = False
    """Whether no random permutation reached the difference: more of them might give a smaller p-value."""


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
    Monte Carlo p-values count the outcome as it is among the drawn ones, so they are never zero. Sources: Phipson and
    Smyth, Permutation P-values Should Never Be Zero (2010); for those that were drawn longer, Besag and Clifford,
    Sequential Monte Carlo P-values (1991).
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
    states = math.prod(int(count) + 1 for count in swaps.multiplicity)
    threshold = np.abs(observed) - ROUNDING * scale
    if states <= EXACT_STATES:
        tests = _exact(swaps, finish, states, threshold)
    else:
        cells = int(swaps.multiplicity.sum()) + (0 if finish is means else _FINISH_CELLS)
        most = max(permutations, min(LONGER * permutations, _LONGER_CELLS // cells))
        if finish is means and (bound := _bound(swaps, threshold)) < 1 / (most + 1):
            return (PermutationTest(bound, "bound", 0, None, _least(swaps)),)
        tests = _drawn(swaps, finish, (permutations, most), seed, threshold)
    known = np.isfinite(observed).tolist()
    return tuple(
        test if is_known else replace(test, p_value=math.nan) for test, is_known in zip(tests, known, strict=True)
    )


def _exact(swaps: _Swaps, finish: Finish, states: int, threshold: Floats) -> list[PermutationTest]:
    blocks = (_differences(swaps, finish, swapped) for swapped in _all_swaps(swaps, states))
    permuted, sizes = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    distances, multiplicity = np.abs(permuted), swaps.multiplicity.tolist()
    # An undefined score is no evidence of a difference: it counts as one that reached it.
    p_values = [_exact_share(column, multiplicity) for column in (~(distances < threshold)).T]
    if finish is means:
        smallest = [_least(swaps)] * len(p_values)
    else:
        farthest, largest = (np.where(np.isnan(each), 0.0, each).max(axis=0) for each in (distances, sizes))
        smallest = [_exact_share(column, multiplicity) for column in (~(distances < farthest - ROUNDING * largest)).T]
    return [
        PermutationTest(p_value, "exact", states, None, least)
        for p_value, least in zip(p_values, smallest, strict=True)
    ]


def _bound(swaps: _Swaps, threshold: Floats) -> float:
    """Of the one mean that is tested."""
    return sign_bound(swaps.differences[:, 0], swaps.multiplicity, float(threshold[0] * swaps.examples[0]))


def _least(swaps: _Swaps) -> float:
    """The share of the two outcomes in which one system has the better of every unit that is not a tie."""
    return min(1.0, 2.0 ** (1 - int(swaps.multiplicity.sum())))


def _drawn(
    swaps: _Swaps, finish: Finish, least_and_most: tuple[int, int], seed: int, threshold: Floats
) -> list[PermutationTest]:
    """The tests by the least number of random permutations, or up to the most where few of these reach them."""
    random = generator(seed)
    permutations, most = least_and_most
    counts = np.zeros(len(threshold), dtype=np.int64)
    moves = np.zeros(len(threshold), dtype=bool)
    for permuted, sizes in _drawn_differences(swaps, finish, permutations, random):
        counts += np.count_nonzero(~(permuted < threshold), axis=0)
        moves |= (permuted > ROUNDING * sizes).any(axis=0)
    drawn = np.full(len(threshold), permutations)
    few = counts < REACHED
    if few.any():
        for permuted, _ in _drawn_differences(swaps, finish, most - permutations, random):
            reached = counts + np.cumsum(~(permuted < threshold), axis=0)
            # The permutation that was the last one needed counts in place of the outcome as it is.
            places = np.where(reached[-1] >= REACHED, (reached >= REACHED).argmax(axis=0), len(reached))
            drawn = np.where(few, drawn + places, drawn)
            counts = np.where(few, np.minimum(reached[-1], REACHED - 1), counts)
            few &= reached[-1] < REACHED
            if not few.any():
                break
    return [
        PermutationTest((count + 1) / (times + 1), "monte carlo", times, seed, _least(swaps) if can else 1.0, not count)
        for count, times, can in zip(counts.tolist(), drawn.tolist(), moves.tolist(), strict=True)
    ]


def _drawn_differences(
    swaps: _Swaps, finish: Finish, permutations: int, random: np.random.Generator
) -> Iterator[tuple[Floats, Floats]]:
    """Blocks of how far apart the scores are in outcomes drawn at random, and of their sizes."""
    for swapped in _random_swaps(swaps, permutations, random):
        permuted, sizes = _differences(swaps, finish, swapped)
        yield np.abs(permuted), sizes


def _exact_share(reached: Booleans, multiplicity: list[int]) -> float:
    """The share of all ways to swap whose outcome reached the observed one, counted in whole numbers.

    `reached` has one entry per outcome, in the order of `_all_swaps`; the rounding of the one division is all there is.
    """
    if not multiplicity:
        return float(reached[0])
    first, *others = multiplicity  # the most frequent one: only its counts can be very large
    small = np.int64 if sum(others) < _INTEGER_BITS else np.object_
    ways = np.ones(1, dtype=small)
    for count in others:
        ways = np.multiply.outer(ways, np.array(list(_combinations(count)), dtype=small)).ravel()
    by_first = np.where(reached.reshape(first + 1, -1), ways, 0).sum(axis=1).tolist()
    total = sum(weight * beside for weight, beside in zip(_combinations(first), by_first, strict=True) if beside)
    return int(total) / (1 << sum(multiplicity))


def _combinations(count: int) -> Iterator[int]:
    """In how many ways none, one, ... all of so many things can be chosen.

    >>> list(_combinations(4))
    [1, 4, 6, 4, 1]
    """
    return accumulate(range(count), lambda ways, chosen: ways * (count - chosen) // (chosen + 1), initial=1)


def _differences(swaps: _Swaps, finish: Finish, halves: Floats) -> tuple[Floats, Floats]:
    """The differences of scores when the swapped sums differ by twice `halves`, and the size of the scores."""
    halves = halves + swaps.held
    n = np.broadcast_to(swaps.examples, (*halves.shape[:-1], 1))
    system, baseline = (apply_finish(finish, sums, n) for sums in (swaps.half + halves, swaps.half - halves))
    return system - baseline, np.maximum(np.abs(system), np.abs(baseline))


def _all_swaps(swaps: _Swaps, states: int) -> Iterator[Floats]:
    """Every outcome once, in blocks: how many of the last kind are swapped changes first."""
    kinds = len(swaps.multiplicity)
    if kinds == 0:
        yield np.zeros((1, swaps.half.shape[0]))
        return
    start = 0
    for size in block_sizes(states, kinds):
        counts = np.unravel_index(np.arange(start, start + size), swaps.multiplicity + 1)
        yield (np.stack(counts, axis=1) - swaps.multiplicity / 2) @ swaps.differences
        start += size


def _random_swaps(swaps: _Swaps, permutations: int, random: np.random.Generator) -> Iterator[Floats]:
    """Blocks of outcomes drawn at random."""
    many = swaps.multiplicity >= _MANY
    single = np.repeat(swaps.differences[~many], swaps.multiplicity[~many], axis=0)
    frequent, counts = swaps.differences[many], swaps.multiplicity[many]
    width = -(-len(single) // 8)
    for size in block_sizes(permutations, 8 * width + len(counts)):
        octets = random.integers(0, 256, size=(size, width), dtype=np.uint8)
        bits = np.unpackbits(octets, axis=1, count=len(single)).astype(np.float64)
        drawn = random.binomial(counts, 0.5, size=(size, len(counts)))
        yield (bits - 0.5) @ single + (drawn - counts / 2) @ frequent


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
