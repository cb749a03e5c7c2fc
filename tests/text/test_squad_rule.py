"""SQuAD's rule itself: what the published programs gave, and the steps that it keeps."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fullmarks.metrics.other_rules import RuledOverlap
from fullmarks.metrics.squad import SquadScores
from fullmarks.text.other_normalisers import Normaliser
from fullmarks.text.squad_rule import SQUAD1, SQUAD2, Overlap, Rule, judge, judge_pair, judge_silence, normal_form
from fullmarks.types import Example, Examples
from tests.hard_texts import hard_examples


def golden(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_golden_answers(golden_files: Path) -> None:
    """squad_answers.json holds what the functions of SQuAD 2.0's script gave."""
    for case in golden(golden_files / "squad1" / "answers.json"):
        told = judge(case["prediction"], case["golds"], SQUAD2)
        assert told.normal == normal_form(case["prediction"]) == case["normalized"]
        assert (told.exact, told.f1) == (case["exact"], case["f1"])


def test_golden_answers_against_each_reference(golden_files: Path) -> None:
    """qa_answers.json holds what SQuAD 1.1's rule gave for every pair."""
    for case in golden(golden_files / "qa" / "answers.json")["cases"]:
        told = judge(case["prediction"], case["golds"], SQUAD1)
        assert [pair.exact for pair in told.overlaps] == case["em"]
        assert [pair.f1 for pair in told.overlaps] == case["f1"]


def questions(folder: Path) -> dict[str, list[str]]:
    """The references of every question."""
    return {
        question["id"]: [answer["text"] for answer in question["answers"]]
        for article in golden(folder / "gold.json")["data"]
        for paragraph in article["paragraphs"]
        for question in paragraph["qas"]
    }


def percentages(scores: list[tuple[float, float]]) -> list[float]:
    exact = f1 = 0.0
    for score in scores:
        exact, f1 = exact + score[0], f1 + score[1]
    return [100.0 * exact / len(scores), 100.0 * f1 / len(scores)]


def test_golden_file_of_squad_1(golden_files: Path) -> None:
    """The published program gives a question without a prediction 0."""
    folder = golden_files / "squad1"
    given, scores = golden(folder / "predictions.json"), []
    for identifier, golds in questions(folder).items():
        told = judge(given[identifier], golds, SQUAD1) if identifier in given else None
        scores.append((told.exact, told.f1) if told else (0.0, 0.0))
    expected = golden(folder / "expected.json")["missing_counts_zero"]
    assert percentages(scores) == [expected["exact_match"], expected["f1"]]


def test_golden_file_of_squad_2(golden_files: Path) -> None:
    """The published program alone, and with probabilities and a threshold of 0.5."""
    folder = golden_files / "squad2"
    given, chances, expected = (golden(folder / f"{name}.json") for name in ("predictions", "na_prob", "expected"))
    alone, thresholded = [], []
    for identifier, golds in questions(folder).items():
        told = judge(given[identifier], golds, SQUAD2)
        alone.append((told.exact, told.f1))
        thresholded.append((judge_silence(golds),) * 2 if chances[identifier] > 0.5 else alone[-1])
    for scores, name in ((alone, "plain"), (thresholded, "thresholded_0.5")):
        assert percentages(scores) == [expected[name]["exact"], expected[name]["f1"]]


def test_the_steps_are_kept() -> None:
    told = judge("The red, red car!", ["a", "Red cars", "the red car's red", "blue"])
    assert (told.normal, told.tokens, told.dropped) == ("red red car", ["red", "red", "car"], ["a"])
    assert told.overlaps == [
        Overlap("Red cars", "red cars", ["red"], 0.0, 0.4, 1 / 3, 1 / 2),
        Overlap("the red car's red", "red cars red", ["red", "red"], 0.0, 2 / 3, 2 / 3, 2 / 3),
        Overlap("blue", "blue", [], 0.0, 0.0, 0.0, 0.0),
    ]
    assert told.best == told.overlaps[1]
    assert (told.exact, told.f1, told.precision, told.recall) == (0.0, 2 / 3, 2 / 3, 2 / 3)


@pytest.mark.parametrize(
    ("answer", "references", "rule", "expected"),
    [
        ("the", ["a"], SQUAD2, (1.0, 1.0)),
        ("the", ["a"], SQUAD1, (1.0, 0.0)),
        ("", [], SQUAD2, (1.0, 1.0)),
        ("", [], SQUAD1, (0.0, 0.0)),
        ("", ["x", "the"], SQUAD2, (0.0, 0.0)),
        ("", ["x", "the"], SQUAD1, (1.0, 0.0)),
        ("yes", ["yes it is"], Rule(whole_answers=("yes", "no")), (0.0, 0.0)),
        ("it is no", ["No."], Rule(whole_answers=("yes", "no")), (0.0, 0.0)),
        ("Yes!", ["yes"], Rule(whole_answers=("yes", "no")), (1.0, 1.0)),
        ("The X", ["the x"], Rule(normal=str), (0.0, 0.0)),
    ],
)
def test_what_benchmarks_set_for_themselves(
    answer: str, references: list[str], rule: Rule, expected: tuple[float, float]
) -> None:
    told = judge(answer, references, rule)
    assert (told.exact, told.f1) == expected


def test_an_answer_that_counts_as_none_is_right_where_the_gold_lists_none() -> None:
    assert (judge_silence([]), judge_silence(["x"]), judge_silence(["the"])) == (1.0, 0.0, 0.0)


@pytest.mark.parametrize(
    "metric",
    [
        SquadScores(),
        SquadScores(threshold=0.5),
        SquadScores(both_empty=0.0, drop_empty_references=False),
        RuledOverlap(normaliser=Normaliser(articles="keep")),
        RuledOverlap(normaliser=Normaliser(punctuation="keep"), score_names=("em", "F1")),
    ],
)
@pytest.mark.parametrize("count", [300, pytest.param(2_000, marks=pytest.mark.deep)])
def test_explanations_have_the_scores_of_the_rows(metric: SquadScores, count: int) -> None:
    predictions, references = hard_examples(count, seed=31)
    chances = [place % 10 / 10 for place in range(count)]
    rows = metric.rows(Examples(range(count), predictions, references, {"no_answer_probability": chances}))
    for place, (prediction, golds) in enumerate(zip(predictions, references, strict=True)):
        why = metric.explain(Example(place, prediction, golds, {"no_answer_probability": chances[place]}))
        assert list(why.scores.values()) == [rows[2 * place], rows[2 * place + 1]]
        assert tuple(why.scores) == metric.scores


def test_an_explanation_by_another_normaliser_shows_its_normal_forms() -> None:
    why = RuledOverlap(normaliser=Normaliser(articles="keep")).explain(Example(0, "The cat", ["the cat", "cat"]))
    assert why.facts["normalised"] == "the cat"
    assert [row["exact"] for row in why.tables["references"]] == [1.0, 0.0]
    assert judge_pair("The cat", "cat").exact == 1.0


def test_scoring_does_not_import_the_rules() -> None:
    program = (
        "import sys, fullmarks\n"
        "fullmarks.load('squad').compute(predictions=['x'], references=[['x']])\n"
        "fullmarks.load('token_f1', recipe='hotpotqa').compute(predictions=['x'], references=[['x']])\n"
        "fullmarks.load('longbench').compute(predictions=['x'], references=[['x']])\n"
        "fullmarks.load('vqa_accuracy').compute(predictions=['x'], references=[['x', 'y']])\n"
        "print(*(name for name in sys.modules if name.endswith(('squad_rule', 'vqa_rule'))))\n"
        "fullmarks.load('squad').explain(prediction='x', references=['x'])\n"
        "print(*(name for name in sys.modules if name.endswith(('squad_rule', 'vqa_rule'))))\n"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == ["", "fullmarks.text.squad_rule"]
