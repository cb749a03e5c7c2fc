"""One record per example as a file: JSON lines, CSV, TSV or Parquet, by the ending of its name.

Records are written as they come, so memory does not grow; the file appears only when all of them are in it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any, BinaryIO

from fullmarks.atomic_file import COMPRESSIONS, written_whole
from fullmarks.checks import shown_path
from fullmarks.errors import UsageError
from fullmarks.optional import require
from fullmarks.report.delimited import delimited

Record = dict[str, Any]
Write = Callable[[Sequence[Record]], None]

DELIMITERS = {".csv": ",", ".tsv": "\t"}
JSON_LINES = (".jsonl", ".ndjson")


@contextmanager
def record_file(path: str | os.PathLike[str], *, spreadsheet: bool = False) -> Iterator[Write]:
    """A function that writes records to the file; the first ones decide the columns of CSV and Parquet.

    With `spreadsheet` no text of CSV or TSV begins like a formula.
    """
    ending = _ending(path)
    with written_whole(path) as stream:
        if ending in JSON_LINES:
            yield lambda records: _write_json_lines(stream, records)
        elif ending == ".parquet":
            with _parquet(stream, path) as write:
                yield write
        else:
            yield _DelimitedWriter(stream, DELIMITERS[ending], spreadsheet).write


def check_record_path(path: str | os.PathLike[str]) -> None:
    """Complain about a file name that does not say its format, before any work is done."""
    if _ending(path) == ".parquet":
        require("pyarrow.parquet", needed_by="Writing Parquet", extra="parquet")


def is_delimited(path: str | os.PathLike[str]) -> bool:
    """Whether the name says that records are written as cells between delimiters."""
    return _ending(path) in DELIMITERS


def _ending(path: str | os.PathLike[str]) -> str:
    """What the name says of the format, without the ending of a compression."""
    suffixes = [suffix.lower() for suffix in PurePath(shown_path(path)).suffixes]
    compression = suffixes.pop() if suffixes and suffixes[-1] in COMPRESSIONS else ""
    ending = suffixes[-1] if suffixes else ""
    known = (*JSON_LINES, *DELIMITERS, ".parquet")
    if ending not in known or (compression and ending == ".parquet"):
        raise UsageError(
            f"{shown_path(path)}: the name must end in {', '.join(known)} (all but .parquet also with .gz or .zst), "
            "for it says the format. Rename it, as in scores.jsonl"
        )
    return ending


def _write_json_lines(stream: BinaryIO, records: Sequence[Record]) -> None:
    from fullmarks.analysis.compact_json import compact_json

    stream.write(b"".join(compact_json(record) + b"\n" for record in records))


class _DelimitedWriter:
    """CSV or TSV; lists stand in their cells as JSON."""

    def __init__(self, stream: BinaryIO, delimiter: str, spreadsheet: bool) -> None:
        self._stream = stream
        self._delimiter = delimiter
        self._spreadsheet = spreadsheet
        self._names: list[str] = []

    def write(self, records: Sequence[Record]) -> None:
        """Append the records, after a header before the first ones."""
        rows: list[list[Any]] = []
        if not self._names and len(records):
            self._names = list(records[0])
            rows.append(self._names)
        rows.extend([_cell(record.get(name)) for name in self._names] for record in records)
        self._stream.write(delimited(rows, self._delimiter, spreadsheet=self._spreadsheet).encode())


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict)) else value


@contextmanager
def _parquet(stream: BinaryIO, path: str | os.PathLike[str]) -> Iterator[Write]:
    arrow = require("pyarrow", needed_by="Writing Parquet", extra="parquet")
    parquet = require("pyarrow.parquet", needed_by="Writing Parquet", extra="parquet")
    writer: Any = None

    def write(records: Sequence[Record]) -> None:
        nonlocal writer
        rows = [_valid_unicode(record) for record in records]
        try:
            if writer is None:
                writer = parquet.ParquetWriter(stream, _schema(arrow, rows))
            writer.write_table(arrow.Table.from_pylist(rows, schema=writer.schema))
        except (arrow.ArrowInvalid, arrow.ArrowTypeError) as error:
            raise UsageError(
                f"{shown_path(path)}: the values of a column are not all of one kind ({error}). Write .jsonl instead"
            ) from None

    try:
        yield write
    finally:
        if writer is not None:
            writer.close()


def _schema(arrow: Any, rows: Sequence[Record]) -> Any:
    """The first records' types, with strings where they hold no value to tell one by."""
    fields = []
    for field in arrow.Table.from_pylist(list(rows)).schema:
        kind = field.type
        if arrow.types.is_null(kind):
            kind = arrow.string()
        elif arrow.types.is_list(kind) and arrow.types.is_null(kind.value_type):
            kind = arrow.list_(arrow.string())
        fields.append(arrow.field(field.name, kind))
    return arrow.schema(fields)


def _valid_unicode(record: Record) -> Record:
    return {name: _encodable(value) for name, value in record.items()}


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    return [_encodable(item) for item in value] if isinstance(value, list) else value
