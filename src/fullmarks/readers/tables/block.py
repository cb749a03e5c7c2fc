"""A bounded number of a table's records as columns."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import msgspec


class Block(msgspec.Struct):
    """Some records as columns by role, the first one standing at line or record `first` of its file."""

    columns: dict[str, list[Any]]
    first: int
    unit: str
    is_typed: bool = False
    """Whether ids, predictions and references are already known to be of the right types."""

    text: bytes = b""
    """The lines that JSON records came from, among which there may be blank ones."""

    number: int | None = None
    """The first record's number among all records, where `first` is not that."""

    lines_before: Callable[[], int] | None = None
    """How many lines come before those that `first` counts, where that takes so long that only a message asks."""

    file: str = ""
    """The file that the records came from, where a table has several."""

    @property
    def count(self) -> int:
        """How many records there are."""
        return len(next(iter(self.columns.values()), ()))

    @property
    def numbers(self) -> range:
        """The numbers of the records among all records of the table."""
        start = self.first if self.number is None else self.number
        return range(start, start + self.count)

    def place(self, position: int) -> str:
        """Where the record at a position stands, for a message; of several files also in which."""
        inside = f"{self.unit} {self._number(position)}"
        return f"{self.file}: {inside}" if self.file else inside

    def where(self, position: int, name: str) -> str:
        """The same with the name of the table, which a file's own name tells."""
        return self.place(position) if self.file else f"{name}: {self.place(position)}"

    def _number(self, position: int) -> int:
        first = self.first + (self.lines_before() if self.lines_before is not None else 0)
        if not self.text:
            return first + position
        filled = (number for number, line in enumerate(self.text.split(b"\n"), start=first) if line.strip())
        return next(islice(filled, position, None))
