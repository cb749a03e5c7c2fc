"""MuSiQue against its published program, against a plain statement of its rules, and what it says of odd input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.analysis.intervals import Sampling, confidence
from fullmarks.analysis.saved import load_run, save_run
from fullmarks.protocols.musique.metric import MusiqueScores
from fullmarks.protocols.musique.rules import is_told_apart, judge, paragraph_numbers
from fullmarks.testing import assert_official
from tests.plain import multihop as plain_multihop_rules
from tests.protocols.multihop_data import twins


def question(identifier: str, flag: bool, *supporting: int, answer: str = "x") -> dict[str, Any]:
    paragraphs = [{"idx": number, "is_supporting": number in supporting} for number in range(4)]
    whole = {"id": identifier, "answer": answer, "answer_aliases": [], "answerable": flag}
    return {**whole, "paragraphs": paragraphs, "question": "?"}


def predicted(identifier: str, said: Any = True, answer: Any = "x", support: Any = (0, 1)) -> dict[str, Any]:
    whole = {"id": identifier, "predicted_answer": answer, "predicted_answerable": said}
    return {**whole, "predicted_support_idxs": list(support) if isinstance(support, tuple) else support}


PAIR = [question("2hop__a", True, 0, 1), question("2hop__a", False)]
RIGHT = [predicted("2hop__a", True), predicted("2hop__a", False)]


@pytest.mark.parametrize("run", ["ans", "full", "ans_plain", "full_plain"])
def test_runs_of_the_published_program(golden_files: Path, run: str) -> None:
    folder = golden_files / "musique"
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["runs"]
    assert set(expected) == {"ans", "full", "ans_plain", "full_plain", "ans_missing"}
    told = expected[run]
    result = assert_official(
        "musique", folder / told["gold"], folder / told["predictions"], told["official"], by=("hops", "answerable")
    )
    scores = {result.rules.official_names[name]: value for name, value in result.scores.items()}
    assert scores == pytest.approx(told["unrounded"], rel=1e-12)


def test_a_missing_line_is_an_error_unless_asked_otherwise(golden_files: Path) -> None:
    folder = golden_files / "musique"
    told = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["runs"]["ans_missing"]
    files = folder / told["gold"], folder / told["predictions"]
    assert told["exit"] == 1
    with pytest.raises(fullmarks.MismatchError, match="questions without a prediction: 22"):
        fullmarks.score("musique", *files)
    assert fullmarks.score("musique", *files, on_missing="zero").n == 180
    assert fullmarks.score("musique", *files, on_missing="skip").n == 158


def test_every_question_of_the_published_program(golden_files: Path) -> None:
    folder = golden_files / "musique"
    wanted = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["per_question"]
    met = 0
    for form in ("ans", "full"):
        result = fullmarks.score("musique", folder / f"gold_{form}.jsonl", folder / f"predictions_{form}.jsonl")
        for record in result.per_example:
            if record["answerable"]:
                told = wanted[f"{form}:{record['pair']}"]
                found = [record["exact"], record["f1"], record["support_f1"]]
                keys = ("answer_em", "answer_f1", "support_f1")
                assert found == pytest.approx([told[key] for key in keys], rel=0, abs=1e-12)
                met += 1
            else:
                assert record["f1"] is None
    assert met == len(wanted)


def test_single_cases_of_the_published_program(golden_files: Path) -> None:
    folder = golden_files / "musique"
    answers = json.loads((folder / "answers.json").read_text(encoding="utf-8"))["cases"]
    for case in answers:
        told = judge(case["prediction"], case["golds"], [], [], is_pair_right=False)
        assert told[:2] == pytest.approx((case["em"], case["f1"]), rel=0, abs=1e-12)
    support = json.loads((folder / "support.json").read_text(encoding="utf-8"))["cases"]
    for case in support:
        told = judge("", [""], paragraph_numbers(case["prediction"]), case["gold"], is_pair_right=False)
        assert told.support_f1 == pytest.approx(case["f1"], rel=0, abs=1e-12)
    assert len(answers) > 500
    assert len(support) > 150


@pytest.mark.parametrize("is_full", [False, True])
@pytest.mark.parametrize(
    ("lines", "is_hard"),
    [
        (1_000, False),
        (200, True),
        # 50,000 lines in all; a tenth of them with hard texts, which cost the plain rule most of the time.
        pytest.param(22_500, False, marks=pytest.mark.deep),
        pytest.param(2_500, True, marks=pytest.mark.deep),
    ],
)
def test_made_questions_by_the_plain_rules(lines: int, is_hard: bool, is_full: bool) -> None:
    gold, predictions = twins(lines // 2 if is_full else lines, seed=9, is_full=is_full, is_hard=is_hard)
    wanted = plain_multihop_rules.musique(gold, predictions)
    result = fullmarks.score("musique", gold, predictions)
    assert result.official == {key: round(value, 3) for key, value in wanted.items()}
    assert list(result.official) == list(wanted)
    scores = {result.rules.official_names[name]: value for name, value in result.scores.items()}
    assert scores == pytest.approx(wanted, rel=1e-12)  # pairs are added up in another order there


@pytest.mark.parametrize("count", [200, pytest.param(1_500, marks=pytest.mark.deep)])
def test_the_fast_way_does_what_the_rules_say_of_one_question(count: int) -> None:
    gold, predictions = twins(count, seed=10, is_full=True, is_hard=True)
    result = fullmarks.score("musique", gold, predictions)
    names = MusiqueScores(with_pairs=True).scores
    for example, record in zip(result.tally.examples, result.per_example, strict=True):
        if not example.facts["answerable"]:
            assert all(record[name] is None for name in names)
            continue
        is_right = is_told_apart(example.facts["answerability"])
        support = example.parts["support"], example.facts["support"]
        told = judge(example.prediction, example.references, *support, is_pair_right=is_right)
        assert {name: record[name] for name in names} == told._asdict()


# What evaluate_v1.0.py printed for these (Python 3.11.7, the spec's table of tiny inputs): answer_f1, support_f1 and,
# for pairs, the two group scores.
TINY: list[tuple[list[Any], list[Any], list[float]]] = [
    ([question("a", True, 0, 1)], [predicted("a")], [1.0, 1.0, 1.0]),
    ([question("a", True, 0, 1)], [predicted("a", False)], [1.0, 1.0, 1.0]),
    ([question("a", True)], [predicted("a", support=())], [1.0, 1.0, 1.0]),
    ([question("a", True, 0, 1)], [predicted("a", support=("0", 1.0))], [1.0, 1.0, 1.0]),
    ([question("a", True, 0, 1, answer="the")], [predicted("a", answer="")], [1.0, 1.0, 1.0]),
    (PAIR, RIGHT, [1.0, 1.0, 1.0, 1.0, 1.0]),
    (PAIR, [predicted("2hop__a", False), predicted("2hop__a", True)], [1.0, 1.0, 1.0, 0.0, 0.0]),
    (PAIR[::-1], [predicted("2hop__a", False, None, None), predicted("2hop__a")], [1.0, 1.0, 1.0, 1.0, 1.0]),
    (PAIR, [predicted("2hop__a", 1), predicted("2hop__a", 0)], [1.0, 1.0, 1.0, 1.0, 1.0]),
    (PAIR, [predicted("2hop__a", "true"), predicted("2hop__a", "false")], [1.0, 1.0, 1.0, 0.0, 0.0]),
    (
        [question("a", True, 0, 1), question("a", True, 0, 1, answer="y")],
        [predicted("a"), predicted("a")],
        [0.5, 0.5, 1.0],
    ),
]


@pytest.mark.parametrize(("gold", "predictions", "wanted"), TINY)
def test_tiny_inputs(gold: list[Any], predictions: list[Any], wanted: list[float]) -> None:
    assert list(fullmarks.score("musique", gold, predictions).official.values()) == wanted


def test_files_may_have_blank_lines(tmp_path: Path) -> None:
    for name, rows in (("gold.jsonl", PAIR), ("predictions.jsonl", RIGHT)):
        (tmp_path / name).write_text("\n\n".join(map(json.dumps, rows)) + "\n\n")
    result = fullmarks.score("musique", tmp_path / "gold.jsonl", tmp_path / "predictions.jsonl")
    assert list(result.official.values()) == [1.0] * 5


TWO = [question("a", True, 0), question("b", True, 1)]


@pytest.mark.parametrize(
    ("gold", "predictions", "message"),
    [
        (TWO, [predicted("b"), predicted("a")], "in another order than their questions: number 1 .* is 'a' there, 'b'"),
        (TWO, [predicted("a")], "questions without a prediction: 1"),
        (TWO, [predicted("a"), predicted("b"), predicted("c")], "predictions for unknown questions: 1"),
        (TWO[:1], [predicted("a"), predicted("a")], r"predictions for unknown questions: 1 \(first ids: 'a \(2\)'\)"),
        (TWO[:1], [{"id": "a", "predicted_answer": "x"}], "the field 'predicted_support_idxs' is missing"),
        (TWO[:1], [{**predicted("a"), "id": None}], "'id' must be a string or a whole number, found null"),
        (TWO[:1], [predicted("a", answer=None)], "predicted answers that are not texts: 1"),
        (TWO[:1], [predicted("a", support=("x",))], "supporting paragraphs that are not lists of numbers: 1"),
        (TWO[:1], [predicted("a", support=None)], "supporting paragraphs that are not lists of numbers: 1"),
        ([*PAIR, TWO[0]], [*RIGHT, predicted("a")], r"the question 'a' is there 1 times \(answerable\)"),
        ([PAIR[1]] * 2, RIGHT, r"the question '2hop__a' is there 2 times \(unanswerable, unanswerable\)"),
        ([{**TWO[0], "paragraphs": [{}]}], [predicted("a")], "'paragraphs' must be a list of objects"),
        ([{"id": "a", "answer": "x", "answer_aliases": []}], [predicted("a")], "the field 'paragraphs' is missing"),
        ([], [predicted("a")], "there is no question in it"),
    ],
)
def test_what_the_published_program_crashes_on_is_an_error(gold: Any, predictions: Any, message: str) -> None:
    with pytest.raises(fullmarks.FullmarksError, match=message):
        fullmarks.score("musique", gold, predictions)


def test_answers_alone_give_their_keys_and_say_so() -> None:
    gold = [*PAIR[::-1], question("3hop1__b", True), question("3hop1__b", False)]
    for predictions in (
        {"2hop__a": "x", "3hop1__b": "y"},
        [{"id": "2hop__a", "prediction": "x"}, {"id": "3hop1__b", "prediction": "y"}],
    ):
        result = fullmarks.score("musique", gold, predictions, by="hops")
        assert result.official == {"answer_f1": 0.5, "answer_em": 0.5}
        assert result.by("hops")["2"]["f1"] == 1.0
        counts = {code: finding.count for code, finding in result.audit.findings.items()}
        assert counts["answers-alone"] == 2
        assert counts["unanswerable-left-out"] == 2
    table = [{"id": 1, "prediction": "the x", "references": ["x"]}]
    assert fullmarks.score("musique", table).official == {"answer_f1": 1.0, "answer_em": 1.0}


def test_a_missing_twin_counts_nothing_for_its_pair() -> None:
    result = fullmarks.score("musique", PAIR, RIGHT[:1], on_missing="zero")
    assert list(result.official.values()) == [1.0, 1.0, 1.0, 0.0, 0.0]
    result = fullmarks.score("musique", PAIR[::-1], RIGHT[:1], on_missing="zero")
    assert list(result.official.values()) == [0.0] * 5
    result = fullmarks.score("musique", PAIR, RIGHT, limit=1)
    assert list(result.official.values()) == [1.0, 1.0, 1.0, 0, 0]


def test_clusters_are_pairs_and_twins_have_ids_of_their_own() -> None:
    result = fullmarks.score("musique", PAIR, RIGHT)
    assert result.tally.examples.ids == ["2hop__a", "2hop__a (2)"]
    assert result.tally.examples.columns["pair"] == ["2hop__a", "2hop__a"]
    lone = confidence(result, Sampling(cluster="pair", resamples=200))["pair_answer_f1"]
    assert "a single unit" in lone.note


def test_an_explanation_shows_paragraphs_and_twins() -> None:
    predictions = [predicted("2hop__a", True, "an x", (0, 3)), predicted("2hop__a", True)]
    told = fullmarks.explain("musique", PAIR, predictions, id="2hop__a")
    verdicts = {row["item"]: row["verdict"] for row in told.tables["supporting paragraphs"]}
    assert verdicts == {0: "found", 3: "extra", 1: "missed"}
    assert told.facts["twins told apart"] is False
    assert told.tables["judged"][0] == {
        name: told.scores[name] for name in ("exact", "f1", "support_f1", "pair_answer_f1", "pair_support_f1")
    }
    other = fullmarks.explain("musique", PAIR, predictions, id="2hop__a (2)")
    assert other.facts["answer counts"] is False


def test_saved_runs_and_crosscheck(tmp_path: Path) -> None:
    for gold, predictions in ((PAIR, RIGHT), (TWO, [predicted("a"), predicted("b")]), (TWO, {"a": "x", "b": ""})):
        result = fullmarks.score("musique", gold, predictions)
        save_run(result, tmp_path / "run.json")
        assert load_run(tmp_path / "run.json").official == result.official
    told = fullmarks.crosscheck("musique", PAIR, RIGHT)
    assert told.rules[0].scores["f1"] == 1.0
    assert told.rules[0].differing == ()


def test_pairs_are_added_in_the_order_of_their_first_questions() -> None:
    """Sums of these four F1 end above or below the half of a thousandth, by their order alone."""
    words = {"2hop__a": 374, "2hop__b": 38, "2hop__c": 461, "2hop__d": 436}
    gold_answer = " ".join(f"w{number}" for number in range(500))
    without = [question(pair, False) for pair in words]
    with_answers = [question(pair, True, 0, 1, answer=gold_answer) for pair in reversed(words)]
    said = {
        pair: " ".join(f"w{number}" if number < same else f"v{number}" for number in range(500))
        for pair, same in words.items()
    }
    answers = [predicted(pair, True, said[pair]) for pair in reversed(words)]
    rejected = [predicted(pair, False) for pair in words]
    forward = fullmarks.score("musique", without + with_answers, rejected + answers).official
    backward = fullmarks.score("musique", with_answers + without, answers + rejected).official
    assert (forward["group_answer_sufficiency_f1"], backward["group_answer_sufficiency_f1"]) == (0.654, 0.655)


def test_ids_that_look_like_the_second_of_a_repeated_one() -> None:
    gold = [question(name, True, 0, 1) for name in ("x", "x", "x (2)")]
    rows = [predicted("x"), predicted("x", answer="y"), predicted("x (2)")]
    result = fullmarks.score("musique", gold, rows)
    assert result.official == {"answer_f1": 0.667, "answer_em": 0.667, "support_f1": 1.0}
    assert [record["id"] for record in result.per_example] == ["x", "x (3)", "x (2)"]
    fewer = fullmarks.score("musique", gold, rows[:2], on_missing="zero")
    assert [record["f1"] for record in fewer.per_example] == [1.0, 0.0, 0.0]
    assert fewer.audit.findings["missing-predictions"].first_ids == ["x (2)"]


@pytest.mark.parametrize(
    ("support", "f1"),
    [("12", 1.0), ("", 0.0), ({"1": 0, "2": 0}, 1.0), ({}, 0.0), ("3", 0.0)],
)
def test_support_that_is_a_text_or_an_object(support: Any, f1: float) -> None:
    """The published program takes `set(map(int, ...))` of it: the characters of "12" are 1 and 2."""
    result = fullmarks.score("musique", [question("a", True, 1, 2)], [predicted("a", support=support)])
    assert result.official == {"answer_f1": 1.0, "answer_em": 1.0, "support_f1": f1}
    finding = result.audit.findings["support-not-lists"]
    assert (finding.level, finding.first_ids) == ("warning", ["a"])


@pytest.mark.parametrize(
    ("support", "found"), [(1, "'a' has a number"), ("1,2", "'a': invalid literal"), (None, "null")]
)
def test_support_that_the_published_program_crashes_on(support: Any, found: str) -> None:
    with pytest.raises(fullmarks.MismatchError, match=f"that are not lists of numbers: 1 .*{found}"):
        fullmarks.score("musique", [question("a", True, 1, 2)], [predicted("a", support=support)])
