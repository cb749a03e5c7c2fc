"""SQuAD 1.1: the published script's digits with missing predictions counted 0."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fullmarks

GOLD = {
    "data": [
        {
            "title": "t",
            "paragraphs": [
                {
                    "qas": [
                        {"id": "a", "answers": [{"text": "the cat"}, {"text": "a black cat"}]},
                        {"id": "b", "answers": [{"text": "the"}]},
                    ]
                }
            ],
        }
    ]
}


def test_golden_to_the_last_bit(golden_files: Path) -> None:
    folder = golden_files / "squad1"
    expected = json.loads((folder / "expected.json").read_text())
    result = fullmarks.score("squad1", folder / "gold.json", folder / "predictions.json")
    assert result.official == expected["missing_counts_zero"]
    missing = result.audit.findings["missing-predictions"]
    assert missing.count == len(expected["missing"])
    assert missing.first_ids == expected["missing"][: len(missing.first_ids)]
    with pytest.raises(fullmarks.MismatchError, match=f"without a prediction: {len(expected['missing'])} "):
        fullmarks.score("squad1", folder / "gold.json", folder / "predictions.json", on_missing="error")


def test_two_empty_sides_match_exactly_but_have_no_overlap() -> None:
    result = fullmarks.score("squad1", GOLD, {"a": "black cat", "b": "a"})
    assert result.official == {"exact_match": 100.0, "f1": 50.0}


def test_a_missing_prediction_counts_zero_by_default() -> None:
    result = fullmarks.score("squad1", GOLD, {"a": "cat"})
    assert result.official == {"exact_match": 50.0, "f1": 50.0}
    assert result.n == 2
    assert "missing:zero" in result.signature


def test_questions_without_answer_belong_to_squad2() -> None:
    gold = {"data": [{"paragraphs": [{"qas": [{"id": "a", "answers": []}]}]}]}
    with pytest.raises(fullmarks.MismatchError, match=r"without any gold answer: 1 .*for SQuAD 2\.0 files use squad2"):
        fullmarks.score("squad1", gold, {"a": ""})


def test_swapped_files_are_guessed_but_not_where_data_is_broken() -> None:
    with pytest.raises(fullmarks.InputError, match=r"the field 'data' is missing\. .*PREDICTIONS swapped\?\)\.$"):
        fullmarks.score("squad1", {"a": "cat", "b": "the"}, GOLD)
    with pytest.raises(fullmarks.InputError, match=r"data\[0\]: the field 'paragraphs' is missing") as caught:
        fullmarks.score("squad1", {"data": [{}]}, {"a": "cat"})
    assert "swapped" not in str(caught.value)
    with pytest.raises(fullmarks.InputError, match="data: expected a list, found null"):
        fullmarks.score("squad1", {"data": None}, {"a": "cat"})


def test_questions_can_be_sliced_by_their_paragraph_and_title() -> None:
    def paragraph(*ids: str) -> dict[str, object]:
        return {"qas": [{"id": each, "question": "?", "answers": [{"text": "x"}]} for each in ids]}

    gold = {
        "data": [
            {"title": "one", "paragraphs": [paragraph("a", "b"), paragraph("c")]},
            {"title": "two", "paragraphs": [paragraph("d")]},
        ]
    }
    result = fullmarks.score("squad1", gold, {"a": "x", "b": "y", "c": "x", "d": "y"}, by=("paragraph", "title"))
    assert {name: part["exact"] for name, part in result.by("paragraph").items()} == {0: 0.5, 1: 1.0, 2: 0.0}
    assert {name: part["exact"] for name, part in result.by("title").items()} == {"one": 2 / 3, "two": 0.0}


def test_a_question_twice_in_the_gold_counts_twice() -> None:
    qas = [{"id": "a", "answers": [{"text": text}]} for text in ("x", "y")]
    gold = {"data": [{"title": None, "paragraphs": [{"qas": qas}]}]}
    result = fullmarks.score("squad1", gold, {"a": "x"})
    assert result.official == {"exact_match": 50.0, "f1": 50.0}
    assert [record["id"] for record in result.per_example] == ["a", "a (2)"]
    assert result.audit.findings["repeated-questions"].level == "warning"


def test_a_question_without_gold_answers_and_prediction_counts_zero() -> None:
    qas = [{"id": "a", "answers": [{"text": "x"}]}, {"id": "b", "answers": []}]
    gold = {"data": [{"paragraphs": [{"qas": qas}]}]}
    assert fullmarks.score("squad1", gold, {"a": "x"}).official == {"exact_match": 50.0, "f1": 50.0}


def test_a_null_for_an_unknown_question_is_only_unknown() -> None:
    result = fullmarks.score("squad1", GOLD, {"a": "cat", "b": "the", "other": None})
    assert result.official == {"exact_match": 100.0, "f1": 50.0}
    assert list(result.audit.findings) == ["unknown-predictions"]
