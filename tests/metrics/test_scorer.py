"""A metric in use: options, columns, batches, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import fullmarks

PREDICTIONS = ["the cat", "dog"]
REFERENCES = [["a cat"], ["a dog", "dogs"]]


def test_a_text_stands_for_a_list_of_one() -> None:
    scorer = fullmarks.load("token_f1")
    assert scorer.compute(predictions=["x"], references=["x"]) == {"token_f1": 1.0}


def test_any_iterable_of_texts_is_taken() -> None:
    scorer = fullmarks.load("token_f1")
    expected = scorer.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert scorer.compute(predictions=numpy.array(PREDICTIONS), references=tuple(map(tuple, REFERENCES))) == expected
    assert scorer.compute(predictions=iter(PREDICTIONS), references=iter(REFERENCES)) == expected  # type: ignore[arg-type]


def test_columns_break_the_score_down() -> None:
    result = fullmarks.load("exact_match").compute(
        predictions=["a b", "c"], references=[["b"], ["d"]], kind=["x", "y"], other=None
    )
    assert result == {"exact_match": 0.5, "kind": {"x": {"exact_match": 1.0}, "y": {"exact_match": 0.0}}}


def test_options_may_come_with_compute() -> None:
    scorer = fullmarks.load("bleu")
    assert scorer.compute(predictions=["a b"], references=[["a b"]])["bleu"] == 0.0
    assert scorer.compute(predictions=["a b"], references=[["a b"]], max_order=2)["bleu"] == 1.0
    assert scorer.metric == fullmarks.load("bleu").metric


def test_only_finishing_options_may_come_after_batches() -> None:
    scorer = fullmarks.load("vqa_accuracy")
    scorer.add_batch(predictions=["x"], references=[["x", "y"]])
    with pytest.raises(fullmarks.UsageError, match="always_normalise"):
        scorer.compute(always_normalise=True)
    assert scorer.compute(precision=0)["overall"] == 17.0


def test_bleu_gives_its_parts() -> None:
    result = fullmarks.load("bleu").compute(predictions=["the cat sat on"], references=[["the cat sat on it"]])
    assert result["precisions"] == [1.0, 1.0, 1.0, 1.0]
    assert (result["bleu"], result["brevity_penalty"]) == (pytest.approx(2.718281828459045 ** (-1 / 4)),) * 2


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("fewer references", {"predictions": ["a", "b"], "references": [["a"]]}, "references: expected 2"),
    (
        "one text for predictions",
        {"predictions": "ab", "references": ["a", "b"]},
        "predictions: expected a list, found str",
    ),
    ("one text for references", {"predictions": ["a"], "references": "a"}, "references: expected a list, found str"),
    ("a number", {"predictions": [1], "references": [["1"]]}, r"predictions\[0\]: expected a string, found int"),
    ("null", {"predictions": [None], "references": [["1"]]}, r"predictions\[0\]: expected a string, found NoneType"),
    ("reference number", {"predictions": ["1"], "references": [[1]]}, r"references\[0\]: expected strings, found int"),
    ("reference not a list", {"predictions": ["1"], "references": [1]}, r"references\[0\]: expected a list, found int"),
    (
        "reference null",
        {"predictions": ["1"], "references": [None]},
        r"references\[0\]: expected a list, found NoneType",
    ),
    ("no references", {"predictions": ["1"]}, "references: expected 1"),
    ("no predictions", {"references": [["1"]]}, "references: expected 0"),
    ("short column", {"predictions": ["1"], "references": [["1"]], "kind": []}, "kind: expected 1"),
    (
        "column is a number",
        {"predictions": ["1"], "references": [["1"]], "kind": 3},
        "kind: expected a list, found int",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_refuses(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(fullmarks.InputError, match=message):
        fullmarks.load("exact_match").compute(**arguments)


def test_refuses_batches_with_other_columns() -> None:
    scorer = fullmarks.load("exact_match")
    scorer.add_batch(predictions=["a"], references=[["a"]], kind=["x"])
    with pytest.raises(fullmarks.UsageError, match="kind"):
        scorer.add_batch(predictions=["a"], references=[["a"]])
    with pytest.raises(fullmarks.UsageError, match="add_batch"):
        scorer.compute(kind=["x"])


def test_refuses_to_merge_other_metrics() -> None:
    with pytest.raises(fullmarks.UsageError, match="the options differ"):
        fullmarks.load("bleu").merge(fullmarks.load("bleu", max_order=2))


@pytest.mark.parametrize("order", [0, 17, 2.5, True, "4"])
def test_refuses_impossible_orders(order: Any) -> None:
    with pytest.raises(fullmarks.UsageError, match="max_order must be a whole number from 1 to 16"):
        fullmarks.load("bleu", max_order=order)


def test_refuses_unknown_aggregates() -> None:
    with pytest.raises(fullmarks.UsageError, match="'max', 'mean', 'min'"):
        fullmarks.load("token_f1", aggregate="median").compute(predictions=["a"], references=[["a"]])
