"""Which files are logs of other tools, and their samples as they are read, those of large files in a stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from fullmarks.errors import InputError
from fullmarks.readers.documents import collector_paused, may_be_log, parse_json
from fullmarks.readers.logs.inspect_log import INSPECT, archive_header, archive_samples
from fullmarks.readers.logs.log import Log, format_of, format_of_rows, log_of_document
from fullmarks.readers.logs.sample import Given, LogFormat
from fullmarks.readers.records import read_values
from fullmarks.readers.repeated_keys import refuse_repeated_keys
from fullmarks.readers.source import ARCHIVE_ENDING, BYTE_ORDER_MARK, Source, check_encoding
from fullmarks.readers.tables.columns import Chooser
from fullmarks.readers.tables.table import is_table, read_blocks


def log_of(source: Source) -> Log | None:
    """The log that a source is, told from its shape; None where it is none, or can be read only once."""
    if not may_be_log(source):
        return None
    if source.is_object:
        return log_of_document(source.object, source.name)
    if source.is_many and not is_table(source):
        return None
    if source.ending == ARCHIVE_ENDING:
        return _log_of_archive(source)
    if is_table(source):
        form = _format_of_table(source)
        return None if form is None else _log_of_table(source, form)
    return None if source.is_many else log_of_document(read_values(source), source.name, source)


def _log_of_archive(source: Source) -> Log:
    header = archive_header(source)
    form = INSPECT[0]
    about = form.about(Given(source.name, header, header.pop("samples", ()), source))
    return Log(form, source.name, lambda: archive_samples(source, header), about, header.get(form.status))


def _log_of_table(source: Source, form: LogFormat) -> Log:
    name = "" if source.is_many else source.name  # several files need not be of one task
    about = form.about(Given(name, source=source))
    return Log(form, source.name, lambda: rows_of_table(source), about)


def _format_of_table(source: Source) -> LogFormat | None:
    """The format, told from the first line of JSON lines or from the names of columns."""
    if source.is_json_lines:
        return _format_of_lines(source)
    seen: list[str] = []
    try:
        for _ in read_blocks(source, Chooser(lambda names: _noted(names, seen), ())):
            break
    except _SeenError:
        return format_of_rows(seen)
    return None


class _SeenError(Exception):
    """The columns of a table are known: the rest of it need not be read."""


def _noted(names: list[str], seen: list[str]) -> dict[str, str]:
    seen += names
    raise _SeenError


def _format_of_lines(source: Source) -> LogFormat | None:
    with (source.parts()[0] if source.is_many else source).glance() as stream:
        line = next((text for text in stream if text.strip()), b"")
    try:
        first = parse_json(line.removeprefix(BYTE_ORDER_MARK), source.name)
    except InputError:  # the reader of tables will say what is wrong with it
        return None
    return format_of([first])


def rows_of_table(source: Source) -> Iterator[Any]:
    """The records of a table as they are, all columns of them."""
    if source.is_json_lines:
        yield from _lines(source)
        return
    for block in read_blocks(source, Chooser(lambda names: {name: name for name in names}, ())):
        names = list(block.columns)
        for cells in zip(*block.columns.values(), strict=True):
            yield dict(zip(names, cells, strict=True))


def _lines(source: Source) -> Iterator[Any]:
    """The values of JSON lines, block by block; a line that is none is an error that names it."""
    for part in source.parts() if source.is_many else [source]:
        line, offset = 1, 0
        for data in part.blocks():
            yield from _values(check_encoding(data, part.name, offset=offset, line=line), part.name, line)
            line, offset = line + data.count(b"\n"), offset + len(data)


def _values(data: bytes, name: str, line: int) -> Iterable[Any]:
    with collector_paused():
        try:
            values = msgspec.json.Decoder().decode_lines(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            values = None
    lines = data.split(b"\n")
    if values is None or len(values) != sum(1 for text in lines if text.strip()):
        numbered = enumerate(lines, start=line)
        return [parse_json(text, f"{name}: line {at}", is_line=True) for at, text in numbered if text.strip()]
    refuse_repeated_keys(data, name, first_line=line)
    return values
