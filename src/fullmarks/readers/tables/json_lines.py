"""JSON lines as blocks of columns: by typed decode where all is well, line by line where it is not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec

from fullmarks.errors import InputError
from fullmarks.readers.documents import Pairs, collector_paused, kind_of, parse_json
from fullmarks.readers.repeated_keys import refuse_repeated_keys
from fullmarks.readers.source import check_encoding
from fullmarks.readers.tables.block import Block
from fullmarks.readers.tables.columns import Chooser, Columns

_LOOKED_AT = 100
_EXPECTED: dict[str, Any] = {"id": int | str, "prediction": str, "references": list[str]}
_REFUSED = (msgspec.MsgspecError, UnicodeError, RecursionError)


def json_line_blocks(blocks: Iterable[bytes], name: str, choose: Chooser) -> Iterator[Block]:
    """The records of blocks of whole lines; an absent value is None."""
    lines = _Lines(choose, name)
    offset, line, record = 0, 1, 1
    for data in blocks:
        check_encoding(data, name, offset=offset, line=line)
        if data.strip():
            columns, is_typed = lines.read(data, line)
            block = Block(columns, line, "line", is_typed, data, record)
            if record == 1:
                lines.columns.given(block.place(0))
            yield block
            record += block.count
        line += data.count(b"\n")
        offset += len(data)
    if record == 1:
        advice = "Check that it was written completely."
        raise InputError(name, "the file is empty, expected one JSON object per line", advice)
    lines.columns.finish()


class _Decoders(NamedTuple):
    """Two decoders of a record: one that refuses what is not as expected, one that takes any values."""

    typed: msgspec.json.Decoder[Any]
    untyped: msgspec.json.Decoder[Any]
    fields: dict[str, str]
    """The field of the decoded record that holds each role."""
    watched: dict[str, str]
    """The field that would hold each column that would change what is read."""


class _Lines:
    """Reads blocks of lines, all of them with the columns seen so far."""

    def __init__(self, choose: Chooser, name: str) -> None:
        self.columns = Columns(choose, name)
        self._name = name
        self._decoders: _Decoders | None = None

    def read(self, data: bytes, first: int) -> tuple[dict[str, list[Any]], bool]:
        """The columns of one block, and whether ids, predictions and references have the expected types."""
        if self._decoders is None:
            self._take(_first_keys(data, first, self._name), first)
        with collector_paused():
            while self._decoders is not None:
                decoders = self._decoders
                records = _decoded(decoders.typed, data)
                is_typed = records is not None
                if records is None:
                    records = _decoded(decoders.untyped, data)
                if records is None:
                    break
                late = [] if is_typed else _present(records, decoders.watched)
                if late:
                    self._take(late, first)
                    continue
                refuse_repeated_keys(data, self._name, first_line=first)
                values = {role: list(map(attrgetter(name), records)) for role, name in decoders.fields.items()}
                return self.columns.complete(values, len(records)), is_typed
        return self._slowly(data, first), False

    def _slowly(self, data: bytes, first: int) -> dict[str, list[Any]]:
        """The columns of a block that only Python's own parser reads, or the error with its line."""
        records: list[dict[str, Any]] = []
        for number, line in enumerate(data.split(b"\n"), start=first):
            if line.strip():
                where = f"{self._name}: line {number}"
                record = parse_json(line, where, is_line=True)
                if not isinstance(record, dict):
                    raise InputError(
                        where, f"expected an object, found {kind_of(record)}", "Write one object per line."
                    )
                records.append(record)
        names = set[str]().union(*records)
        while late := [name for name in self.columns.watched if name in names]:
            self._take(late, first)
        values = {role: [record.get(name) for record in records] for role, name in self.columns.chosen.items()}
        return self.columns.complete(values, len(records))

    def _take(self, names: list[str], line: int) -> None:
        self.columns.take(names, f"line {line}")
        self._decoders = _decoders(self.columns)


def _first_keys(data: bytes, first: int, name: str) -> list[str]:
    """The names that the first records use, in their order."""
    filled = ((number, line) for number, line in enumerate(data.split(b"\n"), start=first) if line.strip())
    keys = [_keys(line, f"{name}: line {number}") for number, line in islice(filled, _LOOKED_AT)]
    return list(dict.fromkeys(chain.from_iterable(keys)))


def _keys(line: bytes, where: str) -> list[str]:
    record = parse_json(line, where, pairs=True, is_line=True)
    if not isinstance(record, Pairs):
        raise _no_object(record, where)
    return [key for key, _ in record]


def _no_object(record: Any, where: str) -> InputError:
    return InputError(where, f"expected an object, found {kind_of(record)}", "Write one object per line.")


def _decoders(columns: Columns) -> _Decoders | None:
    """Decoders of the chosen columns; None where a name is none that the decoder can look for."""
    names = {column: f"column_{at}" for at, column in enumerate(dict.fromkeys(columns.chosen.values()))}
    watched = {column: f"watched_{at}" for at, column in enumerate(columns.watched)}
    watched = {column: name for column, name in watched.items() if column not in names}
    expected = {columns.chosen[role]: kind for role, kind in _EXPECTED.items() if role in columns.chosen}
    typed: list[Any] = [
        (name, expected[column]) if column in expected else (name, Any, None) for column, name in names.items()
    ]
    untyped: list[Any] = [(name, Any, None) for name in names.values()]
    typed += [(name, msgspec.UnsetType, msgspec.UNSET) for name in watched.values()]
    untyped += [(name, Any, msgspec.UNSET) for name in watched.values()]
    renamed = {name: column for column, name in (names | watched).items()}
    try:
        made = [
            msgspec.json.Decoder(msgspec.defstruct("Record", fields, rename=renamed, gc=False, kw_only=True))
            for fields in (typed, untyped)
        ]
    except ValueError:  # a name that a decoder cannot have: with a lone surrogate, a quote, a control character
        return None
    return _Decoders(made[0], made[1], {role: names[column] for role, column in columns.chosen.items()}, watched)


def _decoded(decoder: msgspec.json.Decoder[Any], data: bytes) -> list[Any] | None:
    try:
        return decoder.decode_lines(data)
    except _REFUSED:
        return None


def _present(records: list[Any], watched: dict[str, str]) -> list[str]:
    """The watched columns that some record has."""
    unset = msgspec.UNSET
    return [
        column
        for column, name in watched.items()
        if any(value is not unset for value in map(attrgetter(name), records))
    ]
