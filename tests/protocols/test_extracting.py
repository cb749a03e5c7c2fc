"""Extraction between reading and scoring, as every part of the program shows it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.analysis.intervals import Sampling
from fullmarks.analysis.saved import load_run, save_run
from fullmarks.analysis.standings import standings
from fullmarks.cli.main import main
from fullmarks.protocols import PROTOCOLS
from fullmarks.report.page_content import page_content

GOLD = [["42"], ["Paris"], ["B"], ["1200"]]
CHATTY = ["<think>41?</think> The answer is 42.", "Rome? No. Answer: **Paris**", "I do not know.", "Answer:"]
SPEC = "after-think+final-answer"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    gold, predictions = tmp_path / "gold.json", tmp_path / "predictions.json"
    gold.write_text(json.dumps(GOLD))
    predictions.write_text(json.dumps(CHATTY))
    return str(gold), str(predictions)


def run(**options: Any) -> fullmarks.Result:
    return fullmarks.score("qa", GOLD, CHATTY, **options)


def found(audit: Any) -> dict[str, tuple[str, int, list[Any]]]:
    return {each.kind: (each.level, each.count, each.first_ids) for each in audit.findings.values()}


def test_the_score_is_that_of_the_extracted_texts() -> None:
    by_hand = fullmarks.score("qa", GOLD, ["42", "Paris", "I do not know.", ""])
    assert run(extract=SPEC).official == by_hand.official
    assert run().official != by_hand.official
    assert run().signature == by_hand.signature


def test_the_signature_tells_it_only_where_it_is_used() -> None:
    assert f"|extract:{SPEC}:v1|" in run(extract=SPEC).signature
    assert "extract" not in run().signature


def test_the_audit_counts_what_was_odd() -> None:
    assert found(run(extract=SPEC).audit) == {
        "predictions changed by extraction": ("note", 3, [0, 1, 3]),
        "predictions in which after-think found nothing, so that the text stays as it was": ("note", 3, [1, 2, 3]),
        "predictions in which final-answer found nothing, so that the text stays as it was": ("note", 1, [2]),
        "predictions in which final-answer found an empty place, so that an empty text is scored": ("warning", 1, [3]),
    }
    several = found(fullmarks.score("qa", [["5"]], ["4 or 5"], extract="number").audit)
    kind = "predictions in which number found several that differ, so that one of them is taken"
    assert several[kind] == ("note", 1, [0])


def test_a_record_has_the_whole_prediction_too() -> None:
    record = run(extract=SPEC).per_example[1]
    assert (record["prediction"], record["raw_prediction"]) == ("Paris", CHATTY[1])
    assert "raw_prediction" not in run().per_example[1]


def test_validate_shows_what_would_happen(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "qa", *files, "--extract", "after-think+number", "-f", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["extracted"][0] == {"id": 0, "before": CHATTY[0], "after": "42"}
    assert main(["validate", "qa", *files, "--extract", "after-think+number", "-f", "text"]) == 0
    shown = capsys.readouterr().out
    assert "warning: predictions in which number found nothing, so that an empty text is scored: 3" in shown
    assert "<think>41?</think> The answer is 42.  42" in shown
    assert main(["validate", "qa", *files, "-f", "json"]) == 0
    assert "extracted" not in json.loads(capsys.readouterr().out)


def test_explain_shows_before_and_after(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "qa", *files, "--extract", SPEC, "--id", "0", "-f", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["raw prediction"], told["prediction"]) == (CHATTY[0], "42")
    assert told["extraction"] == [
        {"step": "after-think", "found": "one", "left": "The answer is 42."},
        {"step": "final-answer", "found": "one", "left": "42"},
    ]


def test_a_saved_run_keeps_both(tmp_path: Path) -> None:
    result = run(extract=SPEC)
    save_run(result, tmp_path / "run.json")
    again = load_run(tmp_path / "run.json")
    assert again == result
    assert list(again.per_example) == list(result.per_example)
    assert again.rules.explanation(again.tally.examples[0]).facts["raw prediction"] == CHATTY[0]


def test_the_page_shows_every_system_its_own_text() -> None:
    other = fullmarks.score("qa", GOLD, ["The answer is 7.", *CHATTY[1:]], extract=SPEC)
    content = page_content(standings({"one": run(extract=SPEC), "other": other}, sampling=Sampling(resamples=100)))
    assert "raw_prediction" not in content.document["examples"]["columns"]
    (block,) = content.explanations
    assert [each["facts"]["raw prediction"] for each in block[0]] == [CHATTY[0], "The answer is 7."]


def test_questions_without_a_prediction_stay_so() -> None:
    gold = {"a": ["1"], "b": ["2"]}
    result = fullmarks.score("qa", gold, {"a": "It is 1."}, extract="number", on_missing="zero")
    assert result.official["ExactMatch"] == 0.5
    assert not any("found nothing" in each.kind for each in result.audit.findings.values())


def test_a_table_is_extracted_block_by_block(tmp_path: Path) -> None:
    table = tmp_path / "table.jsonl"
    rows = [{"id": at, "prediction": f"I say {at}, yes.", "references": [str(at)]} for at in range(20_000)]
    table.write_text("\n".join(map(json.dumps, rows)))
    result = fullmarks.score("squad1", str(table), extract="number", keep=False)
    assert result.official["exact_match"] == 100.0
    assert result.audit.findings["extracted"].count == 20_000


@pytest.mark.parametrize("column", ["choices", "options"])
def test_a_table_may_tell_the_options(tmp_path: Path, column: str) -> None:
    table = tmp_path / "table.jsonl"
    rows = [
        {"id": 1, "prediction": "The answer is F.", "references": [""], column: ["x", "y"]},
        {"id": 2, "prediction": "The answer is B.", "references": ["B"], column: ["x", "y"]},
    ]
    table.write_text("\n".join(map(json.dumps, rows)))
    result = fullmarks.score("squad1", str(table), extract="choice")
    assert [record["prediction"] for record in result.per_example] == ["", "B"]


def test_every_protocol_of_texts_takes_it() -> None:
    wrong = []
    for name in PROTOCOLS.built_in:
        try:
            signature = PROTOCOLS.make(name, {"extract": "number"}).signature()
        except fullmarks.UsageError as error:
            refused = re.search(r"not all predictions of .* are texts: leave extract out", str(error))
            is_right = not PROTOCOLS.get(name).predicts_texts and refused
        else:
            is_right = PROTOCOLS.get(name).predicts_texts and signature["extract"] == "number:v1"
        if not is_right:
            wrong.append(name)
    assert wrong == []


def test_squad2_scores_what_was_extracted() -> None:
    gold = {
        "data": [
            {"title": "t", "paragraphs": [{"context": "c", "qas": [_question("a", ["Rome"]), _question("b", [])]}]}
        ]
    }
    predictions = {"a": '{"answer": "Rome"}', "b": '{"answer": ""}'}
    assert fullmarks.score("squad2", gold, predictions, extract="json:answer").official["exact"] == 100.0
    assert fullmarks.score("squad2", gold, predictions).official["exact"] == 0.0


def _question(identifier: str, answers: list[str]) -> dict[str, Any]:
    return {
        "id": identifier,
        "question": "?",
        "is_impossible": not answers,
        "answers": [{"text": text, "answer_start": 0} for text in answers],
    }


@pytest.mark.parametrize(("value", "message"), [(5, "extract must be a text"), ("nothing", "there is no extractor")])
def test_wrong_values(value: Any, message: str) -> None:
    with pytest.raises(fullmarks.UsageError, match=message):
        run(extract=value)


def test_a_pattern_that_backtracks_names_the_example(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fullmarks.text.bounded_regex.SECONDS", 0.2)
    with pytest.raises(
        fullmarks.UsageError, match=r"the prediction for 'q7': the pattern '\(a\|aa\)\+\$' did not come"
    ):
        fullmarks.score("qa", {"q7": ["a"]}, {"q7": "a" * 90 + "b"}, extract="regex:(a|aa)+$")


def test_a_column_of_the_same_name_is_not_overwritten(tmp_path: Path) -> None:
    table = tmp_path / "table.jsonl"
    table.write_text(json.dumps({"id": 1, "prediction": "1", "references": ["1"], "raw_prediction": "x"}))
    with pytest.raises(fullmarks.UsageError, match="extract keeps whole predictions in the column 'raw_prediction'"):
        fullmarks.score("squad1", str(table), by="raw_prediction", extract="number")
