"""Tables of any kind (JSON lines, CSV, TSV, Parquet, data frames, lists of objects) as blocks of columns.

A block holds a bounded number of records, so memory does not grow with the table.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

from fullmarks.errors import InputError
from fullmarks.readers.documents import kind_of, looks_like_lines, parse_json
from fullmarks.readers.limits import Gauge, current_limits, join_blocks, too_long_record
from fullmarks.readers.objects import columns_of, field_names
from fullmarks.readers.saved_run import refuse_saved_head
from fullmarks.readers.source import JSON_LINES, Source, check_beginning, check_encoding
from fullmarks.readers.tables.block import Block
from fullmarks.readers.tables.columns import Chooser, Columns
from fullmarks.readers.tables.json_lines import json_line_blocks

DELIMITERS = {".csv": ",", ".tsv": "\t"}
ENDINGS = (*JSON_LINES, *DELIMITERS, ".parquet")
_RECORDS = 1 << 14
_BLOCK_BYTES = 16 << 20
"""How much of a table with delimiters makes a block at most: a few very long records are one."""
_READ_AT_ONCE = 1 << 16
_OTHER_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_LARGEST_FIELD = (1 << 31) - 1
_CSV_ADVICE = "Quote cells that hold the delimiter, quotes or line breaks."


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
    if source.ending == ".parquet":
        return _of_arrow(source, choose)
    if source.ending in DELIMITERS:
        return _delimited(source, choose, DELIMITERS[source.ending])
    return _unnamed(source, choose)


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


def _delimited(source: Source, choose: Chooser, delimiter: str) -> Iterator[Block]:
    import csv

    longest = current_limits().record
    csv.field_size_limit(min(longest, _LARGEST_FIELD))
    with source.stream() as stream:
        gauge = Gauge(stream, source.name) if _is_binary(stream) else None
        text: Any = stream if gauge is None else _decoded_text(gauge)
        reader = csv.reader(text, delimiter=delimiter, strict=True)
        filled = filter(None, reader)
        try:
            positions, width = _header(next(filled, []), source.name, choose, delimiter)
            number = 1
            before = 0 if source.reading is None else source.reading.shard.first_record - 1
            while records := _some_records(filled, gauge):
                _check_widths(records, width, number, source.name)
                yield Block(_pick_cells(records, positions), number, "record", number=before + number)
                number += len(records)
        except csv.Error as error:
            if "field limit" in str(error):
                raise too_long_record(f"{source.name}: line {reader.line_num}", longest) from None
            raise InputError(
                f"{source.name}: line {reader.line_num}", f"not a valid table: {error}", _CSV_ADVICE
            ) from None
        except UnicodeDecodeError as error:
            check_beginning(error.object, source.name)
            found = f"byte 0x{error.object[error.start]:02x} in or after line {reader.line_num + 1} is not UTF-8"
            raise InputError(source.name, found, "Save the file as UTF-8.") from None
        finally:
            if text is not stream:
                text.detach()


def _decoded_text(gauge: Gauge) -> io.TextIOWrapper:
    gauge.finished = 0
    return io.TextIOWrapper(io.BufferedReader(gauge, _READ_AT_ONCE), encoding="utf-8-sig", newline="")


def _some_records(filled: Iterator[list[str]], gauge: Gauge | None) -> list[list[str]]:
    """The next records, as many as make a block; none at the end."""
    if gauge is None:
        return list(islice(filled, _RECORDS))
    records: list[list[str]] = []
    enough = gauge.taken + _BLOCK_BYTES
    for record in filled:
        records.append(record)
        gauge.finished = gauge.taken
        if len(records) == _RECORDS or gauge.taken > enough:
            break
    return records


def _header(header: list[str], name: str, choose: Chooser, delimiter: str) -> tuple[dict[str, int], int]:
    """The position of every chosen column, and how many there are in all."""
    if not header:
        advice = "Check that it was written completely."
        raise InputError(name, "the file is empty, expected a header line with column names", advice)
    _check_delimiter(header, name, delimiter)
    chosen = choose(header)
    for column in chosen.values():
        if header.count(column) > 1:
            raise InputError(name, f"the header names the column '{column}' twice", "Rename one of them.")
    return {role: header.index(column) for role, column in chosen.items()}, len(header)


def _check_delimiter(header: list[str], name: str, delimiter: str) -> None:
    """An error if the only column of a header is several ones with another delimiter between them."""
    if len(header) != 1:
        return
    for other, called in _OTHER_DELIMITERS.items():
        if other != delimiter and header[0].count(other) > 0:
            found = f"the cells seem to be separated by {called}, expected {_OTHER_DELIMITERS[delimiter]}"
            advice = "Name the file .tsv." if other == "\t" else "Name the file .csv." if other == "," else ""
            advice = advice or f"Save it with {_OTHER_DELIMITERS[delimiter]} between the cells."
            raise InputError(f"{name}: line 1", found, advice)


def _is_binary(stream: Any) -> bool:
    return not isinstance(stream, io.TextIOBase)


def _check_widths(records: list[list[str]], width: int, first: int, name: str) -> None:
    for number, record in enumerate(records, start=first):
        if len(record) != width:
            found = f"{len(record)} cells where the header has {width}"
            raise InputError(f"{name}: record {number}", found, _CSV_ADVICE)


def _pick_cells(records: list[list[str]], positions: dict[str, int]) -> dict[str, list[Any]]:
    return {role: [record[position] for record in records] for role, position in positions.items()}


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
