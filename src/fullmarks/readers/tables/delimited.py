"""Tables with delimiters (CSV, TSV) as blocks of columns, every cell a text.

The name says the delimiter. Only where that leaves the header in one piece is it told from the header: semicolons or
tabs, if one of the two parts it. The cells stay as they are, decimal commas too.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from fullmarks.errors import InputError
from fullmarks.readers.limits import Gauge, current_limits, too_long_record
from fullmarks.readers.source import Source, check_beginning
from fullmarks.readers.tables.block import Block
from fullmarks.readers.tables.columns import Chooser

_RECORDS = 1 << 14
_BLOCK_BYTES = 16 << 20
"""How much of a table makes a block at most: a few very long records are one."""
_READ_AT_ONCE = 1 << 16
_CALLED = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_TOLD = {",": (";", "\t"), "\t": ()}
"""The delimiters that the header may tell in the place of the one that the name says."""
_LARGEST_FIELD = (1 << 31) - 1
_ADVICE = "Quote cells that hold the delimiter, quotes or line breaks."


def delimited_blocks(source: Source, choose: Chooser, delimiter: str) -> Iterator[Block]:
    """The chosen columns a block at a time."""
    longest = current_limits().record
    csv.field_size_limit(min(longest, _LARGEST_FIELD))
    with source.stream() as stream:
        gauge = Gauge(stream, source.name) if _is_binary(stream) else None
        text: Any = stream if gauge is None else _decoded_text(gauge)
        reader = _Reader(text, delimiter, source.name)
        try:
            positions, width = _header(reader.header(), source.name, choose)
            filled = filter(None, reader.records)
            number = 1
            before = 0 if source.reading is None else source.reading.shard.first_record - 1
            while records := _some_records(filled, gauge):
                _check_widths(records, width, number, source.name)
                yield Block(_pick_cells(records, positions), number, "record", number=before + number)
                number += len(records)
        except csv.Error as error:
            if "field limit" in str(error):
                raise too_long_record(f"{source.name}: line {reader.line_num}", longest) from None
            raise InputError(f"{source.name}: line {reader.line_num}", f"not a valid table: {error}", _ADVICE) from None
        except UnicodeDecodeError as error:
            check_beginning(error.object, source.name)
            found = f"byte 0x{error.object[error.start]:02x} in or after line {reader.line_num + 1} is not UTF-8"
            raise InputError(source.name, found, "Save the file as UTF-8.") from None
        finally:
            if text is not stream:
                text.detach()


class _Reader:
    """The records of a text, with the delimiter that its header tells; `line_num` is the last line that was read."""

    def __init__(self, text: Iterable[str], delimiter: str, name: str) -> None:
        self._text = text
        self._delimiter = delimiter
        self._name = name
        self._before = 0
        self._reader = csv.reader(text, delimiter=delimiter, strict=True)

    def header(self) -> list[str]:
        """The cells of the first line that is not empty; none at the end of the text."""
        lines: list[str] = []
        found = next(filter(None, csv.reader(_kept(self._text, lines), delimiter=self._delimiter)), [])
        self._before = len(lines)
        if len(found) == 1:
            self._delimiter = self._told(lines)
        self._reader = csv.reader(self._text, delimiter=self._delimiter, strict=True)
        return next(filter(None, csv.reader(lines, delimiter=self._delimiter, strict=True)), [])

    def _told(self, lines: list[str]) -> str:
        """The delimiter of a header that the usual one leaves in one piece; an error if that is not to be told."""
        found = [other for other in _CALLED if len(next(filter(None, csv.reader(lines, delimiter=other)), [])) > 1]
        if not found:
            return self._delimiter
        if len(found) == 1 and found[0] in _TOLD[self._delimiter]:
            return found[0]
        called = " or ".join(_CALLED[other] for other in found)
        problem = f"the cells seem to be separated by {called}, expected {_CALLED[self._delimiter]}"
        advice = (
            "Name the file .csv." if found == [","] else f"Save it with {_CALLED[self._delimiter]} between the cells."
        )
        raise InputError(f"{self._name}: line 1", problem, advice)

    @property
    def line_num(self) -> int:
        """How many lines were read."""
        return self._before + self._reader.line_num

    @property
    def records(self) -> Iterator[list[str]]:
        """What comes after the header."""
        return self._reader


def _kept(lines: Iterable[str], kept: list[str]) -> Iterator[str]:
    for line in lines:
        kept.append(line)
        yield line


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
            raise InputError(f"{name}: record {number}", found, _ADVICE)


def _pick_cells(records: list[list[str]], positions: dict[str, int]) -> dict[str, list[Any]]:
    return {role: [record[position] for record in records] for role, position in positions.items()}
