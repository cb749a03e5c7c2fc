"""A-OKVQA: what the published program printed, run by run and case by case."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.testing import assert_official


@pytest.fixture
def golden(golden_files: Path) -> Path:
    return golden_files / "aokvqa"


def document(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_golden_numbers(golden: Path) -> None:
    expected = document(golden / "expected.json")
    result = assert_official("aokvqa", golden / "aokvqa_v1p0_val.json", golden / "predictions.json", expected["result"])
    assert result.official == expected["result"]
    each = {record["id"]: {"MC": record["MC"], "DA": record["DA"]} for record in result.per_example}
    for identifier, wanted in expected["per_question"].items():
        found = each[identifier]
        assert found["MC"] * 100 == wanted["MC"]
        assert (None if found["DA"] is None else found["DA"] * 100) == wanted.get("DA")


def test_golden_runs(golden: Path) -> None:
    gold, given = document(golden / "aokvqa_v1p0_val.json"), document(golden / "predictions.json")
    runs = document(golden / "expected.json")["runs"]

    def check(name: str, questions: Any, predictions: Any) -> fullmarks.Result:
        return assert_official("aokvqa", questions, predictions, runs[name]["result"])

    def only(part: str) -> dict[str, Any]:
        return {name: {part: parts[part]} for name, parts in given.items() if part in parts}

    first = {question["question_id"] for question in gold[:30]}
    missing = check("missing_30", gold, {name: parts for name, parts in given.items() if name not in first})
    assert missing.audit.findings["missing-predictions"].count == 30
    check("extra", gold, {**given, "nosuch": {"multiple_choice": "x", "direct_answer": "x"}})
    assert check("only_mc", gold, only("multiple_choice")).to_dict()["scores"]["DA"] is None
    check("only_da", gold, only("direct_answer"))
    told = check("all_difficult", [{**question, "difficult_direct_answer": True} for question in gold], given)
    assert "no-direct-questions" in told.audit.findings
    bare = [{key: value for key, value in question.items() if key != "difficult_direct_answer"} for question in gold]
    check("no_field", bare, given)
    for name, mark in (("difficult_null", None), ("difficult_zero", 0)):
        check(name, [{**gold[0], "difficult_direct_answer": mark}, *gold[1:]], given)
    place = next(at for at, question in enumerate(gold) if question["question_id"] == "Rsa54bPYMBiJNawXqREjSu")
    other = (gold[place]["correct_choice_idx"] + 1) % 4
    check("duplicate_gold", [*gold, {**gold[place], "correct_choice_idx": other}], given)
    with pytest.raises(fullmarks.FullmarksError, match="there is no prediction in it"):
        fullmarks.score("aokvqa", gold, {})


def test_golden_answers(golden: Path) -> None:
    cases = document(golden / "answers.json")["cases"]
    assert len(cases) > 500
    gold = [
        {
            **{key: case[key] for key in ("choices", "correct_choice_idx", "direct_answers")},
            "question_id": str(number),
            "difficult_direct_answer": False,
        }
        for number, case in enumerate(cases)
    ]
    given = {
        str(number): {"multiple_choice": case["prediction"], "direct_answer": case["prediction"]}
        for number, case in enumerate(cases)
    }
    found = fullmarks.score("aokvqa", gold, given).per_example
    assert [(record["MC"] * 100, record["DA"] * 100) for record in found] == [
        (case["MC"], case["DA"]) for case in cases
    ]


def question(**changes: Any) -> dict[str, Any]:
    plain = {
        "question_id": "q",
        "choices": ["red", "blue"],
        "correct_choice_idx": 1,
        "direct_answers": ["blue", "blue", "navy"],
        "difficult_direct_answer": False,
    }
    return {**plain, **changes}


def test_choices_are_texts_and_others_are_counted() -> None:
    for choice, score in (("blue", 100.0), ("B", 0.0), ("1", 0.0), ("Blue", 0.0)):
        result = fullmarks.score("aokvqa", [question()], {"q": {"multiple_choice": choice}})
        assert result.official == {"MC": score}
        assert ("other-choices" in result.audit.findings) == (score == 0.0)


def test_what_is_wrong_with_a_question_is_said() -> None:
    for changes, message in (
        (
            {"correct_choice_idx": 2},
            r"\[0\]: 'correct_choice_idx' must be the place of one of 2 choices from 0, found 2",
        ),
        ({"correct_choice_idx": None}, "found null"),
        ({"choices": "red"}, "'choices' must be a list of texts, found a text|a string"),
    ):
        with pytest.raises(fullmarks.FullmarksError, match=message):
            fullmarks.score("aokvqa", [question(**changes)], {"q": {"multiple_choice": "red"}})
    empty = fullmarks.score("aokvqa", [question(direct_answers=[])], {"q": {"direct_answer": ""}})
    assert empty.official == {"DA": 0.0}
    assert "no-direct-answers" in empty.audit.findings


def test_explanation_and_missing_parts() -> None:
    gold = [question(direct_answers=["", "", ""])]
    assert fullmarks.score("aokvqa", gold, {"q": {"multiple_choice": "blue"}}).official == {"MC": 100.0}
    told = fullmarks.explain("aokvqa", [question()], {"q": {"multiple_choice": "red", "direct_answer": "blue"}}, id="q")
    assert told.scores == {"MC": 0.0, "DA": 2 / 3}
    assert told.facts["right choice"] == "blue"
    assert told.facts["annotators agreeing"] == 2
