"""VQA annotations without ids of annotators: equal records are left out together, as the published program does."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.analysis.crosscheck import crosscheck, crosscheck_result
from fullmarks.analysis.saved import load_run, save_run
from fullmarks.protocols.vqa_protocol import EQUAL_RECORDS
from fullmarks.text.vqa_rule import Judgement, judge

# Fields beside the answer: those of VizWiz, of VQA with repeated ids, and what else a record may hold.
FIELDS: list[dict[str, list[Any]]] = [
    {},
    {"answer_confidence": ["yes", "maybe", "no"]},
    {"answer_confidence": ["yes", "no"], "answer_id": [1, 2, 3, 4]},
    {"answer_id": [1, 1.0, True, "1", None, 12345678901234567890123, 12345678901234567890124]},
    {"worker": [[1], [1.0], [2], {"a": [1]}, {"a": [True]}], "answer_confidence": ["yes", "no"]},
]
ANSWERS = ["red", "Red.", "the red", " red\n", "blue", "two", "2", "a 2", "unanswerable", "", "dont", "don't"]


def case(source: random.Random) -> tuple[list[dict[str, Any]], str]:
    """One question's records and its prediction, from few answers so that many agree."""
    few = source.sample(ANSWERS, source.choice((1, 2, 2, 3, 4)))
    fields = source.choice(FIELDS)
    records = []
    for place in range(source.choice((1, 2, 3, 5, 10, 10, 10, 10))):
        record = {"answer": source.choice(few)}
        for name, values in fields.items():
            if source.random() < 0.9:
                record[name] = source.choice(values)
        if fields is FIELDS[2] and source.random() < 0.3:
            record["answer_id"] = 10 + place
        records.append(dict(source.sample(list(record.items()), len(record))))
    return records, source.choice([*few, *few, source.choice(ANSWERS)])


def fuzzed(count: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    source = random.Random(2018)
    annotations, results = [], []
    for identifier in range(count):
        records, prediction = case(source)
        annotations.append({"question_id": identifier, "answers": records})
        results.append({"question_id": identifier, "answer": prediction})
    return {"annotations": annotations}, results


def files(records: list[dict[str, Any]], prediction: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    return {"annotations": [{"question_id": 1, "answers": records}]}, [{"question_id": 1, "answer": prediction}]


def judge_records(prediction: str, records: list[dict[str, Any]]) -> Judgement:
    """By the rule itself, told apart by all that the records hold."""
    rest = [{name: value for name, value in record.items() if name != "answer"} for record in records]
    return judge(prediction, [record["answer"] for record in records], rest)


def leaves_out_several(judged: Judgement) -> bool:
    return any(len(vote.left_out) > 1 for vote in judged.votes)


def told(*answers: str) -> list[dict[str, Any]]:
    return [{"answer": answer} for answer in answers]


# The published vqaEval.py gives the first number, its records having ids (one annotator left out at a time) the second.
BY_HAND = [
    (told(*["red"] * 10), "red", 0.0, 100.0),
    (told(*["red"] * 3, *["blue"] * 7), "red", 70.0, 90.0),
    (told(*["red"] * 3, *["blue"] * 7), "blue", 30.0, 100.0),
    (told(*["red"] * 3, *["Red."] * 7), "red", 0.0, 100.0),  # equal once they are normalised
    ([{"answer": "red", "answer_confidence": sure} for sure in ["yes"] * 5 + ["no"] * 5], "red", 100.0, 100.0),
    ([{"answer": "red", "answer_confidence": sure} for sure in ["yes"] * 9 + ["no"]], "red", 40.0, 100.0),
    ([{"answer": "red", "answer_id": number} for number in range(10)], "red", 100.0, 100.0),
    ([{"answer": "red", "answer_id": 1} for _ in range(10)], "red", 0.0, 100.0),
    ([{"answer": "red"}, {"answer": "red", "answer_id": None}], "red", 33.33, 33.33),
]


@pytest.mark.parametrize(("records", "prediction", "script", "one_at_a_time"), BY_HAND)
def test_equal_records_are_left_out_together(
    records: list[dict[str, Any]], prediction: str, script: float, one_at_a_time: float
) -> None:
    gold, results = files(records, prediction)
    result = fullmarks.score("vqa", gold, results)
    assert result.official["overall"] == script
    other = fullmarks.score("vqa", gold, results, variant="leave-one-out")
    assert other.official["overall"] == one_at_a_time
    assert "variant:script" in result.signature
    assert "variant:leave-one-out" in other.signature
    assert EQUAL_RECORDS.code not in other.audit.findings
    assert (EQUAL_RECORDS.code in result.audit.findings) is leaves_out_several(judge_records(prediction, records))


@pytest.mark.parametrize("count", [1_000, pytest.param(20_000, marks=pytest.mark.deep)])
def test_random_records_follow_the_rule(count: int) -> None:
    gold, results = fuzzed(count)
    text = io.BytesIO(json.dumps(gold).encode())
    result = fullmarks.score("vqa", text, results)
    one_at_a_time = fullmarks.score("vqa", gold, results, variant="leave-one-out")
    equal, changed = 0, 0
    for annotation, answer, ours, other in zip(
        gold["annotations"], results, result.per_example, one_at_a_time.per_example, strict=True
    ):
        records, prediction = annotation["answers"], answer["answer"]
        judged = judge_records(prediction, records)
        assert ours["accuracy"] == judged.accuracy, (prediction, records)
        assert other["accuracy"] == judge(prediction, [record["answer"] for record in records]).accuracy
        equal += leaves_out_several(judged)
        changed += ours["accuracy"] != other["accuracy"]
    assert result.audit.findings[EQUAL_RECORDS.code].count == equal > count / 2
    assert changed > count / 10
    assert fullmarks.score("vqa", gold, results).official == result.official
    assert fullmarks.score("vqa", gold, results, workers=2).official == result.official


def test_explanations_add_up_to_the_score() -> None:
    result = fullmarks.score("vqa", *fuzzed(400))
    rules = result.rules
    for place, record in enumerate(result.per_example):
        why = rules.explain(result.tally.examples[place])
        votes = why.tables["annotators"]
        total = 0.0
        for vote in votes:
            left_out = {int(number) for number in vote["left out"].split(", ")}
            others = [other["agrees"] for other in votes if other["annotator"] not in left_out]
            assert vote["annotator"] in left_out
            assert vote["others agreeing"] == sum(others)
            total += min(1.0, sum(others) / 3)
        assert total / len(votes) == why.scores["accuracy"] == record["accuracy"]


def test_the_explanation_names_who_was_left_out() -> None:
    gold, results = files(told("red", "blue", "red", "Red"), "red")
    votes = fullmarks.explain("vqa", gold, results, id=1).tables["annotators"]
    assert [vote["left out"] for vote in votes] == ["1, 3, 4", "2", "1, 3, 4", "1, 3, 4"]
    assert [vote["vote"] for vote in votes] == [0.0, 1.0, 0.0, 0.0]
    alone = fullmarks.explain("vqa", gold, results, id=1, variant="leave-one-out").tables["annotators"]
    assert [vote["left out"] for vote in alone] == ["1", "2", "3", "4"]


def test_the_warning_counts_questions_and_names_the_other_variant() -> None:
    gold = {
        "annotations": [
            {"question_id": 1, "answers": told("red", "red")},
            {"question_id": 2, "answers": told("red", "blue")},
            {"question_id": 3, "answers": told("2", "two")},
        ]
    }
    results = [{"question_id": number, "answer": "red"} for number in (1, 2, 3)]
    text = (
        "questions with equal records of annotators: 2 (first ids: 1, 3); annotators with equal records are left out "
        "together, as the published program does; --variant leave-one-out leaves out one at a time"
    )
    assert [str(found) for found in fullmarks.score("vqa", gold, results).audit.at_level("warning")] == [text]
    assert [str(found) for found in fullmarks.validate("vqa", gold, results).at_level("warning")] == [text]


def test_crosscheck_shows_both() -> None:
    gold, results = files(told(*["red"] * 3, *["blue"] * 7), "red")
    for variant, other, own, theirs in (("script", "leave-one-out", 0.7, 0.9), ("leave-one-out", "script", 0.9, 0.7)):
        check = crosscheck("vqa", gold, results, variant=variant)
        found = {rule.name: rule.scores["accuracy"] for rule in check.rules}
        assert check.scores["accuracy"] == pytest.approx(own)
        assert found[f"variant {other}"] == pytest.approx(theirs)


def test_golden_annotations_without_ids(golden_files: Path) -> None:
    """Ids differ in the golden file; without them the confidences alone tell annotators apart."""
    folder = golden_files / "vqa"
    gold = json.loads((folder / "annotations.json").read_text("utf-8"))
    results = json.loads((folder / "results.json").read_text("utf-8"))
    published = json.loads((folder / "expected.json").read_text("utf-8"))
    with_ids = fullmarks.score("vqa", gold, results)
    assert with_ids.official == published["accuracy"]
    assert EQUAL_RECORDS.code not in with_ids.audit.findings
    assert not with_ids.tally.examples.facts
    for annotation in gold["annotations"]:
        for record in annotation["answers"]:
            del record["answer_id"]
    answers = {result["question_id"]: result["answer"] for result in results}
    without = fullmarks.score("vqa", gold, results)
    wanted = [judge_records(answers[each["question_id"]], each["answers"]).accuracy for each in gold["annotations"]]
    assert [record["accuracy"] for record in without.per_example] == wanted
    assert without.official["overall"] < published["accuracy"]["overall"]
    assert fullmarks.score("vqa", gold, results, variant="leave-one-out").official == published["accuracy"]


def test_tables_have_no_records() -> None:
    table = [{"question_id": 1, "references": ["red"] * 10}]
    result = fullmarks.score("vqa", table, [{"question_id": 1, "answer": "red"}])
    assert result.official["overall"] == 100.0
    assert not result.audit.at_level("warning")


def test_harnesses_leave_out_one_at_a_time() -> None:
    gold, results = files(told(*["red"] * 10), "Red.")
    assert fullmarks.score("vqa", gold, results, variant="always-normalise").official["overall"] == 100.0


def test_saved_runs_keep_what_was_left_out(tmp_path: Path) -> None:
    gold, results = files(told(*["red"] * 3, *["blue"] * 7), "red")
    result = fullmarks.score("vqa", gold, results)
    save_run(result, tmp_path / "run.json")
    again = load_run(tmp_path / "run.json")
    assert again.official == result.official
    assert crosscheck_result(again).rules == crosscheck_result(result).rules
    assert again.rules.explain(again.tally.examples[0]) == result.rules.explain(result.tally.examples[0])
    assert result.per_example[0].keys() == {"id", "prediction", "references", "accuracy", "evalQA"}


def test_what_is_kept_for_scoring_is_not_offered_to_slice_by() -> None:
    gold, results = files(told("red", "red"), "red")
    gold["annotations"][0]["answer_type"] = "other"
    with pytest.raises(fullmarks.InputError, match=r"it offers 'answer_type'\."):
        fullmarks.score("vqa", gold, results, by="color")
