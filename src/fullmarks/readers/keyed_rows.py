"""Rows that several fields together tell apart, or only their place: brought together without trusting the order.

Some benchmarks have no ids of their own; their programs pair by position and never look. Here rows meet by their
fields, the first of several equal ones with the first; by position only where nothing else is there, and then there
must be as many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

from fullmarks.errors import InputError, MismatchError
from fullmarks.readers.documents import kind_of
from fullmarks.readers.records import read_values
from fullmarks.readers.source import Source
from fullmarks.readers.tables.columns import Chooser
from fullmarks.readers.tables.table import DELIMITERS, read_blocks

Row = dict[str, Any]


def read_rows(source: Source) -> list[Any] | None:
    """The rows of a JSON list, of JSON lines or of a table; None where a document is no list."""
    if not source.is_object and (source.ending in DELIMITERS or source.ending == ".parquet"):
        rows: list[Any] = []
        every = Chooser(lambda available: {name: name for name in available}, ())
        for block in read_blocks(source, every):
            rows.extend(dict(zip(block.columns, values, strict=True)) for values in zip(*block.columns.values()))  # noqa: B905
        return rows
    values = read_values(source)
    return values if isinstance(values, list) else None


def have_fields(rows: Sequence[Any] | None, *fields: str) -> bool:
    """Whether there are rows, all of them objects with these fields."""
    return bool(rows) and all(isinstance(row, dict) and all(field in row for field in fields) for row in rows or ())


def keys_of(rows: Sequence[Row], fields: Sequence[str], name: str) -> list[tuple[Hashable, ...]]:
    """The values of the fields of every row, and how many equal rows were there before it."""
    seen: Counter[tuple[Hashable, ...]] = Counter()
    keys = []
    for number, row in enumerate(rows, start=1):
        key = tuple(_single(row[field], field, f"{name}: record {number}") for field in fields)
        keys.append((*key, seen[key]))
        seen[key] += 1
    return keys


def key_name(key: tuple[Hashable, ...]) -> str:
    """A key as an id: its values, and which of several equal ones it is.

    >>> key_name(("svt", 7, 0)), key_name(("svt", 7, 1))
    ('svt 7', 'svt 7 (2)')
    """
    *values, before = key
    text = " ".join(map(str, values))
    return f"{text} ({int(str(before)) + 1})" if before else text


def check_lengths(predictions: Sequence[Any], gold: Sequence[Any], name: str, fields: str) -> None:
    """An error unless there are as many predictions as questions, where only their order brings them together."""
    if len(predictions) != len(gold):
        found = f"{len(predictions)} predictions for {len(gold)} questions"
        raise MismatchError(name, found, f"Without {fields} they are paired by position: give one for each question.")


def check_equal_fields(predictions: Sequence[Row], gold: Sequence[Row], fields: Sequence[str], name: str) -> None:
    """An error at the first place where rows that are paired by position speak of different things."""
    for number, (ours, theirs) in enumerate(zip(predictions, gold, strict=True), start=1):
        for field in fields:
            if ours[field] != theirs[field]:
                found = f"'{field}' is {ours[field]!r}, but that of the question at this place is {theirs[field]!r}"
                raise MismatchError(f"{name}: record {number}", found, "Bring both files into the same order.")


def _single(value: Any, field: str, where: str) -> Hashable:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        problem = f"'{field}' must be a string or a whole number, found {kind_of(value)}"
        raise InputError(where, problem, "Write what the gold file has.")
    return value
