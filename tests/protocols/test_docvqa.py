"""DocVQA and InfographicVQA: the golden sets of the RRC script, its runs and crashes, and other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.errors import FullmarksError
from fullmarks.protocols.anls import BLANKS
from fullmarks.testing import assert_official
from tests.protocols.anls_sets import GoldenSet

# The names of the golden numbers of other tools, and the variants that give them.
TOOLS = {
    "lmms-eval": "lmms-eval anls (mean of per-question)",
    "VLMEvalKit": "VLMEvalKit anls (mean x 100)",
    "mmf": "mmf STVQAANLSEvaluator",
    "pix2struct": "pix2struct anls (x 100)",
}


@pytest.fixture(params=["docvqa", "infovqa"])
def golden(request: pytest.FixtureRequest, golden_files: Path) -> GoldenSet:
    return GoldenSet(golden_files / request.param, "questionId")


def name_of(golden: GoldenSet) -> str:
    return golden.folder.name


def test_the_golden_set(golden: GoldenSet) -> None:
    name, folder = name_of(golden), golden.folder
    result = assert_official(name, folder / "gold.json", folder / "predictions.json", golden.expected["result"])
    found = {str(record["id"]): record["anls"] for record in result.per_example}
    assert found == pytest.approx(golden.expected["per_question"], abs=1e-12)


@pytest.mark.parametrize("variant", TOOLS)
def test_other_tools(golden: GoldenSet, variant: str) -> None:
    expected = {"score": golden.expected["variants"][TOOLS[variant]]}
    assert_official(name_of(golden), golden.gold, golden.predictions, expected, variant=variant)


@pytest.mark.parametrize("threshold", [0, 0.8])
def test_thresholds(golden: GoldenSet, threshold: float) -> None:
    expected = golden.expected["runs"][f"threshold_{threshold}"]["result"]
    assert_official(name_of(golden), golden.gold, golden.predictions, expected, threshold=float(threshold))


def test_a_question_twice_in_both_files_has_the_last_answer(golden: GoldenSet) -> None:
    expected = golden.expected["runs"]["duplicate_in_both"]["result"]["score"]
    gold, predictions = golden.gold, golden.predictions
    twice = gold["data"][0]
    gold["data"].append(dict(twice))
    # The set does not say which answer the second one was: any that is right for the question gives this number.
    predictions.append({"questionId": twice["questionId"], "answer": twice["answers"][0]})
    result = fullmarks.score(name_of(golden), gold, predictions)
    assert result.official["score"] == pytest.approx(expected, abs=1e-12)
    assert result.n == 251
    predictions[-1]["questionId"] = gold["data"][1]["questionId"]
    with pytest.raises(FullmarksError, match="predictions with a repeated id: 1"):
        fullmarks.score(name_of(golden), gold, predictions)


def test_ids_as_texts(golden: GoldenSet) -> None:
    gold, predictions = golden.with_text_ids()
    assert_official(name_of(golden), gold, predictions, golden.expected["result"])
    assert_official(name_of(golden), golden.gold, predictions, golden.expected["result"])


def spoiled(golden: GoldenSet, how: str) -> tuple[Any, Any]:
    gold, predictions = golden.gold, golden.predictions
    if how == "missing_one":
        predictions = predictions[1:]
    elif how == "extra_one":
        predictions.append({"questionId": 999999, "answer": "x"})
    elif how == "duplicate_plus_missing":
        predictions[1] = dict(predictions[0])
    elif how == "no_gold_answers":
        gold["data"][0]["answers"] = []
    else:
        kinds = {"answer_is_list": ["x"], "answer_is_null": None, "answer_is_number": 5}
        predictions[0]["answer"] = kinds[how]
    return gold, predictions


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("missing_one", "questions without a prediction: 1"),
        ("extra_one", "predictions for unknown questions: 1"),
        ("duplicate_plus_missing", "predictions with a repeated id: 1"),
        ("no_gold_answers", "questions without any gold answer: 1"),
        ("answer_is_list", "predictions that are not strings: 1"),
        ("answer_is_null", "predictions that are not strings: 1"),
        ("answer_is_number", "predictions that are not strings: 1"),
    ],
)
def test_what_the_script_refuses_is_an_error(golden: GoldenSet, how: str, message: str) -> None:
    assert "crash" in golden.expected["runs"][how]
    with pytest.raises(FullmarksError, match=message):
        fullmarks.score(name_of(golden), *spoiled(golden, how))


def test_rewarded_blanks_are_counted(golden: GoldenSet) -> None:
    gold, predictions = golden.gold, golden.predictions
    before = fullmarks.validate(name_of(golden), gold, predictions).findings[BLANKS.code].count
    wrong = next(row for row in predictions if golden.expected["per_question"][str(row["questionId"])] == 0)
    wrong["answer"] = " " * 1000 + "wrong"
    result = fullmarks.score(name_of(golden), gold, predictions)
    finding = result.audit.findings[BLANKS.code]
    assert (finding.level, finding.count) == ("warning", before + 1)
    (score,) = [record["anls"] for record in result.per_example if record["id"] == wrong["questionId"]]
    assert score > 0.9  # a thousand blanks beside a gold of at most sixty characters
    assert BLANKS.code not in fullmarks.score(name_of(golden), gold, predictions, variant="mmf").audit.findings


def test_document_types_stand_as_they_are(golden_files: Path) -> None:
    golden = GoldenSet(golden_files / "docvqa", "questionId")
    result = fullmarks.score("docvqa", golden.gold, golden.predictions, answer_types=True)
    by_hand: dict[str, list[float]] = {}
    for record in golden.gold["data"]:
        for kind in record["question_types"]:
            by_hand.setdefault(kind, []).append(golden.expected["per_question"][str(record["questionId"])])
    expected = {kind: sum(scores) / len(scores) for kind, scores in by_hand.items()}
    found = result.official["scores_by_types"]["question_types"]
    assert found == pytest.approx(expected, abs=1e-12)
    assert list(found) == list(expected)


def test_tables_and_the_threshold() -> None:
    rows = [
        {"id": 1, "prediction": "ab", "references": ["abc", "x"]},
        {"id": 2, "prediction": "x", "references": ["y"]},
    ]
    assert fullmarks.score("docvqa", rows).official == {"score": (1 - 1 / 3) / 2}
    assert fullmarks.score("docvqa", rows, threshold=0.7).official == {"score": 0.0}
    with pytest.raises(fullmarks.UsageError, match="threshold must be a number from 0 to 1, found 2"):
        fullmarks.score("docvqa", rows, threshold=2)


def test_two_empty_texts_are_an_error_where_the_tool_divides_by_zero() -> None:
    rows = [{"id": 1, "prediction": "", "references": ["a", " "]}]
    assert fullmarks.score("docvqa", rows).official == {"score": 1.0}
    with pytest.raises(FullmarksError, match="empty answers to questions with an empty gold answer: 1"):
        fullmarks.score("docvqa", rows, variant="mmf")


@pytest.mark.parametrize("name", ["docvqa", "infovqa"])
def test_gold_answers_that_are_one_text_are_letters(name: str) -> None:
    """The script walks through `answers`: of the text "cat" it makes three answers of one letter."""
    gold = {"dataset_name": "d", "data": [{"questionId": 1, "answers": "cat"}]}
    for answer, score in (("cat", 0.0), ("c", 1.0)):
        result = fullmarks.score(name, gold, [{"questionId": 1, "answer": answer}])
        assert result.official == {"score": score}
        assert result.audit.findings["answers-read-by-letters"].first_ids == [1]
    listed = {"data": [{"questionId": 1, "answers": ["cat"]}]}
    assert fullmarks.score(name, listed, [{"questionId": 1, "answer": "cat"}]).official == {"score": 1.0}
    assert fullmarks.score(name, [{"id": 1, "references": "cat"}], {"1": "cat"}).official == {"score": 1.0}  # a table


def test_a_question_twice_in_the_gold_wants_two_answers() -> None:
    gold = {"data": [{"questionId": 1, "answers": [text]} for text in ("cat", "dog")]}
    answers = [{"questionId": 1, "answer": "cat"}, {"questionId": 1, "answer": "dog"}]
    twice = fullmarks.score("docvqa", gold, answers)
    assert twice.official == {"score": 0.5}
    assert "as in the published program" in twice.audit.findings["repeated-questions"].detail
    with pytest.raises(fullmarks.MismatchError, match="they have one answer, where the RRC script wants as many"):
        fullmarks.score("docvqa", gold, answers[:1])
    once = fullmarks.score("docvqa", gold, answers[:1], on_duplicate="last")
    assert once.official == {"score": 0.5}
    assert "it counts for each of them" in once.audit.findings["repeated-questions"].detail
