"""TextVQA: what mmf's evaluator and LLaVA's script gave, in both forms of files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.protocols.textvqa.rules import judge, question_of
from fullmarks.testing import assert_official

Rows = list[dict[str, Any]]


@pytest.fixture
def golden(golden_files: Path) -> Path:
    return golden_files / "textvqa"


@pytest.fixture
def expected(golden: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((golden / "expected.json").read_text(encoding="utf-8"))
    return found


@pytest.fixture
def gold(golden: Path) -> Path:
    return golden / "TextVQA_0.5.1_val.json"


@pytest.fixture
def llava(golden: Path) -> Rows:
    return [json.loads(line) for line in (golden / "llava_answers.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("file", ["predictions.json", "llava_answers.jsonl"])
def test_golden_numbers(golden: Path, gold: Path, expected: dict[str, Any], file: str) -> None:
    result = assert_official("textvqa", gold, golden / file, {"accuracy": expected["result"]["accuracy"]})
    assert result.official["accuracy"] == expected["result"]["accuracy"]
    assert {str(record["id"]): record["accuracy"] for record in result.per_example} == expected["per_question"]


def test_golden_scores(golden: Path) -> None:
    cases = json.loads((golden / "scores.json").read_text(encoding="utf-8"))["cases"]
    assert len(cases) > 500
    for case in cases:
        assert judge(case["prediction"], case["answers"]).score == case["score"]


@pytest.mark.parametrize(
    ("variant", "key", "name"),
    [
        ("lmms-eval", "exact_match", "lmms-eval exact_match (mean of statistics.mean)"),
        ("vlmevalkit", "Overall", "VLMEvalKit (x 100)"),
    ],
)
def test_golden_variants(golden: Path, gold: Path, expected: dict[str, Any], variant: str, key: str, name: str) -> None:
    assert_official("textvqa", gold, golden / "predictions.json", {key: expected["variants"][name]}, variant=variant)


def test_golden_rule_of_stvqa(golden: Path, gold: Path, expected: dict[str, Any]) -> None:
    from fullmarks.analysis.crosscheck import crosscheck

    rules = {
        rule.name: rule.scores["accuracy"] for rule in crosscheck("textvqa", gold, golden / "predictions.json").rules
    }
    wanted = expected["variants"]["ST-VQA accuracy (mmf, prediction among the golds)"]
    assert rules["stvqa-accuracy"] == pytest.approx(wanted, abs=1e-12)
    assert set(rules) == {"variant lmms-eval", "variant vlmevalkit", "vqa-normaliser", "stvqa-accuracy"}


def printed(result: fullmarks.Result) -> str:
    return f"llava_answers\nSamples: {result.n}\nAccuracy: {100 * result.official['accuracy']:.2f}%\n\n"


def test_runs_of_llava(gold: Path, expected: dict[str, Any], llava: Rows) -> None:
    runs = expected["runs"]
    missing = fullmarks.score("textvqa", gold, llava[20:])
    assert printed(missing) == runs["llava_missing_20"]["printed"]
    assert missing.audit.findings["missing-predictions"].count == 20
    repeated = fullmarks.score("textvqa", gold, [*llava, *llava[:1] * 20])
    assert printed(repeated) == runs["llava_duplicate"]["printed"]
    assert repeated.audit.findings["repeated-predictions"].count == 20
    assert [record["id"] for record in repeated.per_example[:3]] == [34602, "34602#2", "34602#3"]
    capitals = [{**llava[0], "prompt": llava[0]["prompt"].upper()}]
    assert printed(fullmarks.score("textvqa", gold, capitals)) == runs["llava_prompt_case"]["printed"]
    shuffled = fullmarks.score("textvqa", gold, llava[::-1])
    assert shuffled.official["accuracy"] == expected["result"]["accuracy"]


def test_what_stops_the_programs_is_an_error(golden: Path, gold: Path, llava: Rows) -> None:
    with pytest.raises(
        fullmarks.FullmarksError, match=r"1 of 221 answers are for no question of the gold \(first: nosuch"
    ):
        fullmarks.score("textvqa", gold, [*llava, {**llava[0], "question_id": "nosuch"}])
    with pytest.raises(fullmarks.FullmarksError, match="record 1: expected a prompt whose first line is the question"):
        fullmarks.score("textvqa", gold, [{**llava[0], "prompt": "what?"}])
    with pytest.raises(fullmarks.FullmarksError, match="there is no prediction"):
        fullmarks.score("textvqa", gold, [])
    submission = json.loads((golden / "predictions.json").read_text(encoding="utf-8"))
    with pytest.raises(fullmarks.FullmarksError, match="predictions that are not strings: 1"):
        fullmarks.score("textvqa", gold, [{**submission[0], "answer": None}, *submission[1:]])
    for change in (lambda answers: answers[:9], lambda answers: [*answers, "x"]):
        document = json.loads(gold.read_text(encoding="utf-8"))
        document["data"][3]["answers"] = change(document["data"][3]["answers"])
        with pytest.raises(fullmarks.FullmarksError, match=r"questions without exactly 10 gold answers: 1 .*34605"):
            fullmarks.score("textvqa", document, submission)
        assert fullmarks.score("textvqa", document, submission, variant="lmms-eval").n == 220


def test_rules_for_gaps_can_be_chosen() -> None:
    gold = {
        "data": [
            {"question_id": number, "image_id": "i", "question": f"Q{number}?", "answers": ["x"] * 10}
            for number in (1, 2)
        ]
    }
    twice = [{"question_id": 1, "answer": "x"}, {"question_id": 1, "answer": "y"}]
    assert fullmarks.score("textvqa", gold, twice).official == {"accuracy": 0.5}
    assert fullmarks.score("textvqa", gold, twice, on_missing="zero").official == {"accuracy": 1 / 3}
    assert fullmarks.score("textvqa", gold, twice, on_duplicate="first").official == {"accuracy": 1.0}
    assert fullmarks.score("textvqa", gold, twice, on_duplicate="last").official == {"accuracy": 0.0}
    with pytest.raises(fullmarks.FullmarksError, match="predictions with a repeated id: 1"):
        fullmarks.score("textvqa", gold, twice, on_duplicate="error")
    with pytest.raises(fullmarks.FullmarksError, match="questions without a prediction: 1"):
        fullmarks.score("textvqa", gold, twice, on_missing="error")


def test_questions_in_prompts() -> None:
    assert question_of("What?\nAnswer") == "what?"
    assert question_of("What?\nReference OCR token: a\nAnswer") == "what?"
    assert question_of("Reference OCR token: a\nWhat?\nAnswer") == "what?"
    assert question_of("OCR tokens: a b. Question: What? Short answer:") == "what?"
    for odd in ("What?", "a\nb\nc", "OCR tokens: a", ""):
        assert question_of(odd) is None


@pytest.mark.parametrize("value", [["i"], {"i": 1}])
def test_lists_and_objects_as_images_are_errors(value: Any) -> None:
    question = {"question_id": 1, "image_id": "i", "question": "Q?", "answers": ["x"] * 10}
    row = {"question_id": "i", "prompt": "Q?\nAnswer", "text": "x"}
    assert fullmarks.score("textvqa", {"data": [question]}, [row]).official == {"accuracy": 1.0}
    with pytest.raises(fullmarks.InputError, match="predictions: record 1: 'question_id' must be a text or a number"):
        fullmarks.score("textvqa", {"data": [question]}, [{**row, "question_id": value}])
    with pytest.raises(fullmarks.InputError, match="gold: question 1: 'image_id' must be a text or a number"):
        fullmarks.score("textvqa", {"data": [{**question, "image_id": value}]}, [row])
