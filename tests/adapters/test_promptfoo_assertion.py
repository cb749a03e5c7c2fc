"""`get_assert` called as promptfoo calls it: an output, and a context of plain data."""

from __future__ import annotations

import json
from typing import Any

import pytest

import fullmarks
from fullmarks.adapters.promptfoo import get_assert


def context(references: Any = "a red hat", **config: Any) -> dict[str, Any]:
    return {
        "prompt": "what is it?",
        "vars": {"question": "what is it?", "references": references},
        "test": {"vars": {}, "assert": []},
        "config": config,
        "provider": "echo",
    }


def test_full_marks_pass() -> None:
    found = get_assert("The red hat.", context())
    assert found["pass"] is True
    assert found["score"] == 1.0
    assert found["namedScores"] == {"token_f1": 1.0}
    assert json.loads(json.dumps(found)) == found


def test_the_score_is_that_of_the_metric_and_the_threshold_decides() -> None:
    expected = fullmarks.load("token_f1").compute(predictions=["a red cap"], references=[["a red hat"]])["token_f1"]
    under = get_assert("a red cap", context(metric="token_f1", threshold=0.75))
    assert (under["pass"], under["score"]) == (False, expected)
    assert under["reason"] == 'token_f1 0.5 is under 0.75 (token_f1): "a red cap" against ["a red hat"]'
    assert get_assert("a red cap", context(threshold=0.5))["pass"] is True


@pytest.mark.parametrize("references", [["a blue hat", "a red hat"], '["a blue hat", "a red hat"]'])
def test_several_references(references: Any) -> None:
    assert get_assert("red hat", context(references))["pass"] is True


def test_a_text_that_begins_with_a_bracket_is_a_text() -> None:
    assert get_assert("[sic] hat", context("[sic] hat", metric="exact_match"))["pass"] is True


def test_protocols_with_their_options_from_0_to_1() -> None:
    found = get_assert("it is 7", context("#### 7", metric="gsm8k", variant="flexible-extract"))
    assert (found["pass"], found["score"]) == (True, 1.0)
    squad = get_assert("a red cap", context(metric="squad2", score="f1", threshold=0.4))
    assert (squad["pass"], squad["score"]) == (True, 0.5)
    assert squad["namedScores"]["exact"] == 0.0


def test_an_output_that_is_no_text_is_scored_as_json() -> None:
    assert get_assert({"answer": 7}, context('{"answer": 7}'))["pass"] is True  # type: ignore[arg-type]


def test_another_variable_holds_the_answers() -> None:
    given = context(references="gold")
    given["vars"]["gold"] = "a red hat"
    assert get_assert("red hat", given)["pass"] is False
    given["config"] = {"references": "gold"}
    assert get_assert("red hat", given)["pass"] is True


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (context(metric="token_f"), "no protocol and no metric is named 'token_f'. Did you mean 'token_f1'"),
        (context(references=7), "references: expected a text or a list of texts"),
        (context(references=[]), "references: expected a text or a list of texts"),
        (context(threshold=80), "threshold must be a number from 0 to 1, found 80"),
        (context(threshold=True), "threshold must be a number from 0 to 1, found True"),
        (context(score="f1"), "token_f1 has no score 'f1'"),
        (context(recipes="x"), "token_f1 has no option 'recipes'"),
        ({"vars": {"gold": "x"}}, "the test has no variable 'references' with the right answers (it has gold)"),
        ({}, "the test has no variable 'references'"),
        (context(metric="fid"), "fid is a number of whole sets"),
        (context(metric="fusionbrain"), "fusionbrain reads nothing but its own files"),
    ],
)
def test_mistakes_fail_and_say_why(given: dict[str, Any], said: str) -> None:
    found = get_assert("red hat", given)
    assert (found["pass"], found["score"]) == (False, 0.0)
    assert found["reason"].startswith("not graded: ")
    assert said in found["reason"]
