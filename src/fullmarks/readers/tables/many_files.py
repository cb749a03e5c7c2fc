"""Tables of several files: read one after the other as one table, each with columns by name.

Records are numbered over all files; an error names the file and the place in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from fullmarks.errors import InputError
from fullmarks.readers.source import Source
from fullmarks.readers.tables.block import Block
from fullmarks.readers.tables.columns import Chooser
from fullmarks.readers.tables.json_lines import json_line_files

Read = Callable[[Source, Chooser], Iterator[Block]]


def blocks_of_files(source: Source, choose: Chooser, read: Read) -> Iterator[Block]:
    """The records of all files of a folder or pattern, in the order of the files' names."""
    if source.is_json_lines:
        yield from json_line_files(source.parts(), source.name, choose)
        return
    columns = _SameColumns(choose)
    number = 1
    for file in source.parts():
        for block in read(file, columns.of(file.name)):
            block.file = file.name
            block.number = number
            number += block.count
            yield block


def blocks_of_part(source: Source, choose: Chooser, read: Read) -> Iterator[Block]:
    """The records of a shard of one of the files, which is named as the whole table."""
    file = Source(source.path, source.role)
    file.reading = source.reading
    for block in read(file, choose if file.is_json_lines else _SameColumns(choose).of(file.name)):
        block.file = file.name
        yield block


class _SameColumns:
    """What every record needs if one has it is in every file or in none."""

    def __init__(self, choose: Chooser) -> None:
        self._choose = choose
        self._first: tuple[str, frozenset[str]] | None = None

    def of(self, file: str) -> Chooser:
        """The chooser for one file, whose errors name it."""

        def choose(available: list[str]) -> dict[str, str]:
            try:
                chosen = self._choose(available)
            except InputError as error:
                raise type(error)(file, error.problem, error.advice) from None
            self._check(file, frozenset(chosen) & self._choose.from_first)
            return chosen

        return replace(self._choose, choose=choose)

    def _check(self, file: str, roles: frozenset[str]) -> None:
        if self._first is None:
            self._first = (file, roles)
        before, known = self._first
        for role in sorted(roles ^ known):
            lacking, other = (file, before) if role in known else (before, file)
            found = f"there is no '{role}' here, though {other} has one"
            raise InputError(lacking, found, "Write it in every file, or in none.")
