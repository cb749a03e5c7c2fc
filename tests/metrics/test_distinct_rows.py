"""Counts of distinct rows against a plain Counter over their bytes: in chunks, merged, pickled, whatever the hash."""

from __future__ import annotations

import pickle
import struct
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fullmarks.metrics import distinct_rows
from fullmarks.metrics.distinct_rows import DistinctRows

OTHER_NAN = struct.unpack("d", struct.pack("Q", 0x7FF8000000000001))[0]
NUMBERS = st.sampled_from([0.0, -0.0, 1.0, 0.5, 1 / 3, float("nan"), OTHER_NAN, float("inf"), 1e-310]) | st.floats()


def counted(rows: np.ndarray) -> list[tuple[bytes, int]]:
    return list(Counter(row.tobytes() for row in np.ascontiguousarray(rows)).items())


def found(rows: DistinctRows) -> list[tuple[bytes, int]]:
    return [(line.tobytes(), count) for line, count in zip(rows.lines, rows.counts.tolist(), strict=True)]


def added(rows: np.ndarray, chunk: int, bound: int = distinct_rows.BOUND) -> DistinctRows:
    made = DistinctRows(rows.shape[1], bound)
    for start in range(0, len(rows), chunk):
        made.add(rows[start : start + chunk])
    return made


@given(st.integers(1, 4), st.lists(NUMBERS, max_size=120), st.integers(1, 50), st.integers(0, 60))
def test_rows_are_told_apart_by_their_bits_in_order_of_appearance(width, numbers, chunk, cut):
    rows = np.array(numbers[: len(numbers) // width * width], dtype=np.float64).reshape(-1, width)
    assert found(added(rows, chunk)) == counted(rows)
    first, second = added(rows[:cut], chunk), added(rows[cut:], 7)
    first.merge(pickle.loads(pickle.dumps(second)))
    assert found(first) == counted(rows)
    first.add(rows)
    assert dict(found(first)) == {key: 2 * count for key, count in counted(rows)}


@pytest.mark.parametrize("kinds", [3, 60, 5_000, 40_000])
@pytest.mark.parametrize("size", [10_000, pytest.param(60_000, marks=pytest.mark.deep)])
def test_many_rows_of_few_and_of_many_kinds(kinds, size):
    chance = np.random.default_rng(kinds)
    rows = np.stack([chance.integers(0, kinds, size) / 7, chance.integers(0, 2, size) * 1.0], axis=1)
    wanted = counted(rows)
    for chunk in (1_000, 8_191, 10**6):
        assert found(added(rows, chunk)) == wanted, chunk


def test_the_hash_decides_nothing_but_time(monkeypatch):
    rows = np.random.default_rng(1).integers(0, 9, (3_000, 2)) / 3
    monkeypatch.setattr(distinct_rows, "_hashed", lambda block: np.zeros(block.shape[1], dtype=np.uint64))
    assert found(added(rows, 100)) == counted(rows)


@settings(max_examples=30)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 80))
def test_beyond_the_bound_nothing_is_known_however_rows_come(kinds, bound, chunk):
    rows = np.arange(80.0)[:, None] % kinds
    one, parts = added(rows, chunk, bound), added(rows[:30], chunk, bound)
    parts.merge(added(rows[30:], chunk, bound))
    parts.add(rows[:3])
    assert one.is_known == parts.is_known == (kinds <= bound)
    assert len(one) == len(parts) == (kinds if kinds <= bound else 0)


def test_more_rows_than_a_place_can_count_in_floats():
    one = DistinctRows(1)
    one.add(np.ones((1, 1)))
    for _ in range(60):
        one.merge(pickle.loads(pickle.dumps(one)))
    assert one.counts.tolist() == [2**60]
