"""What a run gives back: numbers, slices, records, and its forms for people and programs."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable

import pytest

import fullmarks
from fullmarks.analysis.compare import compare
from fullmarks.analysis.intervals import slice_confidence

GOLD = {
    "data": [
        {
            "title": "<x>",
            "paragraphs": [{"qas": [{"id": "a", "answers": [{"text": "cat"}]}, {"id": "b", "answers": []}]}],
        }
    ]
}
RESULT = fullmarks.score("squad2", GOLD, {"a": "a cat", "b": "dog"})


def test_records_are_a_sequence_in_input_order() -> None:
    records = RESULT.per_example
    assert len(records) == 2
    assert records[0] == {
        "id": "a",
        "prediction": "a cat",
        "references": ["cat"],
        "has_answer": True,
        "title": "<x>",
        "paragraph": 0,
        "exact": 1.0,
        "f1": 1.0,
    }
    assert records[-1]["id"] == "b"
    assert [record["id"] for record in records[::-1]] == ["b", "a"]
    assert list(records) == [records[0], records[1]]
    with pytest.raises(IndexError):
        records[2]


def test_inner_columns_are_not_shown() -> None:
    result = fullmarks.score("squad2", GOLD, {"a": "x", "b": ""}, na_prob_file={"b": 0.9, "a": 0.1})
    shown = {"id", "prediction", "references", "has_answer", "no_answer_probability", "exact", "f1"}
    assert set(result.per_example[0]) - {"title", "paragraph", "question"} == shown
    assert result.per_example[0]["no_answer_probability"] == 0.1
    with pytest.raises(fullmarks.UsageError, match="no column 'no_answer_order'"):
        result.by("no_answer_order")


def test_slices_sum_to_the_whole() -> None:
    parts = RESULT.by("has_answer")
    assert sum(part["n"] for part in parts.values()) == RESULT.n
    assert parts == {True: {"exact": 1.0, "f1": 1.0, "n": 2 - 1}, False: {"exact": 0.0, "f1": 0.0, "n": 1}}


def test_repr_has_the_numbers_and_the_signature() -> None:
    shown = repr(RESULT)
    assert shown.startswith("<squad2: exact=50, f1=50, total=2")
    assert RESULT.signature in shown


def test_counts_are_shown_whole() -> None:
    many = fullmarks.score(
        "squad2", [{"id": n, "references": ["x"]} for n in range(12345)], dict.fromkeys(range(12345), "x")
    )
    assert "total=12345," in repr(many)
    assert ">12345</td>" in many._repr_html_()


def test_notebook_table_is_escaped() -> None:
    page = fullmarks.score(
        "vqa",
        {"annotations": [{"question_id": 1, "question_type": "<b>", "answers": [{"answer": "y"}] * 4}]},
        [{"question_id": 1, "answer": "y"}],
    )._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page


def test_plain_data_is_json() -> None:
    data = json.loads(json.dumps(RESULT.to_dict()))
    assert data["official"] == RESULT.official
    assert data["n"] == 2
    assert data["signature"] == RESULT.signature
    assert set(data["slices"]["has_answer"]) == {"True", "False"}


def test_a_result_pickles() -> None:
    copy = pickle.loads(pickle.dumps(RESULT))
    assert copy == RESULT
    assert list(copy.per_example) == list(RESULT.per_example)


def test_a_column_that_is_not_there_is_told_in_the_same_words_everywhere() -> None:
    """Scoring, the result, its intervals and slices of two results."""
    found = "there is no column 'colour' to slice or cluster by; it offers 'has_answer', 'title', 'paragraph'"
    asked: list[Callable[[], object]] = [
        lambda: fullmarks.score("squad2", GOLD, {"a": "x", "b": ""}, by="colour"),
        lambda: RESULT.by("colour"),
        lambda: slice_confidence(RESULT, "colour"),
        lambda: compare({"one": RESULT, "two": RESULT}, by="colour"),
    ]
    for ask in asked:
        with pytest.raises(fullmarks.FullmarksError, match=found):
            ask()
