"""GQA: the published program's shares, tables and distribution, and what it does about gaps."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.protocols.gqa.metric import GqaScores
from fullmarks.protocols.gqa.rules import LMMS_EVAL, count_steps, count_words, offered, weighted_chi_square
from fullmarks.testing import assert_official
from fullmarks.types import Examples
from tests.hard_texts import hard_text


@pytest.fixture
def golden(golden_files: Path) -> Path:
    return golden_files / "gqa"


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def files(golden: Path) -> tuple[Path, Path]:
    return golden / "val_all_questions.json", golden / "predictions.json"


TABLES = {
    "accuracyPerStructuralType": "structural",
    "accuracyPerSemanticType": "semantic",
    "accuracyPerSteps": "steps",
    "accuracyPerLength": "words",
}


def test_golden(golden: Path) -> None:
    expected = load(golden / "expected.json")
    choices = golden / "val_choices.json"
    result = assert_official("gqa", *files(golden), expected["result"], choices=choices, consistency=True)
    assert {row["id"]: row["accuracy"] == 1.0 for row in result.per_example} == {
        identifier: found["correct"] for identifier, found in expected["per_question"].items()
    }
    for name, column in TABLES.items():
        found = {str(value): (part["accuracy"] * 100, part["n"]) for value, part in result.by(column).items()}
        assert found == {value: (part["accuracy"], part["n"]) for value, part in expected["detailed"][name].items()}


def test_golden_runs(golden: Path) -> None:
    runs = load(golden / "expected.json")["runs"]
    questions, rows = load(files(golden)[0]), load(files(golden)[1])
    choices = golden / "val_choices.json"
    unbalanced = next(key for key, question in questions.items() if not question["isBalanced"])
    balanced = next(key for key, question in questions.items() if question["isBalanced"])
    without = [row for row in rows if row["questionId"] != unbalanced]
    lacking = [row for row in rows if row["questionId"] != balanced]
    extra = [*rows, {"questionId": "nosuch", "prediction": "x"}]
    twice = [*rows, {"questionId": balanced, "prediction": "zzz"}]
    assert_official("gqa", questions, rows, runs["without_consistency"]["result"], choices=choices)
    assert_official("gqa", questions, rows, runs["without_choices"]["result"])
    assert_official("gqa", questions, without, runs["missing_unbalanced"]["result"], choices=choices)
    assert_official("gqa", questions, extra, runs["extra"]["result"], choices=choices)
    assert_official("gqa", questions, twice, runs["duplicate"]["result"], choices=choices)
    for predictions, consistency in ((lacking, False), (without, True)):
        with pytest.raises(fullmarks.MismatchError, match="without a prediction: 1"):
            fullmarks.score("gqa", questions, predictions, consistency=consistency)


def test_crashes_are_errors(golden: Path) -> None:
    questions, rows = load(files(golden)[0]), load(files(golden)[1])
    first = next(key for key, question in questions.items() if question["isBalanced"])
    strange = {**questions, first: {**questions[first], "entailed": ["nosuch"]}}
    with pytest.raises(fullmarks.InputError, match="entails 'nosuch'"):
        fullmarks.score("gqa", strange, rows, consistency=True)
    choices = load(golden / "val_choices.json")
    del choices[first]
    with pytest.raises(fullmarks.InputError, match=f"no entry for the question '{first}'"):
        fullmarks.score("gqa", questions, rows, choices=choices)
    groupless = {key: {**question, "groups": {"global": None}} for key, question in questions.items()}
    with pytest.raises(fullmarks.InputError, match="no balanced question has a global group"):
        fullmarks.score("gqa", groupless, rows)
    nothing = {key: {**question, "isBalanced": False} for key, question in questions.items()}
    with pytest.raises(fullmarks.InputError, match="no question is balanced"):
        fullmarks.score("gqa", nothing, rows)


def test_harness_readings(golden: Path) -> None:
    lmms_eval, llava = load(golden / "expected.json")["variants"].values()
    assert_official("gqa", *files(golden), {"exact_match": lmms_eval}, variant="lmms-eval")
    found = fullmarks.score("gqa", *files(golden), variant="llava").official
    assert found["accuracy"] == pytest.approx(llava, rel=1e-12)


def test_single_cases(golden: Path) -> None:
    cases = load(golden / "answers.json")["cases"]
    assert len(cases) == 650
    for case in cases:
        if case["what"] == "equal":
            assert (case["prediction"] == case["answer"]) == case["official"]
            assert (LMMS_EVAL(case["prediction"]) == LMMS_EVAL(case["answer"])) == case["lmms"], case
        elif case["what"] == "steps_words":
            assert (count_steps(case["semantic"]), count_words(case["question"])) == (case["steps"], case["words"])
        elif case["what"] == "belongs":
            assert (case["prediction"] in offered(case["group"], case["detailed"])) == case["official"]
        else:
            found = weighted_chi_square(case["gold"], case["predicted"])
            assert found == pytest.approx(case["distribution"], rel=1e-12), case


def test_one_question_at_a_time(golden: Path) -> None:
    expected = load(golden / "expected.json")["one_question_runs"]
    questions, rows = load(files(golden)[0]), load(files(golden)[1])
    choices = load(golden / "val_choices.json")
    given = {row["questionId"]: row for row in rows}
    for identifier, wanted in expected.items():
        groups = {"global": questions[identifier]["groups"]["global"] or "a group", "local": None}
        one = {identifier: {**questions[identifier], "groups": groups}}
        result = fullmarks.score("gqa", one, [given[identifier]], choices=choices)
        for key in ("accuracy", "validity", "plausibility", "distribution"):
            assert result.official[key] == wanted[key], (identifier, key)
        (row,) = result.per_example
        assert (str(row["steps"]), str(row["words"])) == (wanted["steps"], wanted["words"])


@pytest.mark.parametrize("count", [3_000, pytest.param(50_000, marks=pytest.mark.deep)])
def test_rows_against_a_plain_statement(count: int) -> None:
    source = random.Random(7)
    texts = [
        hard_text(source) if source.random() < 0.1 else source.choice(("yes", "no", "Red", "red."))
        for _ in range(count)
    ]
    golds = [[text if source.random() < 0.3 else source.choice(("yes", "red"))] for text in texts]
    kinds = [source.choice(("query", "verify", "choose")) for _ in range(count)]
    metric = GqaScores()
    rows = metric.rows(Examples(range(count), texts, golds, {"structural": kinds}))
    width = len(metric.columns)
    for at in range(count):
        right = float(texts[at] == golds[at][0])
        is_query = float(kinds[at] == "query")
        wanted = [right, right * (1 - is_query), 1 - is_query, right * is_query, is_query, 0.0, 0.0]
        assert list(rows[at * width : (at + 1) * width]) == wanted


QUESTION = {
    "question": "Is it red?",
    "answer": "yes",
    "isBalanced": True,
    "types": {"structural": "verify", "semantic": "attr", "detailed": "verifyAttr"},
    "semantic": [],
    "groups": {"global": "color"},
}
RIGHT = [{"questionId": "1", "prediction": "yes"}]


@pytest.mark.parametrize("detailed", [5, 0, 1.5, True])
def test_a_detailed_type_that_is_a_number_is_an_error_with_choices(detailed: Any) -> None:
    gold = {"1": {**QUESTION, "types": {**QUESTION["types"], "detailed": detailed}}}
    choices = {"1": {"valid": ["yes"], "plausible": ["yes"]}}
    assert fullmarks.score("gqa", gold, RIGHT).official["accuracy"] == 100.0
    with pytest.raises(fullmarks.InputError, match=r"'types\.detailed' of the question '1' must be a text, found "):
        fullmarks.score("gqa", gold, RIGHT, choices=choices)


def test_an_empty_choices_file_counts_as_none() -> None:
    result = fullmarks.score("gqa", {"1": QUESTION}, RIGHT, choices={})
    assert (result.official["validity"], result.official["plausibility"]) == (0.0, 0.0)
    assert result.audit.findings["empty-choices-file"].level == "warning"


def test_only_balanced_questions_are_looked_into() -> None:
    odd = {**QUESTION, "isBalanced": False, "semantic": 5, "question": None}
    assert fullmarks.score("gqa", {"1": QUESTION, "2": odd}, RIGHT).official["accuracy"] == 100.0
    with pytest.raises(fullmarks.InputError, match="'semantic' must be a list of operations with arguments"):
        fullmarks.score("gqa", {"1": {**QUESTION, "semantic": 5}}, RIGHT)
