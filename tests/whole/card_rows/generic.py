"""The cases of the generic protocol."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import fullmarks
from fullmarks.analysis.crosscheck import crosscheck
from fullmarks.qa import QABleu1Score, QAExactMatch, QAF1Score
from tests.whole.card_rows.checking import file, refused, scored


def digits_of_bleu(folder: Path) -> None:
    check = crosscheck("qa", [["a b c d e"]], ["e a b c d"])
    (later,) = [rule for rule in check.rules if rule.name == "python-3.12"]
    assert (check.official["BLEU-4"], later.official["BLEU-4"]) == (0.7071067811865475, 0.7071067811865476)


def by_id(folder: Path) -> None:
    gold = {"a": ["x"], "b": ["y"]}
    scored("qa", gold, {"b": "y", "a": "x"}, wanted={"ExactMatch": 1.0})
    refused("questions without a prediction: 1", "qa", gold, {"a": "x"})
    refused("predictions with a repeated id: 1", "qa", gold, file(folder, "p.json", '{"a": "x", "a": "x", "b": "y"}'))
    refused("questions with a repeated id: 1", "qa", file(folder, "g.json", '{"a": ["x"], "a": ["y"]}'), {"a": "x"})
    given = {"a": "x", "b": "y", "z": "x"}
    scored("qa", gold, given, wanted={"ExactMatch": 1.0}, warning="unknown-predictions")


def empty_answer(folder: Path) -> None:
    result = scored("qa", [["x"]], [""], wanted={"BLEU-1": 0.0, "BLEU-4": 0.0, "Corpus_BLEU-1": 0.0})
    assert result.audit.findings["empty-predictions"].first_ids == [0]


def logged(said: str, call: Callable[[], Any]) -> Any:
    """What comes back of a call that logs this."""
    with patch("fullmarks.qa.getLogger") as logger:
        found = call()
    (message, *values), _ = logger.return_value.warning.call_args
    assert said in message % tuple(values)
    return found


def no_gold_answer(folder: Path) -> None:
    refused(r"without any gold answer: 1 \(first ids: 0\)", "qa", [[]], ["x"])
    given: dict[str, Any] = {"gold_answers": [[]], "predicted_answers": ["x"]}
    for each in (QAExactMatch(), QAF1Score()):
        with pytest.raises(fullmarks.InputError, match=r"gold_answers\[0\]: no acceptable answer"):
            each.calculate_metric_scores(**given)
    said = "1 without an acceptable answer"
    assert logged(said, lambda: QABleu1Score().calculate_metric_scores(**given))[0] == {"BLEU-1": 0.0}
    assert logged(said, lambda: QABleu1Score().calculate_corpus_bleu(**given)) == {"Corpus_BLEU-1": 0.0}


def no_text(folder: Path) -> None:
    refused(r"not strings: 1 \(first ids: 0\); 0 has a number", "qa", [["42"]], [42])
    for each in (QAExactMatch(), QAF1Score(), QABleu1Score()):
        with pytest.raises(fullmarks.InputError, match=r"predictions\[0\]"):
            each.calculate_metric_scores(gold_answers=[["42"]], predicted_answers=[42])  # type: ignore[list-item]


def lone_text(folder: Path) -> None:
    scored("qa", ["cat", ["x"]], ["c", "x"], wanted={"ExactMatch": 1.0}, warning="lone-texts")
    scored("qa", ["cat", ["x"]], ["cat", "x"], wanted={"ExactMatch": 0.5}, warning="lone-texts")
    given: dict[str, Any] = {"gold_answers": ["cat"], "predicted_answers": ["cat"]}
    found = logged("1 are a text, not a list", lambda: QAExactMatch().calculate_metric_scores(**given))
    assert found[0] == {"ExactMatch": 0.0}


def half_a_character(folder: Path) -> None:
    wanted = {"ExactMatch": 1.0, "BLEU-1": 1.0, "Corpus_BLEU-1": 1.0}
    scored("qa", [["a \ud800"]], ["a \ud800"], wanted=wanted)


def no_question(folder: Path) -> None:
    refused("there is no question in it", "qa", [], [])
    for each, key in ((QAExactMatch(), "ExactMatch"), (QAF1Score(), "F1"), (QABleu1Score(), "BLEU-1")):
        assert each.calculate_metric_scores(gold_answers=[], predicted_answers=[]) == ({key: 0.0}, [])


def page_of_the_metrics(folder: Path) -> None:
    f1 = fullmarks.score("qa", [["The capital of France is Paris"]], ["Paris is the capital"]).official["F1"]
    bleu = fullmarks.score("qa", [["The Eiffel Tower is in Paris"]], ["The tower is in Paris"]).official["BLEU-1"]
    assert (round(f1, 12), round(bleu, 3)) == (0.75, 0.655)
    assert (round(f1 - 0.667, 3), round(0.8 - bleu, 3)) == (0.083, 0.145)


QA = {
    "qa": {
        "Python 3.12 or later": digits_of_bleu,
        "questions and answers with ids": by_id,
        "an empty answer": empty_answer,
        "a question has no gold answer": no_gold_answer,
        "a prediction is no text": no_text,
        "gold answers that are a text, in a list by position": lone_text,
        "half a character (a lone surrogate) in an answer": half_a_character,
        "no question at all": no_question,
        "the page that introduced the metrics": page_of_the_metrics,
    }
}
