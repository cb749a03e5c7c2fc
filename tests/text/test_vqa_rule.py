"""VQA's rule itself: what the published program gave, and the steps that it keeps."""

from __future__ import annotations

import json
from pathlib import Path

from fullmarks.text.vqa_rule import Judgement, Vote, judge, normal_form, trimmed


def test_golden_questions(golden_files: Path) -> None:
    """evalQA of expected.json is what the published program gave for every question, rounded to two digits."""
    folder = golden_files / "vqa"
    annotations, results, published = (
        json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("annotations", "results", "expected")
    )
    answers = {result["question_id"]: result["answer"] for result in results}
    total = 0.0
    for annotation in annotations["annotations"]:
        records = annotation["answers"]
        rest = [{name: value for name, value in record.items() if name != "answer"} for record in records]
        told = judge(answers[annotation["question_id"]], [record["answer"] for record in records], rest)
        assert round(100 * told.accuracy, 2) == published["evalQA"][str(annotation["question_id"])]
        total += told.accuracy
    assert round(100 * total / len(answers), 2) == published["accuracy"]["overall"]


def test_golden_normal_forms(golden_files: Path) -> None:
    for case in json.loads((golden_files / "textvqa" / "answers.json").read_text(encoding="utf-8"))["cases"]:
        assert normal_form(trimmed(case["text"])) == case["vqa"]


def test_the_steps_are_kept() -> None:
    assert judge("Two dogs.", ["2 dogs", "the two\tdogs", "cats"]) == Judgement(
        accuracy=(1 / 3 + 1 / 3 + 2 / 3) / 3,
        compared="2 dogs",
        is_normalised=True,
        votes=[
            Vote("2 dogs", "2 dogs", True, [0], 1, 1 / 3),
            Vote("the two\tdogs", "2 dogs", True, [1], 1, 1 / 3),
            Vote("cats", "cats", False, [2], 2, 2 / 3),
        ],
    )


def test_texts_are_only_trimmed_where_all_annotators_agree() -> None:
    told = judge("Black.", ["Black. ", "\tBlack."])
    assert (told.compared, told.is_normalised, told.accuracy) == ("Black.", False, 1 / 3)
    assert judge("black", ["Black.", "Black."]).accuracy == 0.0
    assert judge("black", ["Black.", "Black."], always_normalise=True).accuracy == 1 / 3


def test_equal_records_are_left_out_together() -> None:
    told = judge("red", ["red", "blue", "Red", "red"], ["sure", "sure", "sure", "unsure"])
    assert [vote.left_out for vote in told.votes] == [[0, 2], [1], [0, 2], [3]]
    assert [vote.others for vote in told.votes] == [1, 3, 1, 2]
    assert judge("red", ["red"] * 10, [{}] * 10).accuracy == 0.0
    assert judge("red", []).accuracy == 0.0
