"""OK-VQA: what VQA's program gave on its files, and lmms-eval's reading."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.protocols.okvqa.rules import LMMS_VOTES
from fullmarks.testing import assert_official
from fullmarks.types import Examples


@pytest.fixture
def golden(golden_files: Path) -> Path:
    return golden_files / "okvqa"


def document(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_golden_numbers(golden: Path) -> None:
    files = golden / "mscoco_val2014_annotations.json", golden / "predictions.json"
    questions = golden / "OpenEnded_mscoco_val2014_questions.json"
    expected = document(golden / "expected.json")
    assert_official("okvqa", *files, expected["result"], questions=questions)
    result = assert_official("okvqa", *files, expected["unrounded (n=12)"], precision=12)
    assert {str(record["id"]): record["evalQA"] for record in result.per_example} == expected["per_question"]
    lmms = expected["variants"]["lmms-eval exact_match (EvalAI processor on both, always)"]
    assert_official("okvqa", *files, {"exact_match": lmms}, variant="lmms-eval")


def test_golden_runs(golden: Path) -> None:
    gold, given = document(golden / "mscoco_val2014_annotations.json"), document(golden / "predictions.json")
    runs = document(golden / "expected.json")["runs"]
    again = {**given[0], "answer": "zzz"}  # the first scores 100, and the last one counts
    assert fullmarks.score("okvqa", gold, [*given, again]).official["overall"] == runs["duplicate"]["overall"]
    assert fullmarks.score("okvqa", gold, [again, *given]).official["overall"] > runs["duplicate"]["overall"]
    for annotation in gold["annotations"]:
        for record in annotation["answers"]:
            record["answer_id"] = 1
    same = fullmarks.score("okvqa", gold, given)
    assert same.official["overall"] == runs["same_answer_id"]["overall"]
    assert same.audit.findings["equal-records"].count > 0
    with pytest.raises(fullmarks.FullmarksError, match="questions without a prediction: 1"):
        fullmarks.score("okvqa", gold, given[1:])
    with pytest.raises(fullmarks.FullmarksError, match="predictions for unknown questions: 1"):
        fullmarks.score("okvqa", gold, [*given, {"question_id": 5, "answer": "x"}])
    gold["annotations"][0]["answers"] = []
    with pytest.raises(fullmarks.FullmarksError, match="questions without any gold answer: 1"):
        fullmarks.score("okvqa", gold, given)


def test_golden_answers(golden: Path) -> None:
    cases = document(golden / "answers.json")["cases"]
    assert len(cases) > 500
    annotations = [
        {
            "question_id": number,
            "answers": [{"answer_id": place, "answer": answer} for place, answer in enumerate(case["answers"])],
        }
        for number, case in enumerate(cases)
    ]
    given = [{"question_id": number, "answer": case["prediction"]} for number, case in enumerate(cases)]
    result = fullmarks.score("okvqa", {"annotations": annotations}, given, precision=12)
    assert [record["evalQA"] for record in result.per_example] == [case["score"] for case in cases]
    golds = [case["answers"] for case in cases]
    rows = LMMS_VOTES.rows(Examples(range(len(cases)), [case["prediction"] for case in cases], golds))
    assert rows.tolist() == pytest.approx([case["lmms"] for case in cases], rel=0, abs=1e-12)
