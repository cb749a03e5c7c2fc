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


@pytest.fixture
def many(block_records: int) -> int:
    """More records than one block holds, whatever the source."""
    return block_records + 116


def late(count: int, begin: int, column: str) -> list[dict[str, Any]]:
    """Records of which those before number `begin` lack a column that all need."""
    if column == "no_answer_probability":
        return rows(count, begin, no_answer_probability=0.9)
    records = rows(count, 1)
    for record in records[: begin - 1]:
        other = {"id": "other", "prediction": "answer", "references": "reference"}[column]
        record[other] = record.pop(column)
    return records


def refused(table: Any) -> bool:
    """Whether a table is refused, with an error that says where."""
    try:
        fullmarks.score("squad2", table)
    except InputError as error:
        return "1" in error.where or "that are not strings: " in str(error)
    return False


@pytest.mark.parametrize("column", ["no_answer_probability", "id", "prediction", "references"])
def test_what_every_record_needs_cannot_begin_late(column: str, many: int, tmp_path: Path) -> None:
    taken = [
        (make.__name__, count)
        for make in SOURCES
        for count, begin in ((200, 101), (many, many - 3))
        if not refused(make(late(count, begin, column), tmp_path))
    ]
    assert taken == []


def sizes_of_slices(table: Any, column: str) -> dict[Any, int]:
    return {value: scores["n"] for value, scores in fullmarks.score("squad1", table, by=column).by(column).items()}


@pytest.mark.parametrize("make", SOURCES)
def test_a_column_to_slice_by_may_begin_late(make: Make, many: int, tmp_path: Path) -> None:
    for name in ("kind", "question type", "answer-type", "2024", "class", "вид", "id\ud800"):
        assert sizes_of_slices(make(rows(200, 101, **{name: "x"}), tmp_path), name) == {None: 100, "x": 100}, name
    table = make(rows(many, many - 3, **{"a.b": "x"}), tmp_path)
    assert sizes_of_slices(table, "a.b") == {None: many - 4, "x": 4}


@pytest.mark.parametrize("make", SOURCES)
def test_a_column_that_never_comes_is_an_error(make: Make, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no column 'kind' to slice"):
        fullmarks.score("squad1", make(rows(300, 1), tmp_path), by="kind")


@pytest.mark.parametrize("make", SOURCES)
def test_a_text_that_is_only_shown_may_begin_late(make: Make, many: int, tmp_path: Path) -> None:
    result = fullmarks.score("squad1", make(rows(many, many, question="Who?"), tmp_path))
    shown = result.tally.examples.columns["question"]
    assert (len(shown), shown[0], shown[-1]) == (many, None, "Who?")


@pytest.mark.parametrize("make", SOURCES)
def test_types_that_begin_late_are_in_the_official_result_of_vqa(make: Make, many: int, tmp_path: Path) -> None:
    records = [
        {**record, "references": ["cat"] * 10} for record in rows(many, many - 1, question_type="what", answer_type="x")
    ]
    official = fullmarks.score("vqa", make(records, tmp_path)).official
    assert official["perQuestionType"] == {None: 100.0, "what": 100.0}


@pytest.mark.parametrize("make", SOURCES)
def test_columns_of_gold_that_begin_late_stay_beside_their_questions(make: Make, many: int, tmp_path: Path) -> None:
    records = [{**record, "title": f"t{record['id']}"} for record in rows(many, 1)]
    for record in records[: many - 2]:
        del record["title"]
    answers = {record["id"]: "cat" for record in records}
    result = fullmarks.score(
        "squad1", make(records, tmp_path), [{"id": i, "prediction": t} for i, t in answers.items()]
    )
    assert result.tally.examples.columns["title"][-3:] == [None, f"t{many - 1}", f"t{many}"]


def test_a_lower_name_that_begins_late_changes_nothing(many: int) -> None:
    result = fullmarks.score("squad1", as_lines(rows(many, many, answer="dog"), Path()))
    assert result.official["exact_match"] == 100.0


@pytest.mark.parametrize("make", SOURCES[1:])  # a stream without a name is read as a whole there
def test_webqa_columns_may_begin_late(make: Make, many: int, tmp_path: Path) -> None:
    records: list[dict[str, Any]] = [
        {"Guid": f"g{number}", "Qcate": "text", "A": ["cat"], "Keywords_A": "cat", "Output": ["cat"]}
        for number in range(many)
    ]
    records[-1]["Q"] = "Who?"
    result = fullmarks.score("webqa", make(records, tmp_path), spacy_model="simple")
    assert result.tally.examples.columns["question"][-2:] == ["", "Who?"]


def test_records_without_ids_are_numbered_by_record_not_by_line() -> None:
    table = io.BytesIO(b'\n\n{"prediction": "a", "references": ["a"]}\n\n{"prediction": "b", "references": ["a"]}\n')
    assert [record["id"] for record in fullmarks.score("qa", table).per_example] == [1, 2]
