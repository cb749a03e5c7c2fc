"""Drawing units with replacement: how often each one is drawn, in blocks, so memory does not grow with the
number of resamples.

The same seed gives the same draws whatever the block size: blocks only cut one stream of random numbers. A
resample is a line of counts over the units and its sums are a matrix product; two short cuts with the same
distribution save the counting where they are faster.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from fullmarks.checks import check_kind
from fullmarks.errors import UsageError
from fullmarks.stats.rows import Finish, Floats, Integers, Units, apply_finish

BLOCK_CELLS = 1 << 17
"""Cells (resamples times units) drawn at once: about a megabyte per array, which stays in a core's cache."""

MOST_RESAMPLES = 1_000_000
"""More say nothing that these do not: the ends of a 95 % interval then move by less than a hundredth of its width. The
scores of every resample are kept, eight bytes each."""

_DRAWS_PER_BINOMIAL = 30
"""A count drawn from a binomial costs about as much as this many drawn examples."""

_DRAWS_KEPT, _CELLS_KEPT = 256, 1 << 16
"""How many drawings are remembered, and how many cells (resamples times kinds of units) of each at most: together about
thirty megabytes where slices have fewer than 65,536 examples."""

_GATHERED_COLUMNS = 3
"""Up to this many columns, adding up the drawn values is faster than counting the draws."""


def generator(seed: int) -> np.random.Generator:
    """The random numbers of a seed: PCG64, the same digits on every run."""
    check_seed(seed)
    return np.random.Generator(np.random.PCG64(seed))


def check_seed(seed: int) -> None:
    """An error unless it is a whole number of 0 or more."""
    check_kind("seed", seed, int)
    if seed < 0:
        raise UsageError(f"seed {seed} is negative; give 0 or a positive whole number")


def check_resamples(resamples: int) -> None:
    """An error unless at least two resamples are asked for, and at most `MOST_RESAMPLES`."""
    check_kind("resamples", resamples, int)
    if resamples < 2:
        raise UsageError(f"{resamples} resamples say nothing about spread; give 2 or more (10000 is usual)")
    if resamples > MOST_RESAMPLES:
        raise UsageError(f"{resamples} resamples are too many; give at most {MOST_RESAMPLES} (10000 is usual)")


def block_sizes(resamples: int, width: int) -> Iterator[int]:
    """The sizes of the blocks that `resamples` lines of `width` cells are worked through in."""
    block = max(1, BLOCK_CELLS // width)
    for start in range(0, resamples, block):
        yield min(block, resamples - start)


def _counts(draws: Integers, width: int) -> Floats:
    counts = np.empty((len(draws), width))
    for line, drawn in zip(counts, draws, strict=True):
        line[:] = np.bincount(drawn, minlength=width)
    return counts


def resampled_scores(units: Units, finish: Finish, *, resamples: int, seed: int) -> Floats:
    """The scores of every resample, shape (resamples, m)."""
    check_resamples(resamples)
    check_seed(seed)
    table = np.hstack([units.sums, units.sizes])
    scores, done = np.empty((0, 0)), 0
    for totals in _resampled_totals(table, units.multiplicity, resamples, seed):
        block = apply_finish(finish, totals[:, :-1], totals[:, -1:])
        if not done:
            scores = np.empty((resamples, block.shape[1]))
        scores[done : done + len(block)] = block
        done += len(block)
    return scores


def _resampled_totals(table: Floats, multiplicity: Integers, resamples: int, seed: int) -> Iterator[Floats]:
    """Blocks of column totals over resamples of the lines of `table`."""
    count = int(multiplicity.sum())
    if len(table) * _DRAWS_PER_BINOMIAL > count:
        yield from _totals_of_many(np.repeat(table, multiplicity, axis=0), resamples, generator(seed))
        return
    if resamples * len(table) <= _CELLS_KEPT:
        yield _drawn(tuple(multiplicity.tolist()), resamples, seed).astype(np.float64) @ table
        return
    random = generator(seed)
    for size in block_sizes(resamples, len(table)):
        yield random.multinomial(count, multiplicity / count, size=size) @ table


@lru_cache(maxsize=_DRAWS_KEPT)
def _drawn(multiplicity: tuple[int, ...], resamples: int, seed: int) -> Integers:
    """How often each kind of unit is drawn, in every resample.

    Nothing but these numbers decides it, and the small slices of many systems are often alike: so it is kept.
    """
    count = sum(multiplicity)
    drawn = generator(seed).multinomial(count, np.array(multiplicity) / count, size=resamples)
    kept: Integers = drawn.astype(np.min_scalar_type(count))
    kept.flags.writeable = False
    return kept


def _totals_of_many(table: Floats, resamples: int, random: np.random.Generator) -> Iterator[Floats]:
    """The same, unit by unit. A column without spread needs no sum, as the sizes of single examples."""
    count = len(table)
    varied = np.flatnonzero((table != table[0]).any(axis=0))
    columns = np.asfortranarray(table[:, varied])
    for size in block_sizes(resamples, count):
        draws = random.integers(0, count, size=(size, count))
        totals = np.tile(table[0] * count, (size, 1))
        if len(varied) <= _GATHERED_COLUMNS:
            for column, values in zip(varied, columns.T, strict=True):
                totals[:, column] = values.take(draws).sum(axis=1)
        else:
            totals[:, varied] = _counts(draws, count) @ columns
        yield totals
