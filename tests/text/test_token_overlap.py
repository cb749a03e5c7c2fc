"""Token F1 on token lists."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullmarks.text.squad import token_f1

WORDS = st.lists(st.sampled_from("abcd"), max_size=6)


@pytest.mark.parametrize(
    ("prediction", "gold", "expected"),
    [
        ("", "", 1.0),
        ("", "a", 0.0),
        ("a", "", 0.0),
        ("a b", "c d", 0.0),
        ("a b", "b a", 1.0),
        ("a a b", "a b b", 2 / 3),
        ("a", "a b c", 0.5),
    ],
)
def test_cases(prediction: str, gold: str, expected: float) -> None:
    assert token_f1(prediction.split(), gold.split()) == expected


@given(WORDS, WORDS)
def test_is_symmetric_bounded_and_order_free(one: list[str], other: list[str]) -> None:
    score = token_f1(one, other)
    assert 0.0 <= score <= 1.0
    assert score == token_f1(other, one) == token_f1(sorted(one), sorted(other, reverse=True))
    assert (score == 1.0) == (sorted(one) == sorted(other))
