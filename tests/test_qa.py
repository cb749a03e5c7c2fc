"""The classes of `fullmarks.qa`: published names, published calls, golden numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import fullmarks
from fullmarks.qa import QABleu1Score, QABleu4Score, QABleuScore, QAExactMatch, QAF1Score

CLASSES: dict[str, tuple[Any, str]] = {
    "em": (QAExactMatch, "ExactMatch"),
    "f1": (QAF1Score, "F1"),
    "bleu1": (QABleu1Score, "BLEU-1"),
    "bleu4": (QABleu4Score, "BLEU-4"),
}


@pytest.fixture(scope="module")
def golden(golden_files: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((golden_files / "qa" / "answers.json").read_text())
    return loaded


def last(scores: list[float]) -> float:
    return scores[-1]


@pytest.mark.parametrize("column", CLASSES)
@pytest.mark.parametrize("combine", [None, max, numpy.max, min, numpy.min, last])
def test_golden_scores_of_every_example(
    golden: dict[str, Any], column: str, combine: Callable[[list[float]], float] | None
) -> None:
    metric, key = CLASSES[column]
    cases = golden["cases"]
    golds, predictions = [case["golds"] for case in cases], [case["prediction"] for case in cases]
    arguments = {} if combine is None else {"aggregation_fn": combine}
    pooled, each = metric().calculate_metric_scores(golds, predictions, **arguments)
    expected = [float((combine or max)(case[column])) for case in cases]
    assert [scores[key] for scores in each] == expected
    total = 0.0
    for score in expected:
        total += score
    assert pooled == {key: total / len(cases)}


def test_mean_of_golds() -> None:
    pooled, each = QAExactMatch().calculate_metric_scores([["cat", "dog"]], ["cat"], aggregation_fn=numpy.mean)
    assert (pooled, each) == ({"ExactMatch": 0.5}, [{"ExactMatch": 0.5}])


@pytest.mark.parametrize(("metric", "key"), [(QABleu1Score, "corpus_bleu1"), (QABleu4Score, "corpus_bleu4")])
def test_golden_corpus_bleu(golden: dict[str, Any], metric: Any, key: str) -> None:
    cases = golden["cases"]
    result = metric().calculate_corpus_bleu([case["golds"] for case in cases], [case["prediction"] for case in cases])
    assert result == {f"Corpus_BLEU-{key[-1]}": golden[key]}


def test_no_overlap_of_two_empty_sides() -> None:
    assert QAF1Score().calculate_metric_scores([["the"]], [""])[0] == {"F1": 0.0}
    assert QAExactMatch().calculate_metric_scores([["the"]], [""])[0] == {"ExactMatch": 1.0}


def test_the_definition_where_the_published_page_disagrees() -> None:
    f1 = QAF1Score().calculate_metric_scores([["The capital of France is Paris"]], ["Paris is the capital"])[0]["F1"]
    precision, recall = 3 / 3, 3 / 5
    assert f1 == 2 * precision * recall / (precision + recall)


@pytest.mark.parametrize("metric", [metric for metric, _ in CLASSES.values()])
class TestEveryClass:
    def test_no_examples(self, metric: Any) -> None:
        pooled, each = metric().calculate_metric_scores([], [])
        assert (list(pooled.values()), each) == ([0.0], [])

    def test_other_keywords_change_nothing(self, metric: Any) -> None:
        plain = metric().calculate_metric_scores([["a cat"]], ["cat"])
        assert metric().calculate_metric_scores([["a cat"]], ["cat"], verbose=True) == plain

    def test_lengths_that_differ(self, metric: Any) -> None:
        with pytest.raises(fullmarks.InputError, match="gold_answers: 1 of them for 2 predictions"):
            metric().calculate_metric_scores([["a"]], ["a", "b"])

    def test_the_configuration_is_kept_and_changes_nothing(self, metric: Any) -> None:
        config = object()
        assert metric().global_config is None
        assert metric(None).global_config is metric(global_config=None).global_config is None
        assert metric(config).global_config is metric(global_config=config).global_config is config
        plain = metric().calculate_metric_scores([["a cat"]], ["cat"])
        assert metric(config).calculate_metric_scores([["a cat"]], ["cat"]) == plain

    def test_a_prediction_that_is_no_text(self, metric: Any) -> None:
        with pytest.raises(fullmarks.InputError, match=r"predictions\[0\]: expected a string, found NoneType"):
            metric().calculate_metric_scores([["a"]], [None])


@pytest.mark.parametrize("metric", [QAExactMatch, QAF1Score])
def test_an_example_without_gold(metric: Any) -> None:
    with pytest.raises(fullmarks.InputError, match=r"gold_answers\[1\]: no acceptable answer"):
        metric().calculate_metric_scores([["a"], []], ["a", "b"])


def test_bleu_of_an_example_without_gold_is_zero(caplog: pytest.LogCaptureFixture) -> None:
    pooled, each = QABleu1Score().calculate_metric_scores([["a"], []], ["a", "b"])
    assert (pooled, each) == ({"BLEU-1": 0.5}, [{"BLEU-1": 1.0}, {"BLEU-1": 0.0}])
    assert QABleu1Score().calculate_corpus_bleu([["a"], []], ["a", "b"]) == {"Corpus_BLEU-1": 0.0}
    assert [record.getMessage() for record in caplog.records] == [
        "gold_answers: 1 without an acceptable answer, the first at 1; their BLEU is 0.0"
    ] * 2


@pytest.mark.parametrize("order", [1, 2, 4])
def test_the_base_of_bleu_takes_any_order(golden: dict[str, Any], order: int) -> None:
    golds, predictions = [case["golds"] for case in golden["cases"]], [case["prediction"] for case in golden["cases"]]
    metric = QABleuScore(max_order=order)
    pooled, each = metric.calculate_metric_scores(golds, predictions)
    assert (list(pooled), metric.max_order) == ([f"BLEU-{order}"], order)
    assert list(metric.calculate_corpus_bleu(golds, predictions)) == [f"Corpus_BLEU-{order}"]
    if order in (1, 4):
        named = {1: QABleu1Score, 4: QABleu4Score}[order]()
        assert isinstance(named, QABleuScore)
        assert (pooled, each) == named.calculate_metric_scores(golds, predictions)
        assert (pooled, each) == QABleuScore(None, order).calculate_metric_scores(golds, predictions)


def test_the_base_of_bleu_counts_words_unless_told_otherwise() -> None:
    assert QABleuScore().calculate_metric_scores([["a cat"]], ["a cat"])[0] == {"BLEU-1": 1.0}
    with pytest.raises(fullmarks.UsageError, match="max_order must be"):
        QABleuScore(max_order=0)


def test_corpus_bleu_without_examples() -> None:
    assert QABleu4Score().calculate_corpus_bleu([], []) == {"Corpus_BLEU-4": 0.0}
