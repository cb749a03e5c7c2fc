"""Resampling: each way of drawing has the multinomial distribution, and memory stays bounded."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

from fullmarks.analysis.intervals import Sampling
from fullmarks.errors import UsageError
from fullmarks.stats import resampling
from fullmarks.stats.resampling import resampled_scores
from fullmarks.stats.rows import Floats, means, units_of


def rows_of(distinct: int, examples: int = 600, columns: int = 1) -> Floats:
    """Rows with the given number of distinct lines."""
    values = np.random.default_rng(3).random((distinct, columns))
    return values[np.arange(examples) % distinct]


# 20 distinct lines of 600: multinomial; 600 and 1 column: gathered; 600 and 5 columns: counted.
WAYS = {"multinomial": rows_of(20), "gathered": rows_of(600), "counted": rows_of(600, columns=5)}

LARGE = {
    "multinomial": rows_of(400, 12_000),
    "gathered": rows_of(12_000, 12_000),
    "counted": rows_of(12_000, 12_000, columns=5),
}


@pytest.mark.parametrize("way", WAYS)
def test_mean_and_covariance_of_resampled_means_are_the_known_ones(way: str) -> None:
    rows, resamples = WAYS[way], 20_000
    scores = resampled_scores(units_of(rows), means, resamples=resamples, seed=1)
    known = np.cov(rows.T, ddof=0).reshape(rows.shape[1], -1) / len(rows)
    deviations = np.sqrt(np.diag(known))
    # Five standard errors of a mean over the resamples.
    assert np.all(np.abs(scores.mean(axis=0) - rows.mean(axis=0)) < 5 * deviations / np.sqrt(resamples))
    # A sample covariance of normal values is off by at most sqrt(2 / resamples) = 1 % of the deviations: five
    # times that.
    found = np.cov(scores.T).reshape(known.shape)
    assert np.all(np.abs(found - known) < 0.05 * np.outer(deviations, deviations))


@pytest.mark.parametrize("way", WAYS)
def test_every_resample_has_as_many_examples_as_the_rows(way: str) -> None:
    sizes = resampled_scores(units_of(WAYS[way]), lambda sums, n: n, resamples=200, seed=1)
    assert np.all(sizes == 600)


@pytest.mark.parametrize("way", WAYS)
def test_blocks_cut_one_stream(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    units = units_of(WAYS[way])
    whole = resampled_scores(units, means, resamples=50, seed=1)
    monkeypatch.setattr(resampling, "BLOCK_CELLS", 1)
    one_by_one = resampled_scores(units, means, resamples=50, seed=1)
    # The draws are equal; a matrix product may add them up in another order.
    np.testing.assert_allclose(one_by_one, whole, rtol=1e-13, atol=0)


@pytest.mark.parametrize("way", WAYS)
def test_memory_does_not_grow_with_the_resamples(way: str) -> None:
    units = units_of(LARGE[way])

    def peak(resamples: int) -> int:
        tracemalloc.start()
        scores = resampled_scores(units, means, resamples=resamples, seed=1)
        used = tracemalloc.get_traced_memory()[1] - 3 * scores.nbytes
        tracemalloc.stop()
        return used

    block = 8 * resampling.BLOCK_CELLS
    per_resample = 8 * (len(units.sums) if way == "multinomial" else units.count)
    few = 2 * block // per_resample
    # The work arrays, the table and its copies: under eight blocks, where 8 times two blocks pass through.
    most = peak(8 * few)
    assert most < 8 * block
    assert most < 1.2 * peak(few)


def test_too_few_resamples_and_negative_seeds_are_refused() -> None:
    units = units_of(np.ones((3, 1)))
    with pytest.raises(UsageError, match="1 resamples say nothing about spread"):
        resampled_scores(units, means, resamples=1, seed=0)
    with pytest.raises(UsageError, match="seed -1 is negative"):
        resampled_scores(units, means, resamples=10, seed=-1)


def test_what_is_no_whole_number_is_refused() -> None:
    units = units_of(np.ones((3, 1)))
    wrong: Any = "10"
    with pytest.raises(UsageError, match="resamples must be a whole number, found '10'"):
        resampled_scores(units, means, resamples=wrong, seed=0)
    with pytest.raises(UsageError, match="seed must be a whole number, found '10'"):
        resampled_scores(units, means, resamples=10, seed=wrong)


def test_more_resamples_than_say_anything_are_refused() -> None:
    with pytest.raises(UsageError, match="1000000000 resamples are too many; give at most 1000000"):
        resampled_scores(units_of(WAYS["gathered"]), means, resamples=1_000_000_000, seed=0)
    with pytest.raises(UsageError, match="too many"):
        Sampling(resamples=resampling.MOST_RESAMPLES + 1)


def test_a_million_resamples_keep_little_more_than_their_scores() -> None:
    units = units_of(rows_of(2, 10))
    tracemalloc.start()
    try:
        scores = resampled_scores(units, means, resamples=resampling.MOST_RESAMPLES, seed=0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert scores.shape == (resampling.MOST_RESAMPLES, 1)
    assert peak < scores.nbytes + 64 * resampling.BLOCK_CELLS


def test_remembered_draws_are_those_of_the_seed() -> None:
    """The second of two samples that are alike has the digits of the first, and of one that is drawn anew."""
    alike = [
        np.repeat([[0.0], [1.0], [-1.0]], [60, 25, 15], axis=0),
        np.repeat([[0.5], [0.1], [0.7]], [60, 25, 15], axis=0),
    ]
    remembered = [resampled_scores(units_of(rows), means, resamples=500, seed=3) for rows in alike]
    drawn = np.random.Generator(np.random.PCG64(3)).multinomial(100, [0.6, 0.25, 0.15], size=500)
    for rows, found in zip(alike, remembered, strict=True):
        np.testing.assert_array_equal(found, drawn @ units_of(rows).sums / 100)
    other = resampled_scores(units_of(alike[0]), means, resamples=500, seed=4)
    assert not np.array_equal(other, remembered[0])
    assert resampling._drawn.cache_info().hits > 0
