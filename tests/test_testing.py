"""The helper for those who add a benchmark notices every kind of difference."""

from __future__ import annotations

import math

import pytest

from fullmarks.testing import assert_official, first_difference

GOLD, PREDICTIONS = {"a": ["x y"], "b": ["z"]}, {"a": "x", "b": "z"}


def test_an_equal_result_passes_and_is_returned():
    expected = assert_official("squad1", *_squad(), expected={"exact_match": 50.0, "f1": 250 / 3})
    assert expected.n == 2


def _squad():
    qas = [{"id": "a", "answers": [{"text": "x y"}]}, {"id": "b", "answers": [{"text": "z"}]}]
    return {"data": [{"paragraphs": [{"qas": qas}]}]}, PREDICTIONS


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ({"exact_match": 50.0, "f1": 83.3333}, r"result\['f1'\] is 83\.33333333333333, expected 83\.3333"),
        ({"f1": 83.33333333333333, "exact_match": 50.0}, "in this order"),
        ({"exact_match": 50.0}, "has the keys"),
        ({"exact_match": "50.0", "f1": 83.33333333333333}, "is 50.0, expected '50.0'"),
    ],
)
def test_every_difference_fails(expected, message):
    with pytest.raises(AssertionError, match=message):
        assert_official("squad1", *_squad(), expected=expected)


def test_nothing_expected_is_no_test():
    with pytest.raises(ValueError, match="needs the expected official result"):
        assert_official("squad1", *_squad(), expected={})


@pytest.mark.parametrize(
    ("found", "expected", "same"),
    [
        (1.0, 1.0 + 1e-14, True),
        (1.0, 1.0 + 1e-9, False),
        (3, 3.0, True),
        (3, 4, False),
        (True, 1, False),
        (math.nan, math.nan, True),
        (0.0, math.nan, False),
        (None, None, True),
        (None, 0.0, False),
        ([1, 2], [1, 2], True),
        ([1, 2], [1, 3], False),
        ("ab", ["a", "b"], False),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, False),
        (5, {"a": 1}, False),
    ],
)
def test_what_counts_as_equal(found, expected, same):
    assert (first_difference(found, expected) is None) is same
