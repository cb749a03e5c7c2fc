"""Tables that hold several runs of a system: every question once per run, and a column that says which run it is.

Rows with the same id and another run are runs, not repeats. A column of that name that does not tell rows of one
question apart means something else, and is left alone.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from fullmarks.checks import can_be_label
from fullmarks.errors import InputError
from fullmarks.readers.documents import may_be_log
from fullmarks.readers.predictions import ID_NAMES, RUN, LogOptions
from fullmarks.readers.source import Source
from fullmarks.readers.tables.columns import Chooser
from fullmarks.readers.tables.table import is_table, read_blocks
from fullmarks.types import Audit, FindingKind

if TYPE_CHECKING:
    from fullmarks.readers.logs.log import Log

_BEGINNING = 64
"""Within so many bytes a document shows what it is."""
SEVERAL_RUNS = FindingKind(
    "several-runs",
    "predictions of several runs",
    "A score is of one run: take the rows of one, or compare all of them with those of another system: "
    "fullmarks compare",
)


class RunColumn(NamedTuple):
    """Where a table says which run a row belongs to."""

    name: str = RUN
    is_given: bool = False
    """Whether the user named the column, so that it must be there."""
    id_names: tuple[str, ...] = ID_NAMES
    """What the column of ids may be called, the likeliest first."""


def runs_of(source: Source, column: RunColumn) -> dict[Hashable, Source]:
    """The rows of every run by its label, in order of appearance; empty where the source is no table of runs."""
    records = _records(source, column.name)
    if not records or not any(column.name in record for record in records):
        if column.is_given:
            found = f"there is no column '{column.name}' to tell runs apart by"
            raise InputError(source.name, found, "Check --columns run=NAME.")
        return {}
    if not column.is_given and not _tells_apart(records, column):
        return {}
    rows: dict[Hashable, list[dict[str, Any]]] = {}
    for number, record in enumerate(records, start=1):
        label = record.get(column.name)
        if label is None or label == "" or not can_be_label(type(label)):
            found = f"'{column.name}' must name the run, found {label!r}"
            raise InputError(f"{source.name}: record {number}", found, "Write a text or a number in every record.")
        rows.setdefault(label, []).append(record)
    return {label: _part(source, label, own) for label, own in rows.items()}


def _part(source: Source, label: Hashable, rows: list[dict[str, Any]]) -> Source:
    part = source.holding(rows)
    part.name = f"run {label} of {source.name}"
    return part


def _tells_apart(records: Sequence[dict[str, Any]], column: RunColumn) -> bool:
    """Whether some question has rows of different runs."""
    identifier = next((name for name in column.id_names if name in records[0]), None)
    if identifier is None:
        return False
    runs: dict[Any, Any] = {}
    return any(
        runs.setdefault(_key(record.get(identifier)), record.get(column.name)) != record.get(column.name)
        for record in records
    )


def _key(value: Any) -> Hashable:
    return value if isinstance(value, (str, int)) else repr(value)


def _records(source: Source, column: str) -> list[dict[str, Any]]:
    """All records of a table that may have this column; none of what is no table."""
    log = _log(source)
    if log is not None:
        return list(log.records(Audit(), LogOptions(allow_failed=True))) if log.about.has_runs else []
    if source.frame is not None or (is_table(source) and not source.is_json_lines):
        return _cells(source, column)
    if source.is_object:
        found = source.object
        return list(found) if isinstance(found, (list, tuple)) and all(isinstance(each, dict) for each in found) else []
    return _listed(source, column)


def _log(source: Source) -> Log | None:
    if not may_be_log(source):
        return None
    from fullmarks.readers.logs.files import log_of

    return log_of(source)


def _listed(source: Source, column: str) -> list[dict[str, Any]]:
    """The records of JSON lines, or of a list in a file."""
    if source.path is None or (source.is_many and not is_table(source)):
        return []
    data = source.read()
    is_list = source.is_json_lines or data[:_BEGINNING].lstrip().startswith(b"[")
    if not is_list or json.dumps(column).encode() not in data:
        return []
    from fullmarks.readers.records import read_values

    values = read_values(source)
    return values if isinstance(values, list) and all(isinstance(each, dict) for each in values) else []


def _cells(source: Source, column: str) -> list[dict[str, Any]]:
    def choose(available: list[str]) -> dict[str, str]:
        if column not in available:
            raise _NoColumnError
        return {name: name for name in available}

    records: list[dict[str, Any]] = []
    try:
        for block in read_blocks(source, Chooser(choose, ())):
            names = list(block.columns)
            records += [dict(zip(names, cells, strict=True)) for cells in zip(*block.columns.values(), strict=True)]
    except _NoColumnError:
        return []
    return records


class _NoColumnError(Exception):
    """The table lacks the column: the rest of it need not be read."""
