"""MathVista: the published program's digits, tables in its order, and the choice that an extraction means."""

from __future__ import annotations

import json
import math
import random
import re
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.protocols.mathvista.rules import Problem, is_right, normalise
from fullmarks.testing import assert_official, first_difference
from tests.hard_texts import hard_texts

SYSTEMS = ("bard", "gpt4", "llava_llama_2_13b")


@pytest.fixture
def golden(golden_files: Path) -> Path:
    return golden_files / "mathvista"


@pytest.fixture
def expected(golden: Path) -> Any:
    return json.loads((golden / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture
def output(golden: Path) -> Any:
    return json.loads((golden / "output.json").read_text(encoding="utf-8"))


def problem(**others: Any) -> dict[str, Any]:
    known = {"question_type": "multi_choice", "answer_type": "text", "choices": ["cat", "dog"], "precision": None}
    return {**known, "answer": "dog", "extraction": "B", "metadata": {"skills": ["a", "b"], "grade": "x"}, **others}


def test_golden(golden: Path, expected: Any) -> None:
    result = assert_official("mathvista", golden / "output.json", None, expected["result"])
    verdicts = {str(each["id"]): each["accuracy"] == 1.0 for each in result.per_example}
    assert verdicts == {name: found["true_false"] for name, found in expected["per_question"].items()}
    ignoring = fullmarks.score("mathvista", golden / "output.json", ignore_empty_extractions=True)
    assert first_difference(ignoring.official["average"], expected["ignore_empty_extractions"]["average"]) is None
    (name, wanted), *_ = expected["variants"].items()
    assert "precision given as an int" in name
    whole = {
        identifier: {**each, "precision": each["precision"] and int(each["precision"])}
        for identifier, each in json.loads((golden / "output.json").read_text(encoding="utf-8")).items()
    }
    other = fullmarks.score("mathvista", whole, variant="lmms-eval").official["average"]["accuracy"]
    assert other == pytest.approx(wanted, rel=1e-12)


def test_real_outputs(real_data: Path) -> None:
    data = real_data / "mathvista"
    expected = json.loads((data / "expected.json").read_text(encoding="utf-8"))["results"]
    found = {system: fullmarks.score("mathvista", data / f"output_{system}.json").official for system in SYSTEMS}
    assert first_difference(found, {system: expected[system]["result"] for system in SYSTEMS}) is None


def test_single_answers(golden: Path) -> None:
    cases = json.loads((golden / "answers.json").read_text(encoding="utf-8"))["cases"]
    assert len(cases) >= 600
    for case in cases:
        kind = Problem(case["question_type"], case["answer_type"], case["choices"], case["precision"])
        found = normalise(case["extraction"], kind).answer
        assert found == case["prediction"], case
        assert is_right(found, case["answer"]) == case["true_false"], case
        assert is_right(found, case["answer"], as_lmms_eval=True) == case["lmms_true_false"], case
        if "prediction_ignore_empty" in case:
            assert normalise(case["extraction"], kind, ignore_empty=True).answer == case["prediction_ignore_empty"]


def test_runs_with_a_number(output: Any, expected: Any) -> None:
    runs = expected["runs"]
    fewer = dict(list(output.items())[50:])
    without = {name: {key: value for key, value in each.items() if key != "answer"} for name, each in output.items()}
    stale = {name: {**each, "true_false": True} for name, each in output.items()}
    for run, given in {
        "missing_50": (fewer,),
        "answer_from_gold": (output, without),
        "stale_verdicts": (stale,),
    }.items():
        found = fullmarks.score("mathvista", *given).official
        for key in ("average", "question_type"):
            assert first_difference(found[key], runs[run][key]) is None
    result = fullmarks.score("mathvista", output, fewer)
    assert first_difference(result.official["average"], runs["missing_50"]["average"]) is None
    assert result.audit.findings["missing-predictions"].count == 50
    with pytest.raises(fullmarks.MismatchError, match="without a prediction: 50 "):
        fullmarks.score("mathvista", output, fewer, on_missing="error")


@pytest.mark.parametrize(
    ("gone", "message"),
    [
        ("answer", r"'1': the field 'answer' is missing\. .*DATASET OUTPUT"),
        ("extraction", "the field 'extraction' is missing"),
        ("metadata", "the field 'metadata' is missing"),
        ("choices", "'choices' must be a list of texts, found null"),
    ],
)
def test_what_the_program_stops_at_is_an_error(gone: str, message: str) -> None:
    whole = problem()
    with pytest.raises(fullmarks.InputError, match=message):
        fullmarks.score("mathvista", {"1": {key: value for key, value in whole.items() if key != gone}})


def test_other_wrong_files() -> None:
    with pytest.raises(fullmarks.InputError, match="found an empty list"):
        fullmarks.score("mathvista", {"1": problem(choices=[])})
    with pytest.raises(fullmarks.InputError, match="must be one of 'integer', 'float', 'list', found 'text'"):
        fullmarks.score("mathvista", {"1": problem(question_type="free_form")})
    with pytest.raises(fullmarks.InputError, match="there is no question in it"):
        fullmarks.score("mathvista", {})
    with pytest.raises(fullmarks.InputError, match="problem 'a': expected an object, found a number"):
        fullmarks.score("mathvista", {"a": 1})
    with pytest.raises(fullmarks.InputError, match="expected an object of problems by id"):
        fullmarks.score("mathvista", [{"id": 1}])


def test_a_list_counts_under_each_value_and_ties_stay_in_order() -> None:
    problems = {
        "1": problem(metadata={"skills": ["late", "both", "both"]}),
        "2": problem(extraction="A", metadata={"skills": ["wrong", "both"]}),
        "3": problem(metadata={"skills": ["early"]}),
    }
    found = fullmarks.score("mathvista", problems).official["skills"]
    assert list(found) == ["late", "early", "both", "wrong"]
    assert found["both"] == {"accuracy": 0.5, "correct": 1, "total": 2}


def test_empty_extractions_are_warned_of() -> None:
    problems = {"1": problem(extraction="", choices=["x", "dog"], answer="x")}
    result = fullmarks.score("mathvista", problems)
    assert result.official["average"]["correct"] == 1
    assert result.audit.findings["empty-extractions"].count == 1
    ignoring = fullmarks.score("mathvista", problems, ignore_empty_extractions=True)
    assert ignoring.official["average"]["correct"] == 0
    assert not ignoring.audit.findings


def test_explanation_shows_how_the_choice_was_found() -> None:
    told = fullmarks.explain("mathvista", {"1": problem(extraction="B.")}, id="1")
    assert told.facts["compared as"] == "cat"
    assert told.facts["how"] == "the nearest choice: 3 edits from 'B.'"
    assert [row["edits"] for row in told.tables["choices"]] == [3, 3]


def plain_distance(one: str, other: str) -> int:
    before = list(range(len(other) + 1))
    for i, left in enumerate(one, start=1):
        line = [i]
        for j, right in enumerate(other, start=1):
            line.append(min(before[j] + 1, line[-1] + 1, before[j - 1] + (left != right)))
        before = line
    return before[-1]


def plain_choice(extraction: str, choices: list[str]) -> str:
    """The rule as one would write it down."""
    text = extraction.strip()
    letters = re.findall(r"\(([a-zA-Z])\)", text)
    text = letters[0].upper() if letters else text
    names = [chr(ord("A") + at) for at in range(len(choices))]
    if text in names:
        return choices[names.index(text)]
    distances = [plain_distance(text, choice) for choice in choices]
    return choices[distances.index(min(distances))]


@pytest.mark.parametrize("count", [3_000, pytest.param(50_000, marks=pytest.mark.deep)])
def test_choices_against_the_plain_rule(count: int) -> None:
    """Short texts: the plain distance costs the product of two lengths."""
    source = random.Random(7)
    pool = [text[:3] for text in hard_texts(min(3_000, count // 10), 11)]
    pool += ["A", "B", "C", "(a)", "(C) x", "(Z)", " B ", "b", "", "cat", "dog", "None", "(ab)", "((b))"] * 5
    for _ in range(count):
        choices = source.choices(pool, k=source.choice((1, 2, 2, 3)))
        extraction = source.choice((source.choice(pool), source.choice(choices)))
        found = normalise(extraction, Problem("multi_choice", "text", choices)).answer
        assert found == plain_choice(extraction, choices), (extraction, choices)


def accuracy_by_lmms_eval(**fields: Any) -> float:
    given = problem(question_type="free_form", choices=None, **fields)
    found: float = fullmarks.score("mathvista", {"1": given}, variant="lmms-eval").official["average"]["accuracy"]
    return found


def test_lmms_eval_takes_the_precision_as_it_is() -> None:
    given: dict[str, Any] = {"answer_type": "float", "answer": "1.2", "extraction": "1.2"}
    assert accuracy_by_lmms_eval(**given, precision=1) == 1.0
    assert accuracy_by_lmms_eval(**given, precision=1.0) == 0.0
    assert accuracy_by_lmms_eval(**{**given, "answer": "1"}, precision=None) == 1.0  # round(1.2, None) is 1
    assert (
        fullmarks.score("mathvista", {"1": problem(question_type="free_form", **given, precision=1.0)}).official[
            "average"
        ]["accuracy"]
        == 1.0
    )


def test_no_null_answer_is_right_in_lmms_eval() -> None:
    assert accuracy_by_lmms_eval(answer_type="integer", answer=None, extraction="?") == 0.0
    assert accuracy_by_lmms_eval(answer_type="integer", answer="None", extraction="?") == 1.0


def test_gains_over_random_guesses() -> None:
    output = {"1": problem(), "2": problem(extraction="A"), "3": problem()}
    random_scores: Any = fullmarks.score("mathvista", {**output, "3": problem(extraction="A")}).official
    found = fullmarks.score("mathvista", output, caculate_gain=True, random_file=random_scores).official
    assert found["average"]["acc_gain"] == 0.33
    assert found["question_type"]["multi_choice"] == {
        "accuracy": 2 / 3,
        "correct": 2,
        "total": 3,
        "acc_gain": "0.33",
    }
    del random_scores["grade"]
    with pytest.raises(fullmarks.InputError, match="random_file: there is no accuracy for 'grade' / 'x'"):
        fullmarks.score("mathvista", output, caculate_gain=True, random_file=random_scores)
    for given in ({"caculate_gain": True}, {"random_file": random_scores}):
        with pytest.raises(fullmarks.UsageError, match="caculate_gain and random_file belong together"):
            fullmarks.score("mathvista", output, **given)


def test_labels_stand_under_the_keys_that_json_writes() -> None:
    output = {"1": problem(metadata={"skills": [], "grade": True}), "2": problem(metadata={"grade": math.inf})}
    assert set(fullmarks.score("mathvista", output).official["grade"]) == {"true", "Infinity"}
