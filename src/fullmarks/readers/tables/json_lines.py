"""JSON lines as blocks of columns: by typed decode where all is well, line by line where it is not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from fullmarks.errors import InputError
from fullmarks.readers.documents import Pairs, collector_paused, kind_of, parse_json
from fullmarks.readers.repeated_keys import refuse_repeated_keys
from fullmarks.readers.source import Source, check_encoding
from fullmarks.readers.tables.block import Block
from fullmarks.readers.tables.columns import Chooser, Columns

if TYPE_CHECKING:
    from fullmarks.readers.shards import Reading, Shard

_LOOKED_AT = 100
_EXPECTED: dict[str, Any] = {"id": int | str, "prediction": str, "references": list[str]}
_REFUSED = (msgspec.MsgspecError, UnicodeError, RecursionError)


def json_line_blocks(
    blocks: Iterable[bytes], name: str, choose: Chooser, reading: Reading | None = None
) -> Iterator[Block]:
    """The records of blocks of whole lines; an absent value is None. Of a shard, the reading says where it begins."""
    lines = _Lines(choose)
    if reading is None:
        yield from lines.blocks(blocks, name)
        lines.finish(name)
        return
    shard = reading.shard
    lines.begin(shard)
    for block in lines.blocks(blocks, name, offset=shard.start, line=reading.first_line):
        block.lines_before = reading.lines_before
        yield block
    reading.lacking.update(lines.columns.lacking)


def json_line_files(files: Iterable[Source], name: str, choose: Chooser) -> Iterator[Block]:
    """The records of several files as those of one; a file by itself may be empty."""
    lines = _Lines(choose)
    for file in files:
        for block in lines.blocks(file.blocks(), file.name):
            block.file = file.name
            yield block
    lines.finish(name)


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

    def __init__(self, choose: Chooser) -> None:
        self.columns = Columns(choose)
        self._name = ""
        self._records = 0
        self._decoders: _Decoders | None = None

    def begin(self, shard: Shard) -> None:
        """Begin with a shard, and take over the names that the table's first records have, where these are others."""
        self._records = shard.first_record - 1
        if shard.columns:
            self._take(shard.columns, 1)
            self.columns.given(f"{shard.head}: line 1")

    def blocks(self, blocks: Iterable[bytes], name: str, *, offset: int = 0, line: int = 1) -> Iterator[Block]:
        """The records of one file, given as blocks of whole lines; or of a part of it that begins there."""
        self._name = name
        for data in blocks:
            check_encoding(data, name, offset=offset, line=line)
            if data.strip():
                columns, is_typed = self.read(data, line)
                block = Block(columns, line, "line", is_typed, data, self._records + 1)
                if not self.columns.is_given:
                    self.columns.given(f"{name}: {block.place(0)}")
                self._records += block.count
                yield block
            line += data.count(b"\n")
            offset += len(data)

    def finish(self, name: str) -> None:
        """An error if there was no record, or never one with a required column."""
        if not self._records:
            advice = "Check that it was written completely."
            raise InputError(name, "the file is empty, expected one JSON object per line", advice)
        self.columns.finish()

    def read(self, data: bytes, first: int) -> tuple[dict[str, list[Any]], bool]:
        """The columns of one block, and whether ids, predictions and references have the expected types."""
        if self._decoders is None:
            self._take(first_keys(data, first, self._name), first)
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

    def _take(self, names: Sequence[str], line: int) -> None:
        self.columns.take(names, f"line {line} of {self._name}" if self.columns.is_given else f"line {line}")
        self._decoders = _decoders(self.columns)


def first_keys(data: bytes, first: int, name: str) -> list[str]:
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
