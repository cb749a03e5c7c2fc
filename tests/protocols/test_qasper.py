"""Qasper against the numbers of its published program, and its fast path against the plain rule."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.errors import InputError, MismatchError
from fullmarks.protocols.qasper.rules import RECIPE, evidence_f1
from fullmarks.testing import assert_official, first_difference
from fullmarks.types import Examples
from tests.hard_texts import hard_text
from tests.plain import qasper as plain_qasper_rules

NOTHING = {"unanswerable": False, "extractive_spans": [], "free_form_answer": "", "yes_no": None, "evidence": []}


@pytest.fixture
def golden(golden_files: Path) -> Path:
    return golden_files / "qasper"


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def spans(*texts: str, evidence: tuple[str, ...] = ()) -> dict[str, Any]:
    return {**NOTHING, "extractive_spans": list(texts), "evidence": list(evidence)}


def paper(*answers: Any, id: str = "q") -> dict[str, Any]:  # noqa: A002 - the field's name in messages
    return {"p": {"qas": [{"question_id": id, "answers": [{"answer": answer} for answer in answers]}]}}


def row(answer: str, *evidence: str, id: str = "q") -> dict[str, Any]:  # noqa: A002
    return {"question_id": id, "predicted_answer": answer, "predicted_evidence": list(evidence)}


def test_every_golden_run_on_both_pythons(golden: Path) -> None:
    runs = read(golden / "expected.json")["runs"]
    assert {"--text_evidence_only"} in [set(run["flags"]) for run in runs.values()]
    for run in runs.values():
        only_text = bool(run["flags"])
        files = golden / run["gold"], golden / run["predictions"]
        result = assert_official("qasper", *files, run["official"], text_evidence_only=only_text)
        assert result.official == run["official"]  # to the last digit
        shown = fullmarks.crosscheck("qasper", *files, text_evidence_only=only_text)
        later = next(rule for rule in shown.rules if rule.name == "python-3.12")
        assert later.official == run["official_python_3_13"]


@pytest.mark.parametrize("only_text", [False, True])
def test_every_golden_question(golden: Path, only_text: bool) -> None:
    wanted = read(golden / "expected.json")["per_question"]
    key = "text_evidence_f1" if only_text else "evidence_f1"
    files = golden / "gold.json", golden / "predictions.jsonl"
    result = fullmarks.score("qasper", *files, text_evidence_only=only_text)
    found = {each["id"]: (each["token_f1"], each["type"], each["evidence_f1"]) for each in result.per_example}
    assert found == {each: (scores["answer_f1"], scores["type"], scores[key]) for each, scores in wanted.items()}


def test_every_golden_answer_and_evidence(golden: Path) -> None:
    cases = read(golden / "answers.json")["cases"]
    assert len(cases) == 640
    metric = fullmarks.load("token_f1", recipe="qasper")
    predictions, golds = [case["prediction"] for case in cases], [case["golds"] for case in cases]
    assert metric.each(predictions=predictions, references=golds) == [case["f1"] for case in cases]
    assert [RECIPE(text) for text in predictions] == [case["normal"] for case in cases]
    cases = read(golden / "evidence.json")["cases"]
    assert len(cases) == 250
    found = fullmarks.load("evidence_f1").each(
        predictions=[case["prediction"] for case in cases], references=[[case["gold"]] for case in cases]
    )
    assert found == [case["f1"] for case in cases]
    assert found == [evidence_f1(case["prediction"], case["gold"]) for case in cases]


def test_real_data(real_data: Path) -> None:
    folder = real_data / "qasper"
    expected = read(folder / "expected.json")["official"]
    assert_official("qasper", folder / "gold.json", folder / "predictions.jsonl", expected)


UNANSWERABLE = {**NOTHING, "unanswerable": True, "evidence": ["e"]}
YES, NO = {**NOTHING, "yes_no": True}, {**NOTHING, "yes_no": False}
BOTH = spans("x", evidence=("FLOAT SELECTED a", "e"))


# Given by scripts/evaluator.py of allenai/qasper-led-baseline afd0fb96 (Python 3.11.7): gold answers, prediction,
# --text_evidence_only, F1 of the answer, the type it counts under, F1 of the evidence.
@pytest.mark.parametrize(
    ("golds", "prediction", "only_text", "f1", "kind", "evidence"),
    [
        ([spans("x", "y")], row("x, y"), False, 1.0, "extractive", 1.0),
        ([UNANSWERABLE], row("Unanswerable"), False, 1.0, "none", 1.0),
        ([UNANSWERABLE], row(""), False, 0.0, "none", 1.0),
        ([NO], row("no."), False, 1.0, "boolean", 1.0),
        ([{**spans("x"), "free_form_answer": "y", "yes_no": True}], row("y"), False, 0.0, "extractive", 1.0),
        ([spans("x"), {**NOTHING, "free_form_answer": "x"}], row("x"), False, 1.0, "extractive", 1.0),
        ([YES, spans("x")], row("q"), False, 0.0, "boolean", 1.0),
        ([spans("x", evidence=("e",))], row("x", "e", "e"), False, 1.0, "extractive", 0.6666666666666666),
        ([spans("x")], row("x", "e"), False, 1.0, "extractive", 0.0),
        ([spans("x", evidence=("FLOAT SELECTED a",))], row("x"), True, 1.0, "extractive", 1.0),
        ([BOTH], row("x", "FLOAT SELECTED a", "e"), True, 1.0, "extractive", 0.6666666666666666),
        ([{**NOTHING, "free_form_answer": "the"}], row("a"), False, 0.0, "abstractive", 1.0),
    ],
)
def test_questions(
    golds: list[Any], prediction: dict[str, Any], only_text: bool, f1: float, kind: str, evidence: float
) -> None:
    by_type = dict.fromkeys(("extractive", "abstractive", "boolean", "none"), 0.0)
    expected = {
        "Answer F1": f1,
        "Answer F1 by type": {**by_type, kind: f1},
        "Evidence F1": evidence,
        "Missing predictions": 0,
    }
    result = assert_official("qasper", paper(*golds), [prediction], expected, text_evidence_only=only_text)
    assert result.tally.examples.columns["type"] == [kind]


def test_missing_extra_and_repeated() -> None:
    gold = {**paper(spans("x")), "other": paper(spans("y"), id="r")["p"]}
    result = fullmarks.score("qasper", gold, [row("x"), row("q"), row("x", id="unknown")])
    assert result.official["Answer F1"] == 0.0
    assert (result.official["Evidence F1"], result.official["Missing predictions"]) == (0.5, 1)
    assert result.tally.examples.columns["type"] == ["extractive", None]
    assert {code: found.count for code, found in result.audit.findings.items()} == {
        "repeated-predictions": 1,
        "unknown-predictions": 1,
        "missing-predictions": 1,
    }


def test_answers_alone_leave_the_evidence_out() -> None:
    result = fullmarks.score("qasper", paper(spans("x"), YES), {"q": "yes"})
    assert list(result.official) == ["Answer F1", "Answer F1 by type", "Missing predictions"]
    assert result.official["Answer F1 by type"]["boolean"] == 1.0
    assert result.audit.findings["answers-alone"].level == "warning"
    rules = fullmarks.crosscheck("qasper", paper(spans("x"), YES), {"q": "yes"}).rules
    assert rules[0].official == result.official
    table = [{"id": "1", "prediction": "x", "references": ["x", "y"]}]
    assert fullmarks.score("qasper", table).official == {"Answer F1": 1.0, "Missing predictions": 0}


def test_a_table_has_types_only_where_it_tells_them() -> None:
    table = [{"id": "1", "prediction": "x", "references": ["x", "y"]}]
    typed = [{**table[0], "type": "boolean"}, {**table[0], "id": "2", "type": "none", "prediction": "z"}]
    result = fullmarks.score("qasper", typed, by=("type",))
    assert {name: part["token_f1"] for name, part in result.by("type").items()} == {"boolean": 1.0, "none": 0.0}
    with pytest.raises(InputError, match="there is no column 'type' to slice or cluster by"):
        fullmarks.score("qasper", table, by=("type",))


@pytest.mark.parametrize(
    ("prediction", "problem"),
    [
        ({"question_id": "q", "predicted_evidence": []}, "predictions with an answer or evidence only: 1"),
        ({"question_id": "q", "predicted_answer": "x"}, "predictions with an answer or evidence only: 1"),
        (row("x") | {"predicted_evidence": [5]}, "whose evidence holds something else than texts: 1"),
        (row("x") | {"predicted_answer": 5}, "whose part 'answer' is not a text: 1"),
    ],
)
def test_predictions_that_are_not_whole(prediction: dict[str, Any], problem: str) -> None:
    gold = {**paper(spans("x")), "other": paper(spans("y"), id="r")["p"]}
    with pytest.raises(MismatchError, match=problem):
        fullmarks.score("qasper", gold, [prediction, row("y", id="r")])


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (NOTHING, "question 'q': an answer is neither unanswerable nor"),
        ({"unanswerable": False}, "an answer has no field 'extractive_spans'"),
        ({**NOTHING, "extractive_spans": "x"}, "'extractive_spans' must be a list of texts"),
        ({**NOTHING, "free_form_answer": 5}, "'free_form_answer' must be a text, found a number"),
        (5, "an answer must be an object, found a number"),
    ],
)
def test_gold_that_cannot_be_read(answer: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        fullmarks.score("qasper", paper(answer), [row("x")])


def test_a_question_without_annotators() -> None:
    gold = {**paper(), "other": paper(spans("y"), id="r")["p"]}
    with pytest.raises(MismatchError, match="questions without any gold answer: 1"):
        fullmarks.score("qasper", gold, [row("x"), row("y", id="r")])
    assert fullmarks.score("qasper", gold, [row("y", id="r")]).official["Answer F1"] == 0.5


def test_explanations_name_paragraphs() -> None:
    told = fullmarks.explain("qasper", paper(spans("x", evidence=("e", "f"))), [row("x", "e", "g")], id="q")
    line = told.tables["evidence"][0]
    assert (line["found"], line["missed"], line["not asked for"]) == (["e"], ["f"], ["g"])
    assert told.scores == {"token_f1": 1.0, "evidence_f1": 0.5}


def test_the_metric_wants_lists_of_texts() -> None:
    for prediction, references in ((5, [["x"]]), (["x"], [5]), ([["x"]], [["x"]])):
        with pytest.raises(InputError, match=r"predictions\[0\]: expected a list of texts"):
            fullmarks.load("evidence_f1").compute(predictions=[prediction], references=[references])


@pytest.mark.parametrize("count", [3_000, pytest.param(50_000, marks=pytest.mark.deep)])
def test_the_evidence_is_the_plain_rule(count: int) -> None:
    """Pairs of lists with repeats, empty ones among them."""
    source = random.Random(4)
    lists = [source.choices(["e", "f", "E", "", "e ", "g"], k=source.choice((0, 0, 1, 2, 3, 5))) for _ in range(400)]
    predictions, golds = ([source.choice(lists) for _ in range(count)] for _ in "12")
    examples = Examples(range(count), predictions, [[gold] for gold in golds])
    wanted = [evidence_f1(*pair) for pair in zip(predictions, golds, strict=True)]
    assert fullmarks.load("evidence_f1").metric.rows(examples).tolist() == wanted


@pytest.mark.parametrize("count", [300, pytest.param(1_500, marks=pytest.mark.deep)])
def test_whole_sets_against_the_plain_program(count: int) -> None:
    source = random.Random(6)
    gold: dict[str, Any] = {}
    given = []
    for number in range(count):
        text = hard_text(source)
        evidence = tuple(source.choices("efgh", k=source.randrange(4)))
        kinds = [UNANSWERABLE, YES, NO, spans(text, hard_text(source), evidence=evidence)]
        kinds += [{**NOTHING, "free_form_answer": text or "x", "evidence": list(evidence)}]
        asked = paper(*(source.choice(kinds) for _ in range(source.randint(1, 4))), id=str(number))["p"]["qas"]
        gold.setdefault(f"p{number // 3}", {"qas": []})["qas"].extend(asked)
        if number % 9:
            answer = source.choice((text, text.upper(), "yes", "Unanswerable", hard_text(source)))
            given.append(row(answer, *source.choices("efgh", k=source.randrange(4)), id=str(number)))
    wanted = plain_qasper_rules.evaluate(gold, {each["question_id"]: each for each in given})
    assert first_difference(fullmarks.score("qasper", gold, given).official, wanted, tolerance=0.0) is None


@pytest.mark.parametrize(("asked", "given"), [(1, "1"), ("1", 1)])
def test_ids_that_are_numbers_in_one_file_alone_are_counted(asked: Any, given: Any) -> None:
    result = fullmarks.score("qasper", paper(spans("cat"), id=asked), [row("cat", id=given)])
    assert result.official["Answer F1"] == 1.0  # the published program: 0.0, one prediction missing
    assert result.audit.findings["ids-of-another-kind"].first_ids == [given]


@pytest.mark.parametrize("name", ["qp.jsonl", "qp_lines.json"])
def test_answers_alone_under_the_official_names(tmp_path: Path, name: str) -> None:
    rows = [{"question_id": "q", "predicted_answer": "cat"}, {"question_id": "other", "predicted_answer": "cat"}]
    (tmp_path / name).write_text("".join(json.dumps(each) + "\n" for each in rows))
    result = fullmarks.score("qasper", paper(spans("cat")), tmp_path / name)
    assert result.official["Answer F1"] == 1.0
    assert "Evidence F1" not in result.official
    assert result.audit.findings["answers-alone"].count == 1


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ({"unanswerable": True}, "none"),
        ({"unanswerable": False, "extractive_spans": ["Unanswerable"], "evidence": []}, "extractive"),
        ({**NOTHING, "extractive_spans": ["Unanswerable"], "free_form_answer": None}, "extractive"),
        ({**NOTHING, "extractive_spans": None, "free_form_answer": "Unanswerable"}, "abstractive"),
        (
            {"unanswerable": False, "extractive_spans": [], "free_form_answer": "Unanswerable", "evidence": []},
            "abstractive",
        ),
    ],
)
def test_fields_that_the_published_program_does_not_reach(answer: dict[str, Any], kind: str) -> None:
    result = fullmarks.score("qasper", paper(answer), [row("unanswerable")])
    assert result.official["Answer F1 by type"][kind] == 1.0
    assert (result.official["Answer F1"], result.official["Evidence F1"]) == (1.0, 1.0)
