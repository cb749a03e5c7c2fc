"""OCRBench's rows: gold and prediction in one file, or two files that meet by data set and id.

An id is unique only within its data set, so the two together are a question's name; a row that comes again has its
number too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fullmarks.errors import MismatchError
from fullmarks.readers.alignment import REPEATED_GOLD, Gaps, fill_gaps, note_empty
from fullmarks.readers.keyed_rows import (
    Row,
    check_equal_fields,
    check_lengths,
    have_fields,
    key_name,
    keys_of,
    read_rows,
)
from fullmarks.readers.predictions import NOT_STRINGS
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, Gold

TEXTS = ("predict", "prediction", "answer")
"""The fields that may hold a prediction."""


def named_rows(source: Source, audit: Audit) -> list[Row] | None:
    """The gold rows with their names as ids; None where the source holds other rows."""
    rows = read_rows(source)
    if rows is None or not have_fields(rows, "id", "answers"):
        return None
    fields = ("dataset_name", "id") if have_fields(rows, "dataset_name") else ("id",)
    keys = keys_of(rows, fields, source.name)
    names = [key_name(key) for key in keys]
    again = [name for name, key in zip(names, keys, strict=True) if key[-1]]
    if again:
        detail = "each of them counts, as in the published program"
        audit.add(REPEATED_GOLD, "warning", again, detail=detail, where=source.name)
    return [{**row, "id": name, "number": row["id"]} for row, name in zip(rows, names, strict=True)]


def one_file(gold: Gold, rows: Sequence[Row], name: str, audit: Audit, gaps: Gaps) -> Examples:
    """The examples of rows that hold their own predictions; absent ones and the number 0 are no prediction."""
    texts: list[Any] = []
    for row in rows:
        text = next((row[field] for field in TEXTS if field in row), 0)
        if not isinstance(text, str) and (text is None or text != 0):
            audit.add(NOT_STRINGS, "error", [row["id"]], detail=f"{row['id']!r} has {text!r}", where=name)
            text = ""
        texts.append(text if isinstance(text, str) else None)
    audit.gold, audit.predictions = len(rows), len(rows) - texts.count(None)
    examples = Examples(gold.ids, texts, gold.references, gold.columns)
    if gaps.limit is not None:
        examples = examples.part(0, gaps.limit)
    if None in examples.predictions:
        examples = fill_gaps(examples, audit, gaps.on_missing, name)
    note_empty(examples, audit)
    return examples


def named_answers(answers: Source, golds: Sequence[Row]) -> Source:
    """The predictions of a file of their own, each with the name of its question as its id."""
    rows = read_rows(answers)
    if not rows:
        return answers
    if not have_fields(rows):
        check_lengths(rows, golds, answers.name, "dataset_name and id")
        return answers.holding([{"id": row["id"], "predict": text} for row, text in zip(golds, rows, strict=True)])
    if have_fields(rows, "dataset_name", "id") and have_fields(golds, "dataset_name"):
        names = [key_name(key) for key in keys_of(rows, ("dataset_name", "id"), answers.name)]
    elif have_fields(rows, "id"):
        names = _by_number(rows, golds, answers.name)
    else:
        check_lengths(rows, golds, answers.name, "dataset_name and id")
        shared = [
            field for field in ("image_path", "question") if have_fields(rows, field) and have_fields(golds, field)
        ]
        check_equal_fields(rows, golds, shared, answers.name)
        names = [row["id"] for row in golds]
    return answers.holding([_row(row, name) for row, name in zip(rows, names, strict=True) if _is_answered(row)])


def _by_number(rows: Sequence[Row], golds: Sequence[Row], name: str) -> list[str]:
    """The names of rows that have only an id, which then must belong to one question."""
    by_number = {str(row["number"]): row["id"] for row in golds}
    if len(by_number) < len(golds):
        found = "the rows have an 'id' and no 'dataset_name', and ids of the gold belong to several data sets"
        raise MismatchError(name, found, "Add dataset_name to every row.")
    return [str(by_number.get(str(row["id"]), row["id"])) for row in rows]


def _is_answered(row: Row) -> bool:
    text = next((row[field] for field in TEXTS if field in row), 0)
    return isinstance(text, str) or text is None or text != 0


def _row(row: Row, name: str) -> Row:
    return {"id": name, **{field: row[field] for field in TEXTS if field in row}}
