"""CoQA: the published program's digits, people, the harness, gaps; the fast rule against a plain statement."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.protocols.coqa.metric import CoqaScores
from fullmarks.protocols.coqa.rules import judge, judge_people
from fullmarks.testing import TOLERANCE, assert_official, first_difference
from fullmarks.types import Examples
from tests.hard_texts import hard_text


def expected(golden_files: Path, file: str = "expected.json") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((golden_files / "coqa" / file).read_text(encoding="utf-8"))
    return found


def story(identifier: str, *turns: list[str], source: str = "cnn") -> dict[str, Any]:
    """One story; each turn has one answer of every annotator."""
    annotators = [
        [{"input_text": turn[who], "turn_id": at} for at, turn in enumerate(turns, 1)] for who in range(len(turns[0]))
    ]
    return {
        "id": identifier,
        "source": source,
        "questions": [{"input_text": "?", "turn_id": at} for at in range(1, len(turns) + 1)],
        "answers": annotators[0],
        "additional_answers": {str(who): answers for who, answers in enumerate(annotators[1:])},
    }


def gold_of(*stories: dict[str, Any]) -> dict[str, Any]:
    return {"version": "1.0", "data": list(stories)}


def answer(identifier: str, turn: Any, text: str) -> dict[str, Any]:
    return {"id": identifier, "turn_id": turn, "answer": text}


@pytest.mark.parametrize("name", ["main", "missing", "single", "human"])
def test_every_run_of_the_published_program(golden_files: Path, name: str) -> None:
    folder, run = golden_files / "coqa", expected(golden_files)["runs"][name]
    predictions = run["predictions"] and folder / run["predictions"]
    result = assert_official("coqa", folder / run["gold"], predictions, run["official"], human=name == "human")
    unrounded = {  # what a domain's numbers are before they are rounded
        str(domain): {"em": scores["em"] * 100, "f1": scores["f1"] * 100, "turns": scores["n"]}
        for domain, scores in result.by("domain").items()
    }
    wanted = {domain: run["unrounded"][domain] for domain in unrounded}
    assert first_difference(unrounded, wanted) is None


def test_every_turn_of_the_published_program(golden_files: Path) -> None:
    folder, wanted = golden_files / "coqa", expected(golden_files)["per_question"]
    result = fullmarks.score("coqa", folder / "gold.json", folder / "predictions.json")
    found = {str(record["id"]).replace(" ", ":"): record for record in result.per_example}
    assert found.keys() == wanted.keys()
    for name, scores in wanted.items():
        assert (found[name]["em"], found[name]["f1"]) == pytest.approx((scores["em"], scores["f1"]), abs=TOLERANCE)


def test_people_need_each_other(golden_files: Path) -> None:
    gold = golden_files / "coqa" / "gold_single.json"
    with pytest.raises(fullmarks.MismatchError, match=r"turns that only one annotator answered: 76 "):
        fullmarks.score("coqa", gold, human=True)


def test_every_single_case_of_the_published_program(golden_files: Path) -> None:
    cases = expected(golden_files, "answers.json")["cases"]
    assert len(cases) > 600
    rows = CoqaScores().rows(
        Examples(range(len(cases)), [case["prediction"] for case in cases], [case["golds"] for case in cases])
    )
    for at, case in enumerate(cases):
        told = judge(case["prediction"], case["golds"])
        assert (told.em, told.f1) == (rows[2 * at], rows[2 * at + 1])
        assert (told.em, told.f1) == pytest.approx((case["em"], case["f1"]), abs=TOLERANCE)
        assert [pair["exact"] for pair in told.pairs] == case["em_each"]
        assert [pair["f1"] for pair in told.pairs] == pytest.approx(case["f1_each"], abs=TOLERANCE)


@pytest.mark.parametrize(
    ("variant", "name"), [("lm-eval", "last_turn_only_as_lm_eval"), ("lm-eval-every-turn", "every_turn")]
)
def test_the_harness(golden_files: Path, variant: str, name: str) -> None:
    folder, numbers = golden_files / "coqa", expected(golden_files, "variants.json")
    wanted = {key: numbers["runs"][name][key] for key in ("em", "f1")}
    files = folder / "gold.json", folder / "predictions.json"
    result = assert_official("coqa", *files, wanted, variant=variant)
    assert sum(result.tally.examples.facts["is_last"]) == numbers["runs"]["last_turn_only_as_lm_eval"]["total"]
    rules = {rule.name: rule.scores for rule in fullmarks.crosscheck("coqa", *files).rules}
    assert first_difference(rules[f"variant {variant}"], wanted) is None


@pytest.mark.parametrize("count", [2_000, pytest.param(50_000, marks=pytest.mark.deep)])
def test_the_fast_rule_is_the_plain_one(count: int) -> None:
    source = random.Random(5)
    pool = [hard_text(source)[:12] for _ in range(300)] + ["", "the", "x", "x y", "X!"]
    predictions = [source.choice(pool) for _ in range(count)]
    references = [
        [
            source.choice((prediction, prediction.upper(), source.choice(pool)))
            for _ in range(source.choice((0, 1, 2, 4, 4)))
        ]
        for prediction in predictions
    ]
    rows = CoqaScores().rows(Examples(range(count), predictions, references))
    people = CoqaScores(people=True).rows(Examples(range(count), predictions, references))
    for at, (prediction, golds) in enumerate(zip(predictions, references, strict=True)):
        told = judge(prediction, golds)
        assert (rows[2 * at], rows[2 * at + 1]) == (told.em, told.f1), (prediction, golds)
        if at < count / 10:
            persons = judge_people(golds)
            assert (people[2 * at], people[2 * at + 1]) == (persons.em, persons.f1), golds


# Confirmed with scripts/evaluate-v1.0.py of stanfordnlp/coqa-baselines at 693d05b3, Python 3.11.7.
@pytest.mark.parametrize(
    ("answers", "em", "turns"),
    [
        ([answer("s", 1, "x")], 50.0, 2),
        ([answer("s", 1, "x"), answer("s", 1, "z")], 0.0, 2),
        ([answer("s", 1, "x"), answer("other", 1, "z"), answer("s", 9, "z")], 50.0, 2),
        ([answer("s", 1, "x"), answer("s", "2", "y")], 50.0, 2),
    ],
    ids=["missing", "repeated", "extra", "turn_id as a text"],
)
def test_gaps_are_as_in_the_published_program(answers: list[Any], em: float, turns: int) -> None:
    result = fullmarks.score("coqa", gold_of(story("s", ["x"], ["y"])), answers)
    assert result.official["news"] == result.official["overall"] == {"em": em, "f1": em, "turns": turns}
    assert result.audit.at_level("warning")


@pytest.mark.parametrize(("right", "turns", "shown"), [(1, 16, 6.2), (3, 16, 18.8), (9, 80, 11.2), (1, 2000, 0.1)])
def test_one_digit_as_python_rounds(right: int, turns: int, shown: float) -> None:
    answers = [answer("s", turn, "x" if turn <= right else "z") for turn in range(1, turns + 1)]
    assert fullmarks.score("coqa", gold_of(story("s", *[["x"]] * turns)), answers).official["news"]["em"] == shown


def test_a_story_that_comes_twice_counts_once_by_its_last_gold() -> None:
    gold = gold_of(story("s", ["x"]), story("s", ["y"], source="reddit"))
    result = fullmarks.score("coqa", gold, [answer("s", 1, "y")])
    assert (result.official["reddit"]["em"], result.official["news"]["turns"], result.n) == (100.0, 0, 1)
    assert result.audit.findings["repeated-questions"].count == 1


def test_what_ends_the_published_program_is_a_clear_error() -> None:
    bare = story("s", ["x"])
    cases = {
        r"data\[0\]: the source 'quora' is none of CoQA's\. Expected one of mctest,": {**bare, "source": "quora"},
        r"data\[0\]: the field 'additional_answers' is missing": {
            name: value for name, value in bare.items() if name != "additional_answers"
        },
        r"annotator '0' has 0 answers for 1 questions": {**bare, "additional_answers": {"0": []}},
    }
    for message, broken in cases.items():
        with pytest.raises(fullmarks.InputError, match=message):
            fullmarks.score("coqa", gold_of(broken), [answer("s", 1, "x")])
    with pytest.raises(fullmarks.InputError, match="record 1: the field 'answer' is missing"):
        fullmarks.score("coqa", gold_of(bare), [{"id": "s", "turn_id": 1, "text": "x"}])
    with pytest.raises(fullmarks.MismatchError, match="not one of them for any question"):
        fullmarks.score("coqa", gold_of(bare), [answer("s", "1", "x")])


# The published program writes a message and goes on: a turn's key is the question's turn_id, answers go by position.
def test_turns_with_other_numbers_are_scored_and_counted() -> None:
    odd = story("s", ["x"], ["y"])
    odd["questions"][1]["turn_id"] = 7
    odd["answers"][0]["turn_id"] = 3
    result = fullmarks.score("coqa", gold_of(odd), [answer("s", 1, "x"), answer("s", 7, "y")])
    assert result.official["news"] == {"em": 100.0, "f1": 100.0, "turns": 2}
    (finding,) = result.audit.at_level("warning")
    assert (finding.count, finding.first_ids) == (2, ["s 1", "s 7"])


def test_people_are_scored_alone() -> None:
    gold = gold_of(story("s", ["x", "x", "y"]))
    result = fullmarks.score("coqa", gold, human=True)
    assert result.official["news"] == {"em": 66.7, "f1": 66.7, "turns": 1}
    assert "scored:annotators" in result.signature
    why = fullmarks.explain("coqa", gold, id="s 1", human=True)
    assert [row["exact"] for row in why.tables["annotators"]] == [1.0, 1.0, 0.0]
    with pytest.raises(fullmarks.UsageError, match="leave the predictions out"):
        fullmarks.score("coqa", gold, [answer("s", 1, "x")], human=True)
    with pytest.raises(fullmarks.UsageError, match="leave variant out"):
        fullmarks.score("coqa", gold, human=True, variant="lm-eval")


def test_a_repeated_story_of_people_is_counted() -> None:
    gold = gold_of(story("s", ["x", "y"]), story("s", ["x", "x"]))
    result = fullmarks.score("coqa", gold, human=True)
    assert result.official["news"] == {"em": 100.0, "f1": 100.0, "turns": 1}
    (finding,) = result.audit.at_level("warning")
    assert (finding.code, finding.first_ids) == ("repeated-questions", ["s 1"])


def test_other_forms_of_the_same_predictions(tmp_path: Path) -> None:
    gold = gold_of(story("s", ["x", "y"], ["z", "z"]))
    rows = [answer("s", 1, "x"), answer("s", 2, "z")]
    lines, whole = tmp_path / "rows.jsonl", tmp_path / "rows.json"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    whole.write_text(json.dumps(rows))
    wanted = fullmarks.score("coqa", gold, rows).official
    assert wanted["overall"] == {"em": 75.0, "f1": 75.0, "turns": 2}
    for given in (
        str(lines),
        str(whole),
        {"s 1": "x", "s 2": "z"},
        [{"id": "s 1", "prediction": "x"}, {"id": "s 2", "prediction": "z"}],
    ):
        assert fullmarks.score("coqa", gold, given).official == wanted
    table = [
        {"id": "s 1", "prediction": "x", "references": ["x", "y"], "source": "cnn"},
        {"id": "s 2", "prediction": "z", "references": ["z", "z"], "source": "cnn"},
    ]
    assert fullmarks.score("coqa", table).official == wanted
    with pytest.raises(fullmarks.InputError, match="neither a column 'domain' nor 'source'"):
        fullmarks.score("coqa", [{"id": "s 1", "prediction": "x", "references": ["x"]}])


def test_an_explanation_shows_what_is_left_without_each_annotator() -> None:
    why = fullmarks.explain("coqa", gold_of(story("s", ["x", "y"])), [answer("s", 1, "X.")], id="s 1")
    assert why.scores == {"em": 0.5, "f1": 0.5}
    assert [row["em without it"] for row in why.tables["references"]] == [0.0, 1.0]


def test_a_turn_is_met_by_every_number_that_equals_it(tmp_path: Path) -> None:
    """The published program keys predictions by (id, turn_id), and 1 == 1.0 == True; pandas writes such floats."""
    gold = gold_of(story("s", ["cat"]), story("t", ["cat"]))
    right = {"em": 100.0, "f1": 100.0, "turns": 2}
    for first, second in ((1.0, 1), (1.0, 1.0), (True, 1)):
        rows = [answer("s", first, "cat"), answer("t", second, "cat")]
        file, lines = tmp_path / "rows.json", tmp_path / "rows.jsonl"
        file.write_text(json.dumps(rows))
        lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
        for given in (rows, file, lines):
            result = fullmarks.score("coqa", gold, given)
            assert result.official["overall"] == right
            assert not result.audit.findings
    odd = fullmarks.score("coqa", gold, [answer("s", 1.5, "cat"), answer("t", 1, "cat")])
    assert odd.official["overall"] == {"em": 50.0, "f1": 50.0, "turns": 2}
    assert odd.audit.findings["bad-turn-ids"].first_ids == ["s 1.5"]


def test_a_story_whose_id_is_a_number_in_one_file_only_is_counted() -> None:
    gold = gold_of(story(7, ["cat"]), story("t", ["cat"]))  # type: ignore[arg-type]
    result = fullmarks.score("coqa", gold, [answer("7", 1, "cat"), answer("t", 1, "cat")])
    assert result.official["overall"]["em"] == 100.0  # the published program: 50.0
    finding = result.audit.findings["ids-of-another-kind"]
    assert (finding.level, finding.count, finding.first_ids) == ("warning", 1, ["7 1"])
    same = fullmarks.score("coqa", gold, [answer(7.0, 1, "cat"), answer("t", 1, "cat")])  # type: ignore[arg-type]
    assert (same.official["overall"]["em"], same.audit.findings) == (100.0, {})
    with pytest.raises(fullmarks.InputError, match="'id' must be a string or a whole number, found a list"):
        fullmarks.score("coqa", gold, [{"id": [7], "turn_id": 1, "answer": "cat"}])


def test_the_text_of_a_question_may_be_anything() -> None:
    odd = story("s", ["cat"])
    odd["questions"][0]["input_text"] = None
    assert fullmarks.score("coqa", gold_of(odd), [answer("s", 1, "cat")]).official["overall"]["em"] == 100.0


def test_a_null_for_an_unknown_turn_is_only_unknown() -> None:
    rows = [answer("s", 1, "cat"), {"id": "s", "turn_id": 9, "answer": None}]
    result = fullmarks.score("coqa", gold_of(story("s", ["cat"])), rows)
    assert result.official["overall"]["em"] == 100.0
    assert list(result.audit.findings) == ["unknown-predictions"]
