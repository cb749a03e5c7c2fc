"""A bounded number of a table's records as columns."""

from __future__ import annotations

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
        """Where the record at a position stands, for a message."""
        if not self.text:
            return f"{self.unit} {self.first + position}"
        filled = (number for number, line in enumerate(self.text.split(b"\n"), start=self.first) if line.strip())
        return f"{self.unit} {next(islice(filled, position, None))}"
