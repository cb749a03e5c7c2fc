"""Tables of any kind (JSON lines, CSV, TSV, Parquet, lists of objects) as blocks of columns.

A block holds a bounded number of records, so memory does not grow with the table.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from operator import attrgetter
from typing import Any

import msgspec

from fullmarks.errors import InputError
from fullmarks.optional import require
from fullmarks.readers.documents import Pairs, collector_paused, kind_of, parse_json
from fullmarks.readers.source import JSON_LINES, Source, check_beginning, check_encoding
from fullmarks.types import NO_ANSWER

Chooser = Callable[[list[str]], dict[str, str]]
"""Given the names of a table's columns, which of them to read: role -> column name."""

DELIMITERS = {".csv": ",", ".tsv": "\t"}
ENDINGS = (*JSON_LINES, *DELIMITERS, ".parquet")
_RECORDS = 1 << 14
_LOOKED_AT = 100
_CSV_ADVICE = "Quote cells that hold the delimiter, quotes or line breaks."
_CHECKED_ROLES = frozenset(("id", "prediction", "references", NO_ANSWER))
"""The columns whose values have to be of a certain kind; whoever checks them says what was found."""
_EXPECTED: dict[str, Any] = {"id": int | str, "prediction": str, "references": list[str]}

Decoder = msgspec.json.Decoder[Any]


class Block(msgspec.Struct):
    """Some records as columns by role, the first one standing at line or record `first` of its file."""

    columns: dict[str, list[Any]]
    first: int
    unit: str
    is_typed: bool = False
    """Whether ids, predictions and references are already known to be of the right types."""

    text: bytes = b""
    """The lines that JSON records came from, among which there may be blank ones."""

    def place(self, position: int) -> str:
        """Where the record at a position stands, for a message."""
        if not self.text:
            return f"{self.unit} {self.first + position}"
        filled = (number for number, line in enumerate(self.text.split(b"\n"), start=self.first) if line.strip())
        return f"{self.unit} {next(islice(filled, position, None))}"


def is_table(source: Source) -> bool:
    """Whether the file name says that this is a table."""
    return source.ending in ENDINGS


def is_unnamed_lines(source: Source) -> bool:
    """Whether a source without a file name holds several JSON objects, one a line."""
    if source.is_object or source.path is not None:
        return False
    first, _, rest = source.read().lstrip().partition(b"\n")
    if not first.startswith(b"{") or not rest.strip():
        return False
    try:
        msgspec.json.decode(first)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return True


def read_blocks(source: Source, choose: Chooser) -> Iterator[Block]:
    """The table's records in order, the chosen columns only; an absent value is None.

    So is NaN in a column to slice or cluster by, which would be a value of its own in every record.
    """
    for block in _blocks(source, choose):
        for role in block.columns.keys() - _CHECKED_ROLES:
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
        return _objects(source.object, source.name, choose)
    if source.is_json_lines:
        return _json_lines(source.blocks(), source.name, choose)
    if source.ending in DELIMITERS:
        return _delimited(source, choose, DELIMITERS[source.ending])
    if source.ending == ".parquet":
        return _parquet(source, choose)
    return _unnamed(source, choose)


def _unnamed(source: Source, choose: Chooser) -> Iterator[Block]:
    """A stream or file whose name says nothing: a JSON document or JSON lines."""
    blocks = source.blocks()
    first = next(blocks, b"")
    if first.lstrip().startswith(b"{"):
        yield from _json_lines(chain([first], blocks), source.name, choose)
        return
    data = check_encoding(b"".join([first, *blocks]), source.name)
    yield from _objects(parse_json(data, source.name), source.name, choose)


def _json_lines(blocks: Iterable[bytes], name: str, choose: Chooser) -> Iterator[Block]:
    decoders: tuple[Decoder, ...] = ()
    chosen: dict[str, str] = {}
    offset, line = 0, 1
    for data in blocks:
        check_encoding(data, name, offset=offset, line=line)
        if not decoders and data.strip():
            chosen = choose(_first_keys(data, line, name))
            decoders = (_record_decoder(chosen, _EXPECTED), _record_decoder(chosen, {}))
        if decoders:
            records, is_typed = _decode_lines(decoders, data, line, name)
            columns = {role: list(map(attrgetter(role), records)) for role in chosen}
            yield Block(columns, line, "line", is_typed, data)
        line += data.count(b"\n")
        offset += len(data)
    if not decoders:
        advice = "Check that it was written completely."
        raise InputError(name, "the file is empty, expected one JSON object per line", advice)


def _first_keys(data: bytes, first: int, name: str) -> list[str]:
    """The names that the first records use, for not every record need have every optional field."""
    filled = ((number, line) for number, line in enumerate(data.split(b"\n"), start=first) if line.strip())
    keys = [_keys(line, f"{name}: line {number}") for number, line in islice(filled, _LOOKED_AT)]
    return list(dict.fromkeys(chain.from_iterable(keys)))


def _keys(line: bytes, where: str) -> list[str]:
    record = parse_json(line, where, pairs=True, is_line=True)
    if not isinstance(record, Pairs):
        raise InputError(where, f"expected an object, found {kind_of(record)}", "Write one object per line.")
    return [key for key, _ in record]


def _record_decoder(chosen: dict[str, str], expected: dict[str, Any]) -> Decoder:
    fields: list[Any] = [(role, expected[role]) if role in expected else (role, Any, None) for role in chosen]
    record = msgspec.defstruct("Record", fields, rename=chosen, gc=False, kw_only=True)
    return msgspec.json.Decoder(record)


def _decode_lines(decoders: tuple[Decoder, ...], data: bytes, first: int, name: str) -> tuple[list[Any], bool]:
    """The records, and whether they have the expected types: tried first, because then nothing needs checking."""
    with collector_paused():
        for decoder, is_typed in zip(decoders, (True, False), strict=True):
            try:
                return decoder.decode_lines(data), is_typed
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                continue
    records = []
    for number, line in enumerate(data.split(b"\n"), start=first):
        if line.strip():
            record = parse_json(line, f"{name}: line {number}", is_line=True)
            if not isinstance(record, dict):
                found = f"expected an object, found {kind_of(record)}"
                raise InputError(f"{name}: line {number}", found, "Write one object per line.")
            records.append(msgspec.convert(record, decoders[-1].type))
    return records, False


def _delimited(source: Source, choose: Chooser, delimiter: str) -> Iterator[Block]:
    import csv

    csv.field_size_limit(1 << 30)
    with source.stream() as stream:
        text: Any = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="") if _is_binary(stream) else stream
        reader = csv.reader(text, delimiter=delimiter, strict=True)
        filled = filter(None, reader)
        try:
            positions, width = _header(next(filled, []), source.name, choose)
            number = 1
            while records := list(islice(filled, _RECORDS)):
                _check_widths(records, width, number, source.name)
                yield Block(_pick_cells(records, positions), number, "record")
                number += len(records)
        except csv.Error as error:
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


def _header(header: list[str], name: str, choose: Chooser) -> tuple[dict[str, int], int]:
    """The position of every chosen column, and how many there are in all."""
    if not header:
        advice = "Check that it was written completely."
        raise InputError(name, "the file is empty, expected a header line with column names", advice)
    chosen = choose(header)
    for column in chosen.values():
        if header.count(column) > 1:
            raise InputError(name, f"the header names the column '{column}' twice", "Rename one of them.")
    return {role: header.index(column) for role, column in chosen.items()}, len(header)


def _is_binary(stream: Any) -> bool:
    return not isinstance(stream, io.TextIOBase)


def _check_widths(records: list[list[str]], width: int, first: int, name: str) -> None:
    for number, record in enumerate(records, start=first):
        if len(record) != width:
            found = f"{len(record)} cells where the header has {width}"
            raise InputError(f"{name}: record {number}", found, _CSV_ADVICE)


def _pick_cells(records: list[list[str]], positions: dict[str, int]) -> dict[str, list[Any]]:
    return {role: [record[position] for record in records] for role, position in positions.items()}


def _parquet(source: Source, choose: Chooser) -> Iterator[Block]:
    parquet = require("pyarrow.parquet", needed_by="Reading Parquet", extra="parquet")
    arrow = require("pyarrow", needed_by="Reading Parquet", extra="parquet")
    with source.stream() as stream:
        try:
            table = parquet.ParquetFile(stream if stream.seekable() else io.BytesIO(stream.read()))
            chosen = choose(table.schema_arrow.names)
            number = 1
            for batch in table.iter_batches(batch_size=_RECORDS, columns=list(dict.fromkeys(chosen.values()))):
                columns = {role: batch.column(column).to_pylist() for role, column in chosen.items()}
                yield Block(columns, number, "record")
                number += batch.num_rows
        except arrow.ArrowException as error:
            raise InputError(source.name, f"not a readable Parquet file ({error})", "Write it anew.") from None


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
    chosen: dict[str, str] | None = None
    while part := list(islice(records, _RECORDS)):
        for position, record in enumerate(part):
            if not isinstance(record, dict):
                found = f"expected an object, found {kind_of(record)}"
                raise InputError(f"{name}: record {number + position}", found, "Write one object per example.")
        if chosen is None:
            chosen = choose(list(dict.fromkeys(chain.from_iterable(part))))
        columns = {role: [record.get(column) for record in part] for role, column in chosen.items()}
        yield Block(columns, number, "record")
        number += len(part)
    if chosen is None:
        raise InputError(name, "there is no record in it", "Check that it was written completely.")


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
