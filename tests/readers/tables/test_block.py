"""Tables of more than one block, and what single lines decide: limits, numbers of records, kinds of rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fullmarks


def rows(count: int) -> list[dict[str, Any]]:
    return [{"id": number, "prediction": f"w{number % 7}", "references": ["w3", "w5"]} for number in range(count)]


def test_a_limit_counts_over_all_blocks(block_records: int, tmp_path: Path) -> None:
    table = rows(2 * block_records + 100)
    lines = "".join(json.dumps(row) + "\n" for row in table)
    (tmp_path / "t.jsonl").write_text(lines)
    for limit in (1, block_records, block_records + 1, 2 * block_records + 5):
        for source in (table, tmp_path / "t.jsonl"):
            result = fullmarks.score("squad1", source, limit=limit)
            assert result.n == min(limit, len(table))
            assert list(result.tally.examples.ids) == list(range(result.n))


def test_what_lies_beyond_the_limit_is_not_read(block_records: int) -> None:
    table: list[Any] = [*rows(block_records), "not an object"]
    result = fullmarks.score("squad1", table, limit=block_records)
    assert (result.n, result.audit.gold) == (block_records, block_records)


def test_the_record_that_is_no_object_is_named(block_records: int) -> None:
    for wrong in (0, block_records - 1, block_records, block_records + 3):
        table: list[Any] = rows(block_records + 10)
        table[wrong] = "not an object"
        with pytest.raises(fullmarks.InputError, match=f"record {wrong + 1}: expected an object, found a string"):
            fullmarks.score("squad1", table)


def test_the_record_with_a_wrong_prediction_is_named(block_records: int) -> None:
    for wrong in (0, 5, block_records + 3):
        table = rows(block_records + 10)
        table[wrong]["prediction"] = None
        with pytest.raises(fullmarks.InputError, match=f"record {wrong + 1} has null"):
            fullmarks.score("squad1", table)


@pytest.mark.parametrize("values", ["cat", b"cat", 7, None, True])
@pytest.mark.parametrize("column", ["prediction", "references", "id"])
def test_a_column_that_is_no_list_is_refused(column: str, values: Any) -> None:
    table: dict[str, Any] = {"id": ["1", "2", "3"], "prediction": ["c", "o", "w"], "references": [["c"], ["o"], ["w"]]}
    assert fullmarks.score("qa", dict(table)).official["ExactMatch"] == 1.0
    table[column] = values
    with pytest.raises(fullmarks.InputError, match=f"column '{column}': expected a list, found "):
        fullmarks.score("qa", table)


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(fullmarks.InputError, match="columns of different lengths: 'prediction' 2, 'references' 1"):
        fullmarks.score("qa", {"prediction": ["a", "b"], "references": [["a"]]})


@pytest.mark.parametrize(
    "references",
    [
        ["cat", ["dog", "cow"]],
        [["cat"], "dog"],
        ["cat", "dog"],
        [["cat"], [{"text": "dog"}]],
        [{"text": ["cat"]}, "dog"],
    ],
)
def test_references_of_several_shapes_in_one_column(references: list[Any]) -> None:
    table = [{"id": at, "prediction": text, "references": references[at]} for at, text in enumerate(("cat", "dog"))]
    result = fullmarks.score("qa", table)
    assert [record["references"][0] for record in result.per_example] == ["cat", "dog"]
    assert all(isinstance(each, list) for each in result.tally.examples.references)
    assert result.official["ExactMatch"] == 1.0


def test_references_that_are_no_texts_are_counted() -> None:
    table = [{"id": at, "prediction": "1", "references": golds} for at, golds in enumerate((["1"], ["1", 2], [None]))]
    with pytest.raises(fullmarks.MismatchError, match=r": 2 \(first ids: 1, 2\); record 2 holds"):
        fullmarks.score("qa", table)


GOLD = {"data": [{"paragraphs": [{"qas": [{"id": "a", "answers": []}, {"id": "b", "answers": [{"text": "x"}]}]}]}]}


@pytest.mark.parametrize("text", ["prediction_text", "prediction", "answer"])
def test_rows_in_a_list_carry_probabilities(text: str, tmp_path: Path) -> None:
    """As a file, which is decoded with types, and as objects, which are looked through."""
    answers = [
        {"id": "a", text: "y", "no_answer_probability": 0.9},
        {"id": "b", text: "x", "no_answer_probability": 0.25},
    ]
    (tmp_path / "p.json").write_text(json.dumps(answers))
    for source in (answers, tmp_path / "p.json"):
        official = fullmarks.score("squad2", GOLD, source).official
        assert (official["exact"], official["best_exact"], official["best_exact_thresh"]) == (50.0, 100.0, 0.25)
    for answer in answers:
        del answer["no_answer_probability"]
    (tmp_path / "p.json").write_text(json.dumps(answers))
    for source in (answers, tmp_path / "p.json"):
        assert "best_exact" not in fullmarks.score("squad2", GOLD, source).official


def test_fields_of_other_names_are_not_taken_for_ours(tmp_path: Path) -> None:
    gold = {"annotations": [{"question_id": 12, "answers": [{"answer": "no", "answer_id": at} for at in range(10)]}]}
    answers = [{"question_id": 12, "id": 13, "answer": "no", "text": "yes", "no_answer": 0.5}]
    (tmp_path / "r.json").write_text(json.dumps(answers))
    for source in (answers, tmp_path / "r.json"):
        assert fullmarks.score("vqa", gold, source).official["overall"] == 100.0


@pytest.mark.parametrize("form", ["file", "object"])
def test_an_id_may_be_the_name_of_a_field(form: str, tmp_path: Path) -> None:
    """{id: text} where a question is called 'id' or 'prediction' is not a single row."""
    for names in (("id", "b"), ("b", "prediction"), ("answer", "b")):
        gold = [{"id": name, "references": ["cat"]} for name in names]
        answers: Any = dict.fromkeys(names, "cat")
        if form == "file":
            (tmp_path / "p.json").write_text(json.dumps(answers))
            answers = tmp_path / "p.json"
        result = fullmarks.score("qa", gold, answers)
        assert (result.n, result.official["ExactMatch"]) == (2, 1.0)
    row: Any = {"id": "a", "prediction": "cat"}
    if form == "file":
        (tmp_path / "p.json").write_text(json.dumps(row))
        row = tmp_path / "p.json"
    assert fullmarks.score("qa", [{"id": "a", "references": ["cat"]}], row).official["ExactMatch"] == 1.0


def harness(responses: Any, **request: Any) -> Any:
    sample = {"doc_id": 0, "doc": {"id": "a"}, "resps": responses, "filtered_resps": responses}
    return [{**sample, "arguments": {"gen_args_0": request}}] if request else [sample]


@pytest.mark.parametrize(
    ("responses", "text"),
    [
        ([["red", "True"]], "red"),
        ([["3", "4"]], "3"),
        ([["3", "maybe"]], "3"),
        ([["-1.5", "True", "x"]], "-1.5"),
        (["-1.5"], "-1.5"),
        ([["red"]], "red"),
    ],
)
def test_texts_of_the_harness_that_look_like_likelihoods(responses: Any, text: str) -> None:
    result = fullmarks.score("qa", [{"id": "a", "references": [text]}], harness(responses))
    assert result.per_example[0]["prediction"] == text


@pytest.mark.parametrize("responses", [[["-1.5", "True"]], [["-1.5", False]], [[-0.25, True]], [["3", "False"]]])
def test_likelihoods_of_the_harness_are_no_texts(responses: Any) -> None:
    with pytest.raises(fullmarks.InputError, match="lm-evaluation-harness"):
        fullmarks.score("qa", [{"id": "a", "references": ["x"]}], harness(responses))
    # Where settings show that a text was asked for, it is one.
    asked = harness([["3", "False"]], arg_0="How many?", arg_1={"until": ["\n"]})
    result = fullmarks.score("qa", [{"id": "a", "references": ["3"]}], asked)
    assert result.per_example[0]["prediction"] == "3"
