"""Generic QA: the golden numbers through the protocol, from every shape of input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.qa import QAF1Score

GOLD = [["Paris", "City of Paris"], ["The capital of France is Paris"]]
PREDICTIONS = ["paris", "Paris is the capital"]


@pytest.fixture(scope="module")
def golden(golden_files: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((golden_files / "qa" / "answers.json").read_text())
    return loaded


def mean(values: list[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


AGGREGATES = {"max": max, "min": min, "mean": mean}


@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_golden_numbers(golden: dict[str, Any], aggregate: str) -> None:
    cases = golden["cases"]
    result = fullmarks.score(
        "qa", [case["golds"] for case in cases], [case["prediction"] for case in cases], aggregate=aggregate
    )
    combine = AGGREGATES[aggregate]
    keys = {"ExactMatch": "em", "F1": "f1", "BLEU-1": "bleu1", "BLEU-4": "bleu4"}
    expected = {name: mean([combine(case[key]) for case in cases]) for name, key in keys.items()}
    corpus = {"Corpus_BLEU-1": golden["corpus_bleu1"], "Corpus_BLEU-4": golden["corpus_bleu4"]}
    assert result.official == {**expected, **corpus}
    assert list(result.official) == ["ExactMatch", "F1", "BLEU-1", "BLEU-4", "Corpus_BLEU-1", "Corpus_BLEU-4"]


def test_the_definitions_where_published_examples_disagree() -> None:
    result = fullmarks.score("qa", GOLD, PREDICTIONS)
    assert [record["token_f1"] for record in result.per_example] == [1.0, pytest.approx(0.75, abs=1e-12)]
    bleu = fullmarks.score("qa", [["The Eiffel Tower is in Paris"]], ["The tower is in Paris"]).official["BLEU-1"]
    assert bleu == pytest.approx(0.655, abs=5e-4)  # 4/5 x exp(1 - 6/5), to the published digits


@pytest.mark.parametrize(
    ("gold", "predictions"),
    [
        (GOLD, PREDICTIONS),
        ({"gold_answers": GOLD}, PREDICTIONS),
        (dict(enumerate(GOLD)), dict(enumerate(PREDICTIONS))),
        ({"x": GOLD[0], "y": GOLD[1]}, {"y": PREDICTIONS[1], "x": PREDICTIONS[0]}),
        (
            {"x": GOLD[0], "y": GOLD[1][0]},
            [{"id": "y", "answer": PREDICTIONS[1]}, {"id": "x", "answer": PREDICTIONS[0]}],
        ),
        ({"1": GOLD[0], "2": GOLD[1]}, {1: PREDICTIONS[0], 2: PREDICTIONS[1]}),
        (
            [{"id": 1, "references": GOLD[0]}, {"id": 2, "references": GOLD[1]}],
            {"1": PREDICTIONS[0], "2": PREDICTIONS[1]},
        ),
        (
            [
                {"prediction": PREDICTIONS[0], "references": GOLD[0]},
                {"prediction": PREDICTIONS[1], "references": GOLD[1]},
            ],
            None,
        ),
        ({"prediction": PREDICTIONS, "references": GOLD}, None),
    ],
)
def test_every_shape_gives_the_same_result(gold: Any, predictions: Any) -> None:
    assert fullmarks.score("qa", gold, predictions).official == fullmarks.score("qa", GOLD, PREDICTIONS).official


def test_a_function_may_combine_the_gold_answers() -> None:
    def second(scores: list[float]) -> float:
        return scores[-1]

    result = fullmarks.score("qa", GOLD, PREDICTIONS, aggregate=second)
    assert result.per_example[0]["exact_match"] == 0.0
    assert "|aggregate:function:second|" in result.signature


def test_explain_has_overlap_and_ngrams() -> None:
    why = fullmarks.explain("qa", GOLD, PREDICTIONS, id=1)
    assert why.tables["references"][0]["matched"] == "paris is capital"
    assert why.tables["bleu"][0]["precisions"][0] == 3 / 4


def test_gold_answers_that_are_a_text_are_its_characters(caplog: pytest.LogCaptureFixture) -> None:
    """The published classes take the maximum over the items of `gold_answers[i]`: of a text over its characters."""
    gold, predictions = ["the cat", ["x"]], ["the cat c", "x"]
    letters = [list(gold[0]), gold[1]]
    result = fullmarks.score("qa", gold, predictions)
    assert result.official == fullmarks.score("qa", letters, predictions).official
    assert result.official["F1"] == 0.8333333333333333  # (2/3 for "c" against "cat c" + 1) / 2
    finding = result.audit.findings["lone-texts"]
    assert (finding.level, finding.first_ids) == ("warning", [0])
    pooled, _ = QAF1Score().calculate_metric_scores(gold_answers=gold, predicted_answers=predictions)
    assert pooled == {"F1": 0.8333333333333333}
    assert "gold_answers: 1 are a text, not a list, the first at 0" in caplog.text
    by_id = fullmarks.score("qa", {"a": "the cat"}, {"a": "the cat"})
    assert (by_id.official["ExactMatch"], by_id.audit.findings) == (1.0, {})
