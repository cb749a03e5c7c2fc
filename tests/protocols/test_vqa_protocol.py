"""VQA: the published evaluation's numbers, overall, by type and question by question."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fullmarks


def annotation(identifier: int, answers: list[str], **types: str) -> dict[str, Any]:
    records = [{"answer": answer, "answer_id": place} for place, answer in enumerate(answers, start=1)]
    return {"question_id": identifier, "answers": records, **types}


GOLD = {
    "annotations": [
        annotation(1, ["black"] * 10, question_type="what color", answer_type="other"),
        annotation(2, ["two", "2", "2", "3"], question_type="how many", answer_type="number"),
    ]
}


def results(*answers: str) -> list[dict[str, Any]]:
    return [{"question_id": number, "answer": answer} for number, answer in enumerate(answers, start=1)]


def test_golden_numbers_and_every_question(golden_files: Path) -> None:
    folder = golden_files / "vqa"
    expected = json.loads((folder / "expected.json").read_text())
    result = fullmarks.score(
        "vqa", folder / "annotations.json", folder / "results.json", questions=folder / "questions.json"
    )
    assert result.official == expected["accuracy"]
    each = {str(record["id"]): round(100 * record["accuracy"], 2) for record in result.per_example}
    assert each == expected["evalQA"]
    assert all(isinstance(record["question"], str) for record in result.per_example)


def test_textvqa(real_data: Path) -> None:
    folder = real_data / "vqa"
    result = fullmarks.score("vqa", folder / "textvqa_val_annotations.json", folder / "textvqa_val_results.json")
    assert result.official == json.loads((folder / "textvqa_val.expected.json").read_text())


def test_nothing_is_normalised_where_annotators_agree() -> None:
    result = fullmarks.score("vqa", GOLD, results("Black.", "two"))
    assert result.per_example[0]["accuracy"] == 0.0
    always = fullmarks.score("vqa", GOLD, results("Black.", "two"), variant="always-normalise")
    assert always.per_example[0]["accuracy"] == 1.0
    assert "variant:always-normalise" in always.signature


def test_breakdown_and_rounding() -> None:
    result = fullmarks.score("vqa", GOLD, results("black", "two"), precision=3)
    second = (2 / 3 + 2 / 3 + 2 / 3 + 1.0) / 4
    assert result.official == {
        "overall": round(100 * (1.0 + second) / 2, 3),
        "perQuestionType": {"what color": 100.0, "how many": round(100 * second, 3)},
        "perAnswerType": {"other": 100.0, "number": round(100 * second, 3)},
    }


def test_annotations_without_types() -> None:
    gold = {"annotations": [annotation(1, ["x", "x"])]}
    assert fullmarks.score("vqa", gold, results("x")).official == {
        "overall": round(100 / 3, 2),
        "perQuestionType": {},
        "perAnswerType": {},
    }


def test_ids_must_be_exactly_the_annotated_ones() -> None:
    with pytest.raises(fullmarks.MismatchError, match=r"without a prediction: 1 .*2.*unknown questions: 1 .*7"):
        fullmarks.score("vqa", GOLD, [{"question_id": 1, "answer": "x"}, {"question_id": 7, "answer": "x"}])


def test_a_single_annotator_scores_zero_with_a_warning() -> None:
    result = fullmarks.score("vqa", {"annotations": [annotation(1, ["yes"])]}, results("yes"))
    assert result.official["overall"] == 0.0
    assert [finding.kind for finding in result.audit.at_level("warning")] == ["questions with a single annotator"]


def test_explain_counts_the_votes_of_the_others() -> None:
    why = fullmarks.explain("vqa", GOLD, results("black", "two"), id=2)
    assert [vote["vote"] for vote in why.tables["annotators"]] == [2 / 3, 2 / 3, 2 / 3, 1.0]
    assert why.facts["compared as"] == "2"


@pytest.mark.parametrize("answer", [{"question_id": "1", "answer": "black"}, {"question_id": 1, "answer": "black"}])
def test_text_ids_meet_numbers_that_are_written_so(answer: dict[str, Any]) -> None:
    gold = {"annotations": GOLD["annotations"][:1]}
    assert fullmarks.score("vqa", gold, [answer]).official["overall"] == 100.0
    with pytest.raises(fullmarks.MismatchError, match="not one of them"):
        fullmarks.score("vqa", gold, [{**answer, "question_id": "01"}])


def test_records_carry_the_published_accuracy_of_each_question(golden_files: Path) -> None:
    folder = golden_files / "vqa"
    wanted = json.loads((folder / "expected.json").read_text("utf-8"))["evalQA"]
    result = fullmarks.score("vqa", folder / "annotations.json", folder / "results.json")
    assert {str(record["id"]): record["evalQA"] for record in result.per_example} == wanted


# The published program prints 55.63 on Python 2.7.18 and 55.62 on Python 3.11.7 for these sixteen questions.
@pytest.mark.parametrize("variant", ["script", "leave-one-out", "always-normalise"])
def test_exact_ties_go_where_the_user_says(variant: str) -> None:
    given = [["x"] * 10] * 8 + [["x"] * 3 + ["y"] * 7] + [["y"] * 10] * 7
    gold = {"annotations": [annotation(number, answers) for number, answers in enumerate(given, start=1)]}
    python_3 = fullmarks.score("vqa", gold, results(*["x"] * 16), variant=variant)
    python_2 = fullmarks.score("vqa", gold, results(*["x"] * 16), variant=variant, rounding="half-away")
    assert (python_3.official["overall"], python_2.official["overall"]) == (55.62, 55.63)
    assert "rounding" not in python_3.signature
    assert f"|rounding:half-away|variant:{variant}|" in python_2.signature
    assert python_2.scores == python_3.scores
    with pytest.raises(fullmarks.UsageError, match="rounding must be one of 'half-even', 'half-away', found 'up'"):
        fullmarks.score("vqa", gold, results(*["x"] * 16), rounding="up")


def test_the_metric_of_the_hugging_face_hub() -> None:
    found = fullmarks.score("vqa", GOLD, results("Black.", "two"), variant="hugging-face")
    assert found.official == {
        "overall": 100 * (1.0 + (2 / 3 + 2 / 3 + 2 / 3 + 1.0) / 4) / 2,
        "perQuestionType": {"what color": 100.0, "how many": 75.0},
        "perAnswerType": {"other": 100.0, "number": 75.0},
    }
    assert "precision" not in found.signature
    assert fullmarks.score("vqa", GOLD, results("Black.", "two")).official["overall"] == 37.5


def test_a_question_twice_in_the_annotations_is_scored_twice() -> None:
    """As vqaEval.py at a013f00: by the last annotation of the id, whose answers the first turn writes over."""
    twice = {
        "annotations": [
            annotation(1, ["no"] * 10, question_type="is", answer_type="yes/no"),
            annotation(2, ["red"] * 10, question_type="what color", answer_type="other"),
            annotation(1, ["two", "two", "2", "two"], question_type="how many", answer_type="number"),
        ]
    }
    result = fullmarks.score("vqa", twice, results("two", "red"))
    assert [record["id"] for record in result.per_example] == [1, 2, "1 (2)"]
    # All say "2" after the first turn: the second compares texts as they are, and "two" is wrong.
    assert [record["accuracy"] for record in result.per_example] == [1.0, 1.0, 0.0]
    assert result.official == {
        "overall": 66.67,
        "perQuestionType": {"how many": 50.0, "what color": 100.0},
        "perAnswerType": {"number": 50.0, "other": 100.0},
    }
    assert result.audit.findings["repeated-questions"].level == "warning"
