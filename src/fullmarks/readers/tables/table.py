"""Tables of any kind (JSON lines, CSV, TSV, Parquet, workbooks, data frames, lists of objects) as blocks of columns.

A block holds a bounded number of records, so memory does not grow with the table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any

from fullmarks.errors import InputError
from fullmarks.readers.documents import kind_of, looks_like_lines, parse_json
from fullmarks.readers.limits import join_blocks
from fullmarks.readers.objects import columns_of, field_names
from fullmarks.readers.saved_run import refuse_saved_head
from fullmarks.readers.source import JSON_LINES, WORKBOOKS, Source, check_encoding
from fullmarks.readers.tables.block import Block
from fullmarks.readers.tables.columns import Chooser, Columns
from fullmarks.readers.tables.json_lines import json_line_blocks

DELIMITERS = {".csv": ",", ".tsv": "\t"}
ENDINGS = (*JSON_LINES, *DELIMITERS, ".parquet", *WORKBOOKS)
_RECORDS = 1 << 14


def is_table(source: Source) -> bool:
    """Whether this is a table: a data frame, or a file whose name says so."""
    return source.frame is not None or source.ending in ENDINGS


def is_unnamed_lines(source: Source) -> bool:
    """Whether a source without a file name holds several JSON objects, one a line."""
    return not source.is_object and source.path is None and looks_like_lines(source.read())


def read_blocks(source: Source, choose: Chooser) -> Iterator[Block]:
    """The table's records in order, the chosen columns only; an absent value is None.

    So is NaN in a column to slice or cluster by, which would be a value of its own in every record.
    """
    for block in _blocks(source, choose):
        if source.reading is not None:
            source.reading.roles = choose.from_first & block.columns.keys()
        for role in block.columns.keys() - choose.from_first:
            block.columns[role] = _plain_values(block.columns[role])
        yield block


def _plain_values(values: list[Any]) -> list[Any]:
    """The values as Python's own, for NumPy's 3 is neither saved nor named like 3; NaN as None, an infinity as its
    name, because JSON has no word for either.
    """
    kinds = set(map(type, values))
    if any(kind.__module__ == "numpy" and hasattr(kind, "item") for kind in kinds):
        values = [value.item() if hasattr(value, "item") and value.ndim == 0 else value for value in values]
        kinds = set(map(type, values))
    if not any(issubclass(kind, float) for kind in kinds):
        return values
    return [_finite_value(value) if isinstance(value, float) else value for value in values]


def _finite_value(value: float) -> float | str | None:
    if math.isfinite(value):
        return value
    return None if math.isnan(value) else str(value)


def _blocks(source: Source, choose: Chooser) -> Iterator[Block]:
    if source.is_object:
        return _objects(source.object, source.name, choose) if source.frame is None else _of_arrow(source, choose)
    is_part = source.reading is not None and source.name == source.reading.shard.table
    if is_part or (source.is_many and is_table(source)):
        from fullmarks.readers.tables.many_files import blocks_of_files, blocks_of_part

        return (blocks_of_part if is_part else blocks_of_files)(source, choose, _blocks)
    if source.is_json_lines:
        return json_line_blocks(source.blocks(), source.name, choose, source.reading)
    return _of_kind(source)(source, choose)


def _of_kind(source: Source) -> Callable[[Source, Chooser], Iterator[Block]]:
    """The reader of a file that is no JSON lines, by its ending."""
    if source.ending in DELIMITERS:
        from fullmarks.readers.tables.delimited import delimited_blocks

        return lambda source, choose: delimited_blocks(source, choose, DELIMITERS[source.ending])
    if source.ending in WORKBOOKS:
        from fullmarks.readers.tables.workbook import workbook_blocks

        return workbook_blocks
    if source.ending == ".parquet":
        return _of_arrow
    return _unnamed


def _of_arrow(source: Source, choose: Chooser) -> Iterator[Block]:
    """A data frame or a Parquet file."""
    if source.frame is not None:
        from fullmarks.readers.tables.frame_blocks import frame_blocks

        return frame_blocks(source.frame, source.name, choose)
    from fullmarks.readers.tables.parquet import parquet_blocks

    return parquet_blocks(source, choose)


def number_of_records(source: Source) -> int:
    """How many records a table has, no more of it looked at than that takes."""
    if source.is_json_lines:
        return sum(1 for block in source.blocks() for line in block.split(b"\n") if line.strip())
    if source.ending == ".parquet":
        from fullmarks.readers.tables.parquet import row_groups

        return sum(rows for _, rows in row_groups(source))
    return sum(block.count for block in _blocks(source, Chooser(lambda names: {"id": names[0]}, ())))


def _unnamed(source: Source, choose: Chooser) -> Iterator[Block]:
    """A stream or file whose name says nothing: a JSON document or JSON lines."""
    blocks = source.blocks(may_be_document=True)
    first = next(blocks, b"")
    if first.lstrip().startswith(b"{"):
        refuse_saved_head(first, source.name)
        _refuse_single_object(first, blocks, source.name)
        yield from json_line_blocks(chain([first], blocks), source.name, choose)
        return
    data = check_encoding(join_blocks(chain([first], blocks), source.name), source.name)
    yield from _objects(parse_json(data, source.name), source.name, choose)


def _refuse_single_object(first: bytes, others: Iterable[bytes], name: str) -> None:
    """An error if a file is one object in several lines: no table, though it begins like JSON lines."""
    line = first.lstrip().partition(b"\n")[0]
    if line.rstrip().endswith(b"}"):
        return
    data = check_encoding(join_blocks(chain([first], others), name), name)
    parse_json(data, name)
    raise InputError(
        name,
        "this is one JSON object, expected a table: a list of objects, or one object per line",
        "If it is an official gold file, pass the predictions as a second file.",
    )


def _objects(document: Any, name: str, choose: Chooser) -> Iterator[Block]:
    """A list of objects, or an object of equally long lists."""
    if isinstance(document, dict):
        yield _column_object(document, name, choose)
        return
    if isinstance(document, (str, bytes)) or not isinstance(document, Iterable):
        found = f"expected a list of objects, found {kind_of(document)}"
        raise InputError(name, found, "Write one object per example.")
    records = iter(document)
    number = 1
    columns = Columns(choose)
    while part := list(islice(records, _RECORDS)):
        names = field_names(part)
        if names is None:
            raise _no_object(part, number, name)
        if number == 1:
            columns.take(names, "record 1")
            columns.given(f"{name}: record 1")
        while late := [column for column in columns.watched if column in names]:
            columns.take(late, f"record {number}")
        taken = columns_of(part, tuple(columns.chosen.values())) or []
        values = dict(zip(columns.chosen, taken, strict=True))
        yield Block(columns.complete(values, len(part)), number, "record")
        number += len(part)
    if number == 1:
        raise InputError(name, "there is no record in it", "Check that it was written completely.")
    columns.finish()


def _no_object(part: list[Any], number: int, name: str) -> InputError:
    """The error about the first record of a part that is no object; the number is that of the part's first."""
    position = next(at for at, record in enumerate(part) if not isinstance(record, dict))
    where = f"{name}: record {number + position}"
    return InputError(where, f"expected an object, found {kind_of(part[position])}", "Write one object per example.")


def _column_object(document: dict[str, Any], name: str, choose: Chooser) -> Block:
    chosen = choose(list(document))
    columns = {}
    for role, column in chosen.items():
        values = document[column]
        if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
            found = f"expected a list, found {kind_of(values)}"
            raise InputError(f"{name}: column '{column}'", found, "Give one value per example.")
        columns[role] = list(values)
    lengths = {chosen[role]: len(values) for role, values in columns.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"'{column}' {length}" for column, length in lengths.items())
        raise InputError(name, f"columns of different lengths: {shown}", "Give every column one value per example.")
    return Block(columns, 1, "record")
