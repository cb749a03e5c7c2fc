"""The columns of a table are those of all its records: the same records give the same from every kind of source."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.errors import InputError

MANY = 16_500
"""More than one block holds, whatever the source."""


def rows(count: int, begin: int, **late: Any) -> list[dict[str, Any]]:
    """Records with right answers, the late fields from record number `begin` on."""
    return [
        {"id": number, "prediction": "cat", "references": ["cat"]} | (late if number >= begin else {})
        for number in range(1, count + 1)
    ]


def as_lines(records: list[dict[str, Any]], _: Path) -> Any:
    return io.BytesIO("".join(json.dumps(record) + "\n" for record in records).encode())


def as_lines_file(records: list[dict[str, Any]], folder: Path) -> Any:
    path = folder / "t.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def as_document(records: list[dict[str, Any]], folder: Path) -> Any:
    path = folder / "t.json"
    path.write_text(json.dumps(records))
    return path


def as_list(records: list[dict[str, Any]], _: Path) -> Any:
    return records


def as_iterator(records: list[dict[str, Any]], _: Path) -> Any:
    return iter(records)


SOURCES = (as_lines, as_lines_file, as_document, as_list, as_iterator)
Make = Callable[[list[dict[str, Any]], Path], Any]


@pytest.mark.parametrize("make", SOURCES)
@pytest.mark.parametrize(("count", "begin"), [(200, 101), (MANY, MANY - 3)])
@pytest.mark.parametrize("column", ["no_answer_probability", "id", "prediction", "references"])
def test_what_every_record_needs_cannot_begin_late(
    column: str, count: int, begin: int, make: Make, tmp_path: Path
) -> None:
    records = rows(count, begin, no_answer_probability=0.9)
    if column != "no_answer_probability":
        records = rows(count, 1)
        for record in records[: begin - 1]:
            other = {"id": "other", "prediction": "answer", "references": "reference"}[column]
            record[other] = record.pop(column)
    with pytest.raises(InputError) as caught:
        fullmarks.score("squad2", make(records, tmp_path))
    assert "1" in caught.value.where or "that are not strings: " in str(caught.value)


@pytest.mark.parametrize("make", SOURCES)
@pytest.mark.parametrize(
    ("column", "count", "begin"),
    [
        *((name, 200, 101) for name in ("kind", "question type", "answer-type", "2024", "class", "вид", "id\ud800")),
        ("a.b", MANY, MANY - 3),
    ],
)
def test_a_column_to_slice_by_may_begin_late(column: str, count: int, begin: int, make: Make, tmp_path: Path) -> None:
    table = make(rows(count, begin, **{column: "x"}), tmp_path)
    slices = fullmarks.score("squad1", table, by=column).by(column)
    assert {value: scores["n"] for value, scores in slices.items()} == {None: begin - 1, "x": count - begin + 1}


@pytest.mark.parametrize("make", SOURCES)
def test_a_column_that_never_comes_is_an_error(make: Make, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no column 'kind' to slice"):
        fullmarks.score("squad1", make(rows(300, 1), tmp_path), by="kind")


@pytest.mark.parametrize("make", SOURCES)
def test_a_text_that_is_only_shown_may_begin_late(make: Make, tmp_path: Path) -> None:
    result = fullmarks.score("squad1", make(rows(MANY, MANY, question="Who?"), tmp_path))
    shown = result.tally.examples.columns["question"]
    assert (len(shown), shown[0], shown[-1]) == (MANY, None, "Who?")


@pytest.mark.parametrize("make", SOURCES)
def test_types_that_begin_late_are_in_the_official_result_of_vqa(make: Make, tmp_path: Path) -> None:
    records = [
        {**record, "references": ["cat"] * 10} for record in rows(MANY, MANY - 1, question_type="what", answer_type="x")
    ]
    official = fullmarks.score("vqa", make(records, tmp_path)).official
    assert official["perQuestionType"] == {None: 100.0, "what": 100.0}


@pytest.mark.parametrize("make", SOURCES)
def test_columns_of_gold_that_begin_late_stay_beside_their_questions(make: Make, tmp_path: Path) -> None:
    records = [{**record, "title": f"t{record['id']}"} for record in rows(MANY, 1)]
    for record in records[: MANY - 2]:
        del record["title"]
    answers = {record["id"]: "cat" for record in records}
    result = fullmarks.score(
        "squad1", make(records, tmp_path), [{"id": i, "prediction": t} for i, t in answers.items()]
    )
    assert result.tally.examples.columns["title"][-3:] == [None, f"t{MANY - 1}", f"t{MANY}"]


def test_a_lower_name_that_begins_late_changes_nothing() -> None:
    result = fullmarks.score("squad1", as_lines(rows(MANY, MANY, answer="dog"), Path()))
    assert result.official["exact_match"] == 100.0


@pytest.mark.parametrize("make", SOURCES)
def test_webqa_columns_may_begin_late(make: Make, tmp_path: Path) -> None:
    records: list[dict[str, Any]] = [
        {"Guid": f"g{number}", "Qcate": "text", "A": ["cat"], "Keywords_A": "cat", "Output": ["cat"]}
        for number in range(MANY)
    ]
    records[-1]["Q"] = "Who?"
    if make is as_lines:
        pytest.skip("a stream without a name is read as a whole there")
    result = fullmarks.score("webqa", make(records, tmp_path))
    assert result.tally.examples.columns["question"][-2:] == ["", "Who?"]


def test_records_without_ids_are_numbered_by_record_not_by_line() -> None:
    table = io.BytesIO(b'\n\n{"prediction": "a", "references": ["a"]}\n\n{"prediction": "b", "references": ["a"]}\n')
    assert [record["id"] for record in fullmarks.score("qa", table).per_example] == [1, 2]
