"""Counts of shards put together in their order are those of one pass, of rows with few values and with many."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest

from fullmarks.metrics.bucket_sums import buckets_of
from fullmarks.metrics.row_counts import RowCounts

KINDS = {"few values": 30_000, "another row each": 135_000}
"""The number of rows: more different ones than are counted, or as few as show how they are merged."""


def table(kind: str) -> np.ndarray:
    chance, size = np.random.default_rng(3), (KINDS[kind], 2)
    return chance.normal(size=size) if kind == "another row each" else chance.choice([0.0, -0.0, 0.5, 2 / 3, 1.0], size)


def counted(rows: np.ndarray, first: int) -> RowCounts:
    made = RowCounts(rows.shape[1])
    made.add(rows, buckets_of(first, len(rows)))
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_shards_in_order_are_one_pass(kind):
    rows = table(kind)
    size, wanted = len(rows), counted(rows, 0).units()
    assert wanted.is_bucketed == (kind == "another row each")
    assert len(wanted.lines) == (4_096 if wanted.is_bucketed else 25)
    assert wanted.weights @ wanted.lines[:, -1] == size
    for cuts in ([1], [3, 5, 9], [size // 2 + 777], [size // 4, size // 2, size - size // 5]):
        ends = [0, *cuts, size]
        first, *others = [counted(rows[start:stop], start) for start, stop in itertools.pairwise(ends)]
        for other in others:
            first.merge(pickle.loads(pickle.dumps(other)))
        found = first.units()
        assert found.is_bucketed == wanted.is_bucketed, cuts
        assert found.lines.tobytes() == wanted.lines.tobytes(), cuts
        assert found.values.tobytes() == wanted.values.tobytes(), cuts
        assert found.weights.tolist() == wanted.weights.tolist(), cuts
