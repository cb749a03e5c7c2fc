"""Rows: checks, left folds, clusters, and collapsing that loses nothing."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullmarks.errors import InputError, MismatchError
from fullmarks.stats.rows import checked_pair, checked_rows, collapse, column_totals, label_codes, units_of

tables = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=width, max_size=width), min_size=1)
)


@given(tables)
def test_collapsing_keeps_every_line_and_how_often_it_occurs(table: list[list[float]]) -> None:
    distinct, multiplicity = collapse(np.array(table))
    assert Counter(map(tuple, table)) == dict(zip(map(tuple, distinct.tolist()), multiplicity, strict=True))
    assert list(multiplicity) == sorted(multiplicity, reverse=True)


@given(tables, st.randoms())
def test_units_of_clusters_are_the_sums_of_their_rows(table: list[list[float]], random: object) -> None:
    labels = [random.choice("abc") for _ in table]  # type: ignore[attr-defined]
    expected: Counter[tuple[float, ...]] = Counter()
    for label in set(labels):
        members = [row for row, own in zip(table, labels, strict=True) if own == label]
        expected[(*map(sum, zip(*members, strict=True)), len(members))] += 1
    units = units_of(np.array(table), labels)
    lines = np.hstack([units.sums, units.sizes])
    assert dict(zip(map(tuple, lines.tolist()), units.multiplicity, strict=True)) == expected
    assert units.count == len(set(labels))


def test_totals_are_left_folds() -> None:
    values = np.random.default_rng(5).random(10_000)
    fold = list(accumulate(values.tolist()))[-1]
    assert column_totals(values[:, None])[0] == fold
    assert np.sum(values) != fold, "the case does not tell a left fold from another sum"


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([], r"shape \(0,\)"),
        (np.empty((0, 2)), r"at least one example.*shape \(0, 2\)"),
        ([1.0, 2.0], r"expected an array of shape \(examples, columns\)"),
        ([[1.0], [np.nan], [np.inf]], "2 of 3 rows hold NaN or infinity, the first at index 1"),
    ],
)
def test_rows_that_cannot_be_used_say_why(rows: object, found: str) -> None:
    with pytest.raises(InputError, match=found):
        checked_rows(rows)  # type: ignore[arg-type]


def test_pairs_and_labels_must_fit() -> None:
    with pytest.raises(MismatchError, match=r"found shape \(2, 1\), but the baseline has \(3, 1\)"):
        checked_pair([[1.0], [2.0]], [[1.0], [2.0], [3.0]])
    with pytest.raises(MismatchError, match="clusters: found 1 labels for 2 rows"):
        units_of(np.ones((2, 1)), ["a"])


def test_labels_of_any_kind_keep_their_order() -> None:
    names, codes = label_codes(["b", None, 3, "b"], 4, "labels")
    assert names == ["b", None, 3]
    assert codes.tolist() == [0, 1, 2, 0]
