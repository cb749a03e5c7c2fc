"""Sums in buckets: the same in whatever pieces rows come, and as sure of a mean as the formula says."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest

from fullmarks.metrics.bucket_sums import BUCKETS, BucketSums, buckets_of
from fullmarks.stats.rows import Floats
from fullmarks.stats.sample import Sample
from fullmarks.stats.standard_error import mean_standard_errors, standard_errors_of

CHANCE = np.random.default_rng(8)
ROWS = CHANCE.normal(size=(5_000, 2)) * [1.0, 300.0]
GROUPS = CHANCE.integers(0, 300, 5_000)
GROUPINGS = {"none": None, "mixed": GROUPS, "rising": np.sort(GROUPS), "falling": np.sort(GROUPS)[::-1]}


def summed(cuts: list[int], groups: np.ndarray | None = None) -> list[BucketSums]:
    made = []
    for start, stop in itertools.pairwise([0, *cuts, len(ROWS)]):
        each = BucketSums(2)
        each.add(ROWS[start:stop], buckets_of(start, stop - start), None if groups is None else groups[start:stop])
        made.append(each)
    return made


@pytest.mark.parametrize("groups", GROUPINGS.values(), ids=GROUPINGS)
def test_pieces_merged_are_the_whole_bit_for_bit(groups):
    (whole,) = summed([], groups)
    assert whole.buckets == (BUCKETS if groups is None else 512)
    chosen = [0] if groups is None else [0, 5, 299]
    wanted = [(whole.lines(group), whole.values(group)) for group in chosen]
    for cuts in ([1], [2_500], [1, 2, 3, 4_999], list(range(7, 5_000, 311))):
        first, *others = summed(cuts, groups)
        for each in others:
            first.merge(pickle.loads(pickle.dumps(each)))
        assert first.buckets == whole.buckets, cuts
        for group, (lines, values) in zip(chosen, wanted, strict=True):
            np.testing.assert_array_equal(first.lines(group), lines, err_msg=str(cuts))
            np.testing.assert_array_equal(first.values(group), values, err_msg=str(cuts))


def test_a_bucket_holds_the_sum_of_its_rows():
    (whole,), buckets = summed([], GROUPS), buckets_of(0, 5_000) >> 3
    lines = {(group, tuple(np.round(line, 6))) for group in range(300) for line in whole.lines(group).tolist()}
    wanted = set()
    for group, bucket in set(zip(GROUPS.tolist(), buckets.tolist(), strict=True)):
        own = ROWS[(group == GROUPS) & (bucket == buckets)]
        wanted.add((group, tuple(np.round([*own.sum(axis=0), len(own)], 6))))
    assert lines == wanted


def test_too_many_groups_or_too_large_numbers_are_not_known():
    many = BucketSums(1)
    many.add(np.ones((4_096, 1)), buckets_of(0, 4_096), np.arange(4_096))
    assert many.is_known
    assert many.buckets == 64
    more = BucketSums(1)
    more.add(np.ones((1, 1)), buckets_of(4_096, 1), np.array([4_096]))
    many.merge(more)
    assert not many.is_known
    assert not more.is_known
    for number in (1e300, 2.0**31, float("inf"), float("nan")):
        large = BucketSums(1)
        large.add(np.array([[0.0], [number]]), buckets_of(0, 2))
        assert not large.is_known


def test_neighbours_and_sorted_files_fill_buckets_evenly():
    """4,096 buckets of 100 examples on average, their spread that of chance (chi-square over 4,095 degrees)."""
    sizes = np.bincount(buckets_of(10**9, 409_600), minlength=BUCKETS)
    statistic = float(((sizes - 100) ** 2 / 100).sum())
    assert abs(statistic - 4_095) < 4 * np.sqrt(2 * 4_095)


def test_over_all_ways_to_fill_buckets_the_squares_are_those_of_the_formula():
    """The mean of the squared residuals of bucket sums is (1 - 1/b) times that of the examples', without error."""
    rows, b = np.array([[0.1], [0.9], [0.4], [0.4], [2.0], [-1.0]]), 3
    n, squares = len(rows), []
    for labels in itertools.product(range(b), repeat=n):
        c = len(set(labels))
        error = float(mean_standard_errors(rows, clusters=labels)[0]) if c > 1 else 0.0
        squares.append(error**2 * n**2 * (c - 1) / c)
    plain = float(mean_standard_errors(rows)[0]) ** 2 * n * (n - 1)
    assert np.mean(squares) == pytest.approx((1 - 1 / b) * plain, rel=1e-12)


@pytest.mark.parametrize("order", ["as drawn", "sorted", "two halves"])
def test_the_standard_error_of_a_mean_is_that_of_the_formula(order):
    """Over 4,096 buckets it has an error of its own of 1 / sqrt(2 * 4096) = 1.1 %."""
    rows: Floats = np.random.default_rng(4).beta(0.5, 0.3, size=(200_000, 1))
    if order != "as drawn":
        rows = np.sort(rows, axis=0)
    if order == "two halves":
        rows = np.concatenate([rows[::2], rows[1::2]])
    sums = BucketSums(1)
    sums.add(rows, buckets_of(0, len(rows)))
    units = Sample(sums.lines(), None, rows.sum(axis=0), len(rows), sums.values(), is_bucketed=True).units()
    assert standard_errors_of(units)[0] == pytest.approx(mean_standard_errors(rows)[0], rel=0.044)
