"""Sheets of Excel workbooks (.xlsx) as blocks of columns, every cell the text that CSV would have.

Read by openpyxl, row by row: it tells the error of a formula from a text, and whole numbers from others. Before it
sees anything, every part of the workbook is decompressed once and counted (`readers.archive`).
"""

from __future__ import annotations

import datetime
import io
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from fullmarks.errors import InputError
from fullmarks.optional import require
from fullmarks.readers.archive import Archive
from fullmarks.readers.limits import read_whole
from fullmarks.readers.source import Source, check_beginning
from fullmarks.readers.tables.block import Block
from fullmarks.readers.tables.columns import Chooser

_RECORDS = 1 << 12
_ZIP = b"PK"
_DOCTYPE = b"<!DOCTYPE"
_UNCOMPUTED = re.compile(rb'<c r="([A-Z]+[0-9]+)"[^>]*><f(?:>[^<]*</f>|[^>]*/>)(?:<v></v>|<v/>)?</c>')
_LARGEST_WHOLE = 10**15
"""From here on a double does not tell every whole number from the next."""


def workbook_blocks(source: Source, choose: Chooser) -> Iterator[Block]:
    """The chosen columns of the first sheet, or of the one that the source names, a block at a time."""
    openpyxl = require("openpyxl", needed_by="Reading Excel workbooks", extra="xlsx")
    with source.stream() as stream:
        data = read_whole(stream, source.name)
    if data[:2] != _ZIP:
        check_beginning(data, source.name)
        raise InputError(source.name, "this is no Excel workbook, though its name says so", "Check the file.")
    parts = _checked_parts(data, source.name)
    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        sheet = _sheet(book, source)
        sheet.reset_dimensions()
        path = str(getattr(sheet, "_worksheet_path", "")).lstrip("/")
        rows = _Rows(sheet, f"{source.name}: sheet '{sheet.title}'", _uncomputed(parts.get(path, b"")))
        yield from _blocks(rows, choose)
    except (KeyError, ValueError, TypeError, AttributeError, SyntaxError, IndexError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(source.name, f"not a readable workbook ({reason})", "Save it anew as .xlsx.") from None


def _checked_parts(data: bytes, name: str) -> dict[str, bytes]:
    """The sheets by their places in the workbook; of all its parts the sizes, and that they define no entities."""
    archive = Archive(io.BytesIO(data), name)
    if "[Content_Types].xml" not in archive.names:
        raise InputError(name, "this ZIP archive is no Excel workbook", "Check the file.")
    sheets = {}
    for part in archive.names:
        content = archive.read(part)
        if part.endswith((".xml", ".rels")) and _DOCTYPE in content:
            raise InputError(f"{name}: part '{part}'", "it defines entities, as no workbook does", "Save it anew.")
        if part.startswith("xl/worksheets/"):
            sheets[part] = content if b"<f" in content else b""
    return sheets


def _uncomputed(sheet: bytes) -> frozenset[str]:
    """The cells with a formula that no program has computed yet."""
    return frozenset(found.decode() for found in _UNCOMPUTED.findall(sheet))


def _sheet(book: Any, source: Source) -> Any:
    names = [sheet.title for sheet in book.worksheets]
    if not names:
        raise InputError(source.name, "there is no sheet with cells in this workbook", "Check the file.")
    if source.sheet is None:
        return book.worksheets[0]
    if source.sheet not in names:
        known = ", ".join(f"'{name}'" for name in names)
        raise InputError(
            source.name, f"there is no sheet '{source.sheet}'; its sheets are {known}", "Name one of them."
        )
    return book[source.sheet]


class _Rows:
    """The rows of a sheet that hold anything, the first being the header."""

    def __init__(self, sheet: Any, where: str, uncomputed: frozenset[str]) -> None:
        self.where = where
        self._uncomputed = uncomputed
        self._rows = (row for row in sheet.iter_rows() if any(cell.value is not None for cell in row))

    def header(self) -> list[str]:
        """The names of the columns, without those that are empty at its end."""
        names = [self.text(cell) for cell in next(self._rows, ())]
        while names and not names[-1]:
            names.pop()
        return names

    def some(self) -> list[Any]:
        """The next rows; none at the end."""
        return list(islice(self._rows, _RECORDS))

    def text(self, cell: Any) -> str:
        """What CSV would have for a cell; a formula without a value is an error, and so is one that failed."""
        value = cell.value
        if value is None:
            if self._uncomputed and cell.data_type is not None and getattr(cell, "coordinate", "") in self._uncomputed:
                found = "this formula was never computed"
                advice = "Open the workbook in a spreadsheet program and save it."
                raise InputError(f"{self.where}: cell {cell.coordinate}", found, advice)
            return ""
        if cell.data_type == "e":
            found = f"the cell holds the error {value}"
            raise InputError(f"{self.where}: cell {cell.coordinate}", found, "Mend its formula, or write a value.")
        return text_of(value)


def _blocks(rows: _Rows, choose: Chooser) -> Iterator[Block]:
    header = rows.header()
    if not header:
        raise InputError(rows.where, "it is empty, expected a row with column names", "Check that it is the right one.")
    chosen = choose(header)
    for column in chosen.values():
        if header.count(column) > 1:
            raise InputError(rows.where, f"the header names the column '{column}' twice", "Rename one of them.")
    places = {role: header.index(column) for role, column in chosen.items()}
    number = 1
    while part := rows.some():
        _check_widths(part, len(header), rows)
        columns = {role: [rows.text(row[at]) if at < len(row) else "" for row in part] for role, at in places.items()}
        yield Block(columns, number, "record")
        number += len(part)


def _check_widths(part: list[Any], width: int, rows: _Rows) -> None:
    for row in part:
        beyond = next((cell for cell in row[width:] if cell.value is not None), None)
        if beyond is not None:
            advice = "Name its column in the first row, or empty the cell."
            raise InputError(f"{rows.where}: cell {beyond.coordinate}", "the header has no name for its column", advice)


def text_of(value: Any) -> str:
    """A value as CSV has it: whole numbers without a point, dates as 2024-03-01, TRUE and FALSE."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_WHOLE:
        return str(int(value))
    if isinstance(value, datetime.datetime):
        return str(value.date()) if value.time() == datetime.time() else value.isoformat(" ")
    return repr(value) if isinstance(value, float) else str(value)
