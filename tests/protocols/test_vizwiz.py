"""VizWiz: what both circulating texts of the program gave, and unanswerable questions against a plain statement."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.protocols.vizwiz.rules import LEAVE_ONE_OUT, average_precision, f1_score, is_called_unanswerable, judge
from fullmarks.testing import assert_official


@pytest.fixture
def golden(golden_files: Path) -> Path:
    return golden_files / "vizwiz"


@pytest.fixture
def expected(golden: Path) -> dict[str, Any]:
    found: dict[str, Any] = document(golden / "expected.json")
    return found


def document(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def percentages(result: fullmarks.Result) -> dict[str, float]:
    return {record["id"]: round(100 * record["accuracy"], 12) for record in result.per_example}


def test_golden_numbers(golden: Path, expected: dict[str, Any]) -> None:
    files = golden / "val.json", golden / "predictions.json"
    assert_official("vizwiz", *files, expected["result"])
    result = assert_official("vizwiz", *files, expected["unrounded (n=12)"], precision=12)
    assert percentages(result) == expected["per_question"]
    assert fullmarks.score("vizwiz", *files, keep=False).official == expected["result"]


@pytest.mark.parametrize("digits", [2, 12])
def test_golden_numbers_of_the_other_text(golden: Path, expected: dict[str, Any], digits: int) -> None:
    files, other = (golden / "val.json", golden / "predictions.json"), expected["leave_one_out"]
    unanswerability = expected["result" if digits == 2 else "unrounded (n=12)"]["unanswerability"]
    wanted = {"accuracy": other[f"accuracy (n={digits})"], "unanswerability": unanswerability}
    result = assert_official("vizwiz", *files, wanted, variant="leave-one-out", precision=digits)
    assert percentages(result) == other["per_question"]


def test_golden_variants(golden: Path, expected: dict[str, Any]) -> None:
    files = golden / "val.json", golden / "predictions.json"
    lmms, upload = expected["variants"].values()
    assert_official("vizwiz", *files, {"exact_match": lmms}, variant="lmms-eval")
    wanted = {"accuracy": upload, "unanswerability": expected["unrounded (n=12)"]["unanswerability"]}
    assert_official("vizwiz", *files, wanted, variant="llava-upload", precision=12)


def test_golden_scores(golden: Path) -> None:
    cases = document(golden / "scores.json")["cases"]
    assert len(cases) > 500
    for case in cases:
        assert round(100 * judge(case["prediction"], case["answers"]).score, 12) == case["score"]
        alone = judge(case["prediction"], case["answers"], LEAVE_ONE_OUT)
        assert round(100 * alone.score, 12) == case["leave_one_out"]


def test_golden_runs(golden: Path, expected: dict[str, Any]) -> None:
    gold, given, runs = document(golden / "val.json"), document(golden / "predictions.json"), expected["runs"]

    def check(name: str, questions: Any, predictions: Any) -> fullmarks.Result:
        wanted = {key: runs[name][key] for key in ("accuracy", "unanswerability") if key in runs[name]}
        return assert_official("vizwiz", questions, predictions, wanted)

    check("extra", gold, [*given, {"image": "nosuch.jpg", "answer": "x", "answerable": 0.5}])
    check("duplicate_prediction", gold, [*given, {**given[1], "answer": "zzz"}])
    changed = [{"answer": "qqq", "answer_confidence": "yes"}] * 10
    check("duplicate_gold", [*gold, {**gold[1], "answers": changed}], given)
    without = [{key: value for key, value in row.items() if key != "answerable"} for row in given]
    told = check("no_answerable_in_predictions", gold, without)
    assert told.audit.findings["no-answerable"].level == "warning"
    assert told.to_dict()["scores"]["f1_score"] is None
    unmarked = [{key: value for key, value in row.items() if key != "answerable"} for row in gold]
    assert "no-gold-answerable" in check("no_answerable_in_gold", unmarked, given).audit.findings
    check("answerable_all", [{**row, "answerable": 1} for row in gold], given)
    for questions, predictions, message in (
        (gold, given[1:], "questions without a prediction: 1"),
        ([{**gold[0], "answers": []}, *gold[1:]], given, "questions without any gold answer: 1"),
        (gold, [{**given[0], "answer": None}, *given[1:]], "whose part 'answer' is not a text: 1"),
        (gold, [{**given[0], "answerable": "yes"}, *given[1:]], "whose part 'answerable' is not a number: 1"),
        ([{**gold[0], "answerable": 2}, *gold[1:]], given, "gold 'answerable' that is not 0 or 1: 1"),
        (gold, [*without[:1], *given[1:]], "predictions without the part 'answerable': 1"),
    ):
        with pytest.raises(fullmarks.FullmarksError, match=message):
            fullmarks.score("vizwiz", questions, predictions)


def test_answerability_alone(golden: Path, expected: dict[str, Any]) -> None:
    given = [{"image": row["image"], "answerable": row["answerable"]} for row in document(golden / "predictions.json")]
    wanted = {"unanswerability": expected["result"]["unanswerability"]}
    result = assert_official("vizwiz", golden / "val.json", given, wanted)
    assert "no-answers" in result.audit.findings
    assert result.to_dict()["scores"]["accuracy"] is None


def plain_average_precision(truths: list[bool], scores: list[float]) -> float:
    """For every threshold the precision of what is at least as high, times the recall gained."""
    total, before = 0.0, 0.0
    for threshold in sorted(set(scores), reverse=True):
        taken = [truth for truth, score in zip(truths, scores, strict=True) if score >= threshold]
        recall = sum(taken) / sum(truths)
        total += (recall - before) * sum(taken) / len(taken)
        before = recall
    return total


@pytest.mark.parametrize("count", [300, pytest.param(5_000, marks=pytest.mark.deep)])
def test_unanswerability_follows_the_plain_rule(count: int) -> None:
    source = random.Random(11)
    for _ in range(count):  # each case ranks up to 12 questions
        n = source.randrange(1, 13)
        truths = [source.random() < 0.4 for _ in range(n)]
        scores = [source.choice((0.0, 0.25, 0.5, 1.0, source.random(), source.uniform(-1, 2))) for _ in range(n)]
        wanted = plain_average_precision(truths, scores) if any(truths) else 0.0
        assert average_precision(truths, scores) == pytest.approx(
            wanted, rel=0, abs=1e-14
        )  # additions in another order
    assert (f1_score(2, 1, 1), f1_score(0, 0, 0)) == (2 * 2 / 6, 0.0)
    assert [is_called_unanswerable(value) for value in (0.5, 0.4999, 0, 1)] == [False, True, True, False]
