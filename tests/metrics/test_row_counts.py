"""Counts of shards put together in their order are those of one pass, of rows with few values and with many."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest

from fullmarks.metrics.bucket_sums import buckets_of
from fullmarks.metrics.row_counts import RowCounts

CHANCE = np.random.default_rng(3)
TABLES = {
    "few values": CHANCE.choice([0.0, -0.0, 0.5, 2 / 3, 1.0], (150_000, 2)),
    "another row each": CHANCE.normal(size=(150_000, 2)),
}


def counted(rows: np.ndarray, first: int) -> RowCounts:
    made = RowCounts(rows.shape[1])
    made.add(rows, buckets_of(first, len(rows)))
    return made


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("cuts", [[1], [3, 5, 9], [77_777], [40_000, 80_000, 120_001]])
def test_shards_in_order_are_one_pass(kind, cuts):
    rows, ends = TABLES[kind], [0, *cuts, 150_000]
    first, *others = [counted(rows[start:stop], start) for start, stop in itertools.pairwise(ends)]
    for other in others:
        first.merge(pickle.loads(pickle.dumps(other)))
    found, wanted = first.units(), counted(rows, 0).units()
    assert found.is_bucketed == wanted.is_bucketed == (kind == "another row each")
    assert len(wanted.lines) == (4_096 if wanted.is_bucketed else 25)
    assert found.lines.tobytes() == wanted.lines.tobytes()
    assert found.values.tobytes() == wanted.values.tobytes()
    assert found.weights.tolist() == wanted.weights.tolist()
    assert wanted.weights @ wanted.lines[:, -1] == 150_000
