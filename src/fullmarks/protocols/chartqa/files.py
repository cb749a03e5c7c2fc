"""ChartQA's predictions, which have no official layout: paired by image and question, else by position.

The gold has no ids, so the position of a question is its id; a prediction gets that of the question it belongs to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fullmarks.readers.keyed_rows import (
    Row,
    check_equal_fields,
    check_lengths,
    have_fields,
    key_name,
    keys_of,
    read_rows,
)
from fullmarks.readers.source import Source

KEYS = ("split", "imgname", "query")
"""The fields that tell questions apart."""
LOGS = ("id", "doc_id", "resps", "filtered_resps", "index")
"""Fields of rows that say themselves which question they belong to."""


def placed(answers: Source, golds: Sequence[Row], texts: Sequence[str]) -> Source:
    """The predictions with the positions of their questions as ids; `texts` are the fields that may hold the answer."""
    rows = read_rows(answers)
    if rows is None or not have_fields(rows):
        return answers  # a plain list is paired by position, {id: text} by id
    shared = [field for field in KEYS if have_fields(rows, field) and have_fields(golds, field)]
    if {"imgname", "query"} <= set(shared):
        ours, theirs = keys_of(rows, shared, answers.name), keys_of(golds, shared, "gold")
        places = {key: position for position, key in enumerate(theirs)}
        return answers.holding(
            [_row(row, places.get(key, key_name(key)), texts) for row, key in zip(rows, ours, strict=True)]
        )
    if any(field in rows[0] for field in LOGS):
        return answers
    check_lengths(rows, golds, answers.name, "imgname and query")
    check_equal_fields(rows, golds, shared, answers.name)
    return answers.holding([_row(row, position, texts) for position, row in enumerate(rows)])


def own_answers(source: Source, golds: Sequence[Row], texts: Sequence[str]) -> Source:
    """The predictions that stand in the same rows as the gold."""
    return source.holding([_row(row, position, texts) for position, row in enumerate(golds)])


def _row(row: Row, identifier: str | int, texts: Sequence[str]) -> dict[str, Any]:
    return {"id": identifier, **{field: row[field] for field in texts if field in row}}
