"""Sets of ranks: sure where scores are far apart, wide where they are not, and together right as often as said."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from fullmarks.errors import UsageError
from fullmarks.stats.ranks import RankSet, joint_ranks, rank_sets
from fullmarks.stats.rows import Floats


def resampled(rows: Floats, resamples: int, random: np.random.Generator) -> Floats:
    draws = random.multinomial(len(rows), np.full(len(rows), 1 / len(rows)), size=resamples)
    means: Floats = draws @ rows / len(rows)
    return means


def test_far_apart_and_close_together() -> None:
    random = np.random.default_rng(1)
    rows = (random.random((400, 4)) < np.array([0.9, 0.5, 0.5, 0.1])).astype(np.float64)
    rows[:, 2] = rows[:, 1]
    rows[:4, 2] = 1 - rows[:4, 2]
    sets = rank_sets(rows.mean(axis=0), resampled(rows, 1000, random), level=0.95)
    assert (sets[0], sets[3]) == (RankSet(1, 1, 1), RankSet(4, 4, 4))
    assert [(each.best, each.worst) for each in sets[1:3]] == [(2, 3), (2, 3)]
    turned = rank_sets(rows.mean(axis=0), resampled(rows, 1000, random), level=0.95, less_is_better=True)
    assert (turned[3], turned[0]) == (RankSet(1, 1, 1), RankSet(4, 4, 4))


def test_equal_systems_share_the_first_rank() -> None:
    random = np.random.default_rng(2)
    rows = np.repeat((random.random((50, 1)) < 0.5).astype(np.float64), 3, axis=1)
    assert rank_sets(rows.mean(axis=0), resampled(rows, 200, random), level=0.95) == (RankSet(1, 1, 3),) * 3


# At most 5 % and three standard errors of 60 rounds, or two of 300.
@pytest.mark.parametrize(("rounds", "most"), [(60, 0.135), pytest.param(300, 0.075, marks=pytest.mark.deep)])
def test_all_sets_hold_the_true_ranks_at_once(rounds: int, most: float) -> None:
    """Five systems, two of them equal: in few rounds some set misses."""
    random = np.random.default_rng(4)
    chances = np.array([0.8, 0.76, 0.7, 0.7, 0.5])
    truths = [(1, 1), (2, 2), (3, 4), (3, 4), (5, 5)]
    missed = 0
    for _ in range(rounds):
        rows = (random.random((300, 5)) < chances).astype(np.float64)
        sets = rank_sets(rows.mean(axis=0), resampled(rows, 500, random), level=0.95)
        # A system that ties with another may have either of their ranks.
        missed += any(each.best > last or each.worst < first for each, (first, last) in zip(sets, truths, strict=True))
    assert missed / rounds <= most


def test_replicates_of_other_systems_are_an_error() -> None:
    with pytest.raises(UsageError, match="expected the replicates of 2 systems"):
        rank_sets(np.zeros(2), np.zeros((10, 3)), level=0.95)


def test_ranks_of_rows_are_those_of_their_resamples() -> None:
    random = np.random.default_rng(5)
    rows = (random.random((400, 4)) < np.array([0.9, 0.5, 0.5, 0.1])).astype(np.float64)
    found = joint_ranks([rows[:, [system]] for system in range(4)], seed=3)
    assert found is not None
    assert [each.best for each in found] == [1, 2, 2, 4]
    assert [each.worst for each in found] == [1, 3, 3, 4]

    def second(sums: Floats, n: Floats) -> Floats:
        return sums[..., ::-1] / n

    pairs = [np.hstack([np.zeros((400, 1)), rows[:, [system]]]) for system in range(4)]
    assert joint_ranks(pairs, second, score_index=0, seed=3) == found
    doubled = [np.repeat(rows[:, [system]], 2, axis=0) for system in range(4)]
    assert joint_ranks(doubled, seed=3, clusters=[at // 2 for at in range(800)]) == found
    turned = joint_ranks([rows[:, [system]] for system in range(4)], seed=3, less_is_better=True)
    assert turned is not None
    assert [each.rank for each in turned] == [5 - each.rank for each in found]


def test_few_units_have_no_sets() -> None:
    rows = np.random.default_rng(6).random((19, 3))
    assert joint_ranks([rows[:, [system]] for system in range(3)]) is None


def test_a_hundred_systems_need_no_table_of_all_pairs() -> None:
    random = np.random.default_rng(7)
    rows = [(random.random((300, 1)) < 0.3 + system / 250).astype(np.float64) for system in range(100)]
    tracemalloc.start()
    found = joint_ranks(rows)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found is not None
    assert all(each.best <= each.rank <= each.worst for each in found)
    # The differences of all pairs in every resample would be 160 megabytes.
    assert most < 30e6
