"""HotpotQA against its published program, against a plain statement of its rules, and what it says of odd input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.analysis.saved import load_run, save_run
from fullmarks.metrics.joint import NOTHING, joint_scores
from fullmarks.protocols.hotpotqa.metric import HotpotqaScores
from fullmarks.protocols.hotpotqa.rules import judge, judge_answer, judge_facts
from fullmarks.testing import assert_official, first_difference
from tests.plain import multihop as plain_multihop_rules
from tests.protocols.multihop_data import multihop

GOLD = [
    {"_id": "1", "answer": "Marlow", "supporting_facts": [["A", 0], ["B", 1]], "type": "bridge", "level": "easy"},
    {"_id": "2", "answer": "yes", "supporting_facts": [["C", 2]], "type": "comparison", "level": "hard"},
]
ANSWERS = {"1": "in Marlow", "2": "Yes!"}
FACTS = {"1": [["A", 0], ["C", 0]], "2": [["C", 2.0]]}
KEYS = ["em", "f1", "prec", "recall"]


@pytest.mark.parametrize("run", ["plain", "main", "missing", "answers_only"])
def test_runs_of_the_published_program(golden_files: Path, run: str) -> None:
    folder = golden_files / "hotpotqa"
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["runs"]
    assert set(expected) == {"plain", "main", "missing", "answers_only"}
    told = expected[run]
    result = assert_official(
        "hotpotqa", folder / told["gold"], folder / told["predictions"], told["official"], by=("type", "level")
    )
    found = {code: finding.count for code, finding in result.audit.findings.items()}
    nothing = found.get("missing-predictions", 0)
    assert found.get("missing-part:answer", 0) + nothing == told["missing_answer"]
    assert found.get("missing-part:sp", 0) + nothing == told["missing_sp"]


def test_every_question_of_the_published_program(golden_files: Path) -> None:
    folder = golden_files / "hotpotqa"
    wanted = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["per_question"]
    result = fullmarks.score("hotpotqa", folder / "gold.json", folder / "predictions.json")
    for record in result.per_example:
        found = [record[name] for name in HotpotqaScores().columns]
        assert found == pytest.approx(list(wanted[record["id"]].values()), rel=0, abs=1e-12)
    assert len(wanted) == result.n


def test_single_cases_of_the_published_program(golden_files: Path) -> None:
    folder = golden_files / "hotpotqa"
    answers = json.loads((folder / "answers.json").read_text(encoding="utf-8"))["cases"]
    for case in answers:
        wanted = tuple(case[key] for key in KEYS)
        assert judge_answer(case["prediction"], case["golds"][0]) == pytest.approx(wanted, rel=0, abs=1e-12)
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))["cases"]
    for case in facts:
        wanted = tuple(case[f"sp_{key}"] for key in KEYS)
        assert judge_facts(case["prediction"], case["gold"]) == pytest.approx(wanted, rel=0, abs=1e-12)
    assert len(answers) > 500
    assert len(facts) > 250


def test_real_predictions(real_data: Path) -> None:
    folder, names = real_data / "hotpotqa", ("predictions.json", "predictions_graph_rag.json")
    told = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["runs"]
    found = {name: fullmarks.score("hotpotqa", folder / "gold.json", folder / name).official for name in names}
    assert first_difference(found, {name: told[name]["official"] for name in names}) is None


@pytest.mark.parametrize(
    ("count", "is_hard"),
    [
        (1_000, False),
        (300, True),
        # Not more, because the plain rule takes 0.1 ms for each; facts alone have 50,000 in test_sets.
        pytest.param(25_000, False, marks=pytest.mark.deep),
        pytest.param(5_000, True, marks=pytest.mark.deep),
    ],
)
def test_made_questions_by_the_plain_rules(count: int, is_hard: bool) -> None:
    gold, predictions = multihop(count, seed=5, is_hard=is_hard)
    wanted = plain_multihop_rules.hotpotqa(gold, predictions)
    assert_official("hotpotqa", gold, predictions, wanted, tolerance=0.0)


@pytest.mark.parametrize("count", [300, pytest.param(4_000, marks=pytest.mark.deep)])
def test_the_fast_way_does_what_the_rules_say_of_one_question(count: int) -> None:
    gold, predictions = multihop(count, seed=6, is_hard=True)
    result = fullmarks.score("hotpotqa", gold, predictions)
    places = {record["_id"]: record for record in gold}
    for record in result.per_example:
        question = places[record["id"]]
        told = judge(
            predictions["answer"].get(record["id"]),
            question["answer"],
            predictions["sp"].get(record["id"]),
            question["supporting_facts"],
        )
        parts = [part or NOTHING for part in told]
        wanted = [value for part in (*parts, joint_scores(parts)) for value in part]
        assert [record[name] for name in HotpotqaScores().columns] == wanted


def test_answers_alone_give_their_four_keys_and_say_so(tmp_path: Path) -> None:
    whole = fullmarks.score("hotpotqa", GOLD, {"answer": ANSWERS, "sp": FACTS}).official
    rows = [{"id": key, "prediction": text} for key, text in ANSWERS.items()]
    table = tmp_path / "answers.csv"
    table.write_text("id,prediction\n1,in Marlow\n2,Yes!\n")
    lines = tmp_path / "answers.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for predictions in (ANSWERS, rows, {"answer": ANSWERS}, table, lines, iter(rows)):
        result = fullmarks.score("hotpotqa", GOLD, predictions)
        assert result.official == {key: whole[key] for key in KEYS}
        assert list(result.scores) == ["exact", "f1", "precision", "recall"]
        found = result.audit.findings["answers-alone"]
        assert (found.level, found.count) == ("warning", 2)


def test_tables_of_both_sides() -> None:
    rows = [{"id": 1, "prediction": "in Marlow", "references": ["Marlow"]}]
    assert list(fullmarks.score("hotpotqa", rows).official) == KEYS


def test_rows_with_both_parts() -> None:
    rows = [{"id": key, "answer": ANSWERS[key], "sp": FACTS[key]} for key in ANSWERS]
    wanted = fullmarks.score("hotpotqa", GOLD, {"answer": ANSWERS, "sp": FACTS}).official
    assert len(wanted) == 12
    assert fullmarks.score("hotpotqa", GOLD, rows).official == wanted


@pytest.mark.parametrize(
    ("gold", "predictions", "message"),
    [
        (GOLD, {"sp": FACTS}, "the part 'answer' is missing, found 'sp'"),
        (GOLD, {"answer": {"1": None}, "sp": FACTS}, "predictions whose part 'answer' is not a text: 1"),
        (GOLD, {"answer": ANSWERS, "sp": {"1": "A"}}, "predictions whose part 'sp' is not a list: 1"),
        (GOLD, {"answer": ANSWERS, "sp": {"1": ["A"]}}, "supporting facts that are not lists of texts and numbers: 1"),
        (GOLD, {"answer": ANSWERS, "sp": {"1": [["A", [0]]]}}, "supporting facts that are not lists of texts"),
        ([{"_id": "1", "answer": "x"}], {"answer": ANSWERS, "sp": FACTS}, "question '1' has no 'supporting_facts'"),
        (
            [{**GOLD[0], "supporting_facts": 3}],
            {"answer": ANSWERS, "sp": FACTS},
            "numbers in the gold",
        ),
        (GOLD, {"answer": {"7": "x"}, "sp": {}}, "not one of them for any question"),
        ([], {"answer": ANSWERS, "sp": FACTS}, "there is no question in it"),
    ],
)
def test_what_the_published_program_crashes_on_is_an_error(gold: Any, predictions: Any, message: str) -> None:
    with pytest.raises(fullmarks.FullmarksError, match=message):
        fullmarks.score("hotpotqa", gold, predictions)


def test_a_question_twice_in_the_gold_counts_twice() -> None:
    gold = [GOLD[0], {**GOLD[0], "answer": "in Marlow"}]
    result = fullmarks.score("hotpotqa", gold, {"answer": ANSWERS, "sp": FACTS})
    assert (result.n, result.official["em"], result.official["sp_f1"]) == (2, 0.5, 0.5)


def test_the_last_of_repeated_keys_counts(tmp_path: Path) -> None:
    path = tmp_path / "predictions.json"
    path.write_text('{"answer": {"1": "Marlow", "2": "no", "2": "yes"}, "sp": {}}')
    result = fullmarks.score("hotpotqa", GOLD, path)
    assert result.official["em"] == 1.0
    assert result.audit.findings["repeated-predictions"].level == "warning"
    path.write_text('{"1": "Marlow", "2": "no", "2": "yes"}')
    assert fullmarks.score("hotpotqa", GOLD, path).official["em"] == 1.0
    with pytest.raises(fullmarks.FullmarksError, match="repeated id"):
        fullmarks.score("hotpotqa", GOLD, path, on_duplicate="error")


def test_an_explanation_names_the_facts() -> None:
    told = fullmarks.explain("hotpotqa", GOLD, {"answer": ANSWERS, "sp": FACTS}, id="1")
    assert told.tables["supporting facts"] == [
        {"item": ["A", 0], "verdict": "found"},
        {"item": ["C", 0], "verdict": "extra"},
        {"item": ["B", 1], "verdict": "missed"},
    ]
    joint = told.tables["parts"][-1]
    assert [told.scores[f"joint_{name}"] for name in ("exact", "f1", "precision", "recall")] == list(joint.values())[1:]
    without = fullmarks.explain("hotpotqa", GOLD, {"answer": {"2": "yes"}, "sp": FACTS}, id="1")
    assert without.tables["parts"][0]["part"] == "answer (missing)"
    assert without.scores["sp_f1"] == 0.5


def test_slices_and_saved_runs(tmp_path: Path) -> None:
    for predictions in ({"answer": ANSWERS, "sp": FACTS}, ANSWERS):
        result = fullmarks.score("hotpotqa", GOLD, predictions, by="type")
        assert result.by("type")["comparison"]["f1"] == 1.0
        save_run(result, tmp_path / "run.json")
        again = load_run(tmp_path / "run.json")
        assert again.official == result.official
        assert again.scores == result.scores
        first = again.tally.examples[0]
        assert again.rules.explain(first) == result.rules.explain(result.tally.examples[0])


def test_crosscheck_shows_the_rule_for_yes_and_no() -> None:
    told = fullmarks.crosscheck("hotpotqa", GOLD, {"answer": {**ANSWERS, "2": "Yes, it is"}, "sp": FACTS})
    rule = next(rule for rule in told.rules if rule.name == "squad1-f1")
    assert [example.id for example in rule.differing] == ["2"]
    assert rule.differing[0].other_scores["f1"] == 0.5


def test_ids_that_are_numbers_in_the_gold_alone_are_counted() -> None:
    gold = [{"_id": 1, "answer": "cat", "supporting_facts": []}]
    predictions = {"answer": {"1": "cat"}, "sp": {"1": []}}
    result = fullmarks.score("hotpotqa", gold, predictions)
    assert result.official["em"] == 1.0  # the published program: 0.0 for all twelve keys, "missing answer 1"
    finding = result.audit.findings["ids-of-another-kind"]
    assert (finding.level, finding.count, finding.first_ids) == ("warning", 1, ["1"])
    assert finding.advice == "Write the ids of both files as texts"
    alone = fullmarks.score("hotpotqa", gold, {"1": "cat"})
    assert alone.audit.findings["ids-of-another-kind"].count == 1
    assert "ids-of-another-kind" not in fullmarks.score("hotpotqa", GOLD, ANSWERS).audit.findings


def test_parts_of_a_wrong_kind_for_an_unknown_question_are_only_unknown() -> None:
    """The published program looks up the ids of the gold, and nothing else."""
    predictions = {"answer": {**ANSWERS, "9": None}, "sp": {**FACTS, "9": "text"}}
    result = fullmarks.score("hotpotqa", GOLD, predictions)
    assert result.official == fullmarks.score("hotpotqa", GOLD, {"answer": ANSWERS, "sp": FACTS}).official
    assert list(result.audit.findings) == ["unknown-predictions"]
