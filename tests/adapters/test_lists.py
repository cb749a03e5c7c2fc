"""What the adapters share: names to rules, lists to numbers."""

from __future__ import annotations

from typing import Any

import pytest

import fullmarks
from fullmarks.adapters.lists import MetricLists, ProtocolLists, list_scorer
from fullmarks.metrics import METRICS
from fullmarks.protocols import PROTOCOLS
from tests.adapters.answered import answers, flat, official

PREDICTIONS, GOLDS = answers(100)


def test_a_protocol_goes_before_a_metric_of_its_name() -> None:
    assert isinstance(list_scorer("drop", {}), ProtocolLists)
    assert isinstance(list_scorer(fullmarks.load("drop"), {}), MetricLists)
    assert isinstance(list_scorer(fullmarks.load("drop").metric, {}), MetricLists)
    assert list_scorer("SQuAD-2", {}).name == "squad2"


@pytest.mark.parametrize("name", [name for name in PROTOCOLS.built_in if PROTOCOLS.get(name).tables])
def test_every_protocol_with_tables_can_be_made(name: str) -> None:
    options: dict[str, Any] = {"language": "en"} if name in ("mlqa", "xquad") else {}
    rules = list_scorer(name, options if hasattr(PROTOCOLS.get(name), "language") else {})
    assert rules.description.startswith("#")
    assert rules.title


@pytest.mark.parametrize("name", [name for name in METRICS.own_names() if name not in PROTOCOLS.built_in])
def test_every_metric_can_be_made(name: str) -> None:
    rules = list_scorer(name, {"lexicon": "none"} if name in ("meteor", "fusionbrain_visualqa") else {})
    assert isinstance(rules, MetricLists)
    assert rules.description


def test_numbers_are_those_of_score() -> None:
    assert list_scorer("squad2", {}).numbers(PREDICTIONS, GOLDS, {}) == official("squad2", PREDICTIONS, GOLDS)


def test_columns_slice_a_metric() -> None:
    columns = {"topic": ["a", "b"] * 50}
    found = list_scorer("squad", {}).numbers(PREDICTIONS, GOLDS, columns)
    expected = flat(fullmarks.load("squad").compute(predictions=PREDICTIONS, references=GOLDS, topic=columns["topic"]))
    assert found == expected
    assert "topic.a.f1" in found


def test_less_is_better_where_it_is_declared() -> None:
    assert list_scorer("fid", {}).less_is_better("fid")
    assert not list_scorer("squad2", {}).less_is_better("f1")


@pytest.mark.parametrize(
    ("what", "options", "said"),
    [
        ("squad", {"column": "x"}, "squad has no option 'column'"),
        ("squad2", {"columns": {"id": "key"}}, "here every list is passed under the name that it has"),
        ("mathvista", {}, "mathvista reads nothing but its own files"),
        ("sqad2", {}, "no protocol and no metric is named 'sqad2'. Did you mean 'squad2'"),
        (7, {}, "the name of a protocol or metric"),
        (fullmarks.load("bleu"), {"max_order": 2}, "is made already"),
    ],
)
def test_mistakes_are_told(what: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(fullmarks.UsageError) as caught:
        list_scorer(what, options)
    assert said in str(caught.value)


def test_lists_of_different_lengths_are_told() -> None:
    with pytest.raises(fullmarks.InputError, match="references: expected 2 of them, one per prediction, found 1"):
        list_scorer("squad2", {}).numbers(["a", "b"], ["a"], {})
    with pytest.raises(fullmarks.InputError, match="topic: expected 1 of them"):
        list_scorer("squad2", {}).numbers(["a"], ["a"], {"topic": []})


@pytest.mark.parametrize("ending", ["", "s"])
def test_types_under_the_names_of_the_published_metric(ending: str) -> None:
    """The metric of the Hugging Face hub takes answer_types and question_types: they are not ignored in silence."""
    kinds = {f"answer_type{ending}": ["yes/no", "other"], f"question_type{ending}": ["is", "what"]}
    found = list_scorer("vqa", {}).numbers(["yes", "maybe"], [["yes"] * 10, ["no"] * 10], kinds)
    assert (found["perAnswerType.yes/no"], found["perAnswerType.other"]) == (100.0, 0.0)
    assert (found["perQuestionType.is"], found["perQuestionType.what"]) == (100.0, 0.0)
