"""Edit similarity: the table, the batch, and a textbook computation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullmarks.errors import UsageError
from fullmarks.text.edit_distance import edit_similarities, edit_similarity

pytest.importorskip("rapidfuzz", reason="needs rapidfuzz: make install")

TEXTS = st.text(alphabet="абвA 😀", max_size=8)


def textbook_distance(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, start=1):
        previous, row[0] = row[0], i
        for j, right in enumerate(other, start=1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (left != right))
    return row[-1]


@pytest.mark.parametrize(
    ("prediction", "gold", "expected"),
    [
        ("", "", 0.0),
        ("", "текст", 0.0),
        ("текст", "", 0.0),
        ("текст", "текст", 1.0),
        ("Текст", "текст", 0.8),
        ("болабай.", "большой.", 0.625),
        ("abc", "xyz", 0.0),
    ],
)
def test_cases(prediction: str, gold: str, expected: float) -> None:
    assert edit_similarity(prediction, gold) == expected


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=6))
def test_batch_equals_single_and_textbook(pairs: list[tuple[str, str]]) -> None:
    predictions = [prediction for prediction, _ in pairs]
    golds = [gold for _, gold in pairs]
    batch = edit_similarities(predictions, golds)
    assert batch == [edit_similarity(prediction, gold) for prediction, gold in pairs]
    assert batch == [
        1 - textbook_distance(prediction, gold) / max(len(prediction), len(gold)) if prediction and gold else 0.0
        for prediction, gold in pairs
    ]


def test_lists_of_different_length_are_refused() -> None:
    with pytest.raises(UsageError, match="2 predictions and 1 gold"):
        edit_similarities(["a", "b"], ["a"])
