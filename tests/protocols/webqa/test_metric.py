"""WebQA accuracy as metric and as plain function, with the lemmatiser that needs no model."""

from __future__ import annotations

import pickle

import pytest

import fullmarks
from fullmarks.errors import UsageError
from fullmarks.protocols.webqa.metric import AccApprox, WebqaAccuracy, acc_approx, webqa_accuracy
from fullmarks.types import Example, Examples

PERFECT = 2 / (2 + 1e-5)

# prediction, keywords, category, accuracy, accuracy without smoothing
CASES = [
    ("Yes, it is.", "Yes.", "YesNo", PERFECT, 1.0),
    ("It is not", "no", "YesNo", 0.0, 0.0),
    ("no or yes", "yes", "YesNo", 2 * 0.5 / (1.5 + 1e-5), 2 / 3),
    ("The red and the blue cars", "blue and red", "color", PERFECT, 1.0),
    ("There are three cats", "03", "number", PERFECT, 1.0),
    ("There are 3 cats and 4 dogs", "three", "number", 2 * 0.5 / (1.5 + 1e-5), 2 / 3),
    ("two stars", "a star", "shape", PERFECT, 1.0),
    ("the left one of them", "left", "choose", 1.0, 1.0),
    ("a fountain", "two fountains", "Others", 0.5, 0.5),
    ("", "left", "text", 0.0, 0.0),
    ("left", "", "text", 0.0, 0.0),
]


@pytest.mark.parametrize(("prediction", "truth", "category", "accuracy", "approximate"), CASES)
def test_plain_functions(prediction: str, truth: str, category: str, accuracy: float, approximate: float) -> None:
    assert webqa_accuracy(prediction, truth, category, spacy_model="simple") == accuracy
    assert acc_approx(prediction, truth, category, spacy_model="simple") == approximate


def test_the_metric_is_the_mean_and_breaks_down_by_category() -> None:
    scorer = fullmarks.load("webqa_accuracy", spacy_model="simple")
    result = scorer.compute(
        predictions=["Yes", "left side", "No"], references=["yes", "left", "yes"], category=["YesNo", "choose", "YesNo"]
    )
    assert result["webqa_accuracy"] == (PERFECT + 1.0) / 3
    assert result["precision"] == (1.0 + 0.5) / 3
    assert result["exact_match"] == 1 / 3
    assert result["category"]["choose"]["recall"] == 1.0
    assert list(result["category"]) == ["YesNo", "choose"]


def test_acc_approx_by_name() -> None:
    scorer = fullmarks.load("acc_approx", spacy_model="simple")
    result = scorer.compute(predictions=["red"], references=["It is red."], category=["color"])
    assert result["acc_approx"] == result["f1"] == 1.0


def test_the_best_reference_counts() -> None:
    scorer = fullmarks.load("acc_approx", spacy_model="simple")
    references = [["blue", "red and blue", "red"]]
    assert scorer.each(predictions=["red"], references=references, category=["color"]) == [1.0]
    assert scorer.each(predictions=["red"], references=[[]], category=["color"]) == [0.0]


def test_chunks_make_the_same_rows_as_the_whole() -> None:
    metric = WebqaAccuracy("simple")
    examples = Examples(
        list(range(len(CASES))),
        [case[0] for case in CASES],
        [[case[1]] for case in CASES],
        {"category": [case[2] for case in CASES]},
    )
    parts = [metric.rows(examples.part(start, start + 3)) for start in range(0, len(CASES), 3)]
    assert [value for part in parts for value in part] == metric.rows(examples).tolist()


def test_a_metric_is_a_value() -> None:
    metric = AccApprox("simple")
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert hash(metric) == hash(AccApprox("simple"))
    assert metric != WebqaAccuracy("simple")
    assert metric.signature(3).startswith("acc_approx|lemmas:simple|n:3|v:")


def test_categories_are_required_and_known() -> None:
    scorer = fullmarks.load("webqa_accuracy", spacy_model="simple")
    with pytest.raises(UsageError, match=r"needs the category of every example: pass category="):
        scorer.compute(predictions=["a"], references=["a"])
    with pytest.raises(UsageError, match=r"needs the category of every example"):
        scorer.explain(prediction="a", references=["a"])
    with pytest.raises(UsageError, match=r"example 1 has the unknown category 'colour'. Known: color, shape"):
        scorer.compute(predictions=["a", "b"], references=["a", "b"], category=["color", "colour"])


def test_explaining_shows_every_step() -> None:
    example = Example("q1", "Two red stars.", ["red star", "blue"], {"category": "color"})
    explanation = WebqaAccuracy("simple").explain(example)
    assert explanation.facts["normalised"] == "2 red star"
    assert explanation.facts["tokens that count"] == ["red"]
    first, second = explanation.tables["references"]
    assert (first["normalised"], first["tokens that count"], first["accuracy"]) == ("red star", ["red"], PERFECT)
    assert (second["tokens that count"], second["accuracy"]) == (["blue"], 0.0)
    assert explanation.scores["webqa_accuracy"] == PERFECT
