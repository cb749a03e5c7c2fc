"""Which columns of a table are read. Where every record names its own fields, the columns are those of all records.

A stream does not show all of them at its beginning: what begins later is noticed, and gives what the same records
give as one list. A column to slice by is empty before it begins; a column that every record needs is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from fullmarks.errors import FullmarksError, InputError

CHECKED_ROLES = frozenset(("id", "prediction", "references"))
"""The columns whose values have to be of a certain kind; whoever checks them says what was found."""


class Chooser(msgspec.Struct, frozen=True):
    """Given the names of a table's columns, which of them to read: role -> column name."""

    choose: Callable[[list[str]], dict[str, str]]
    candidates: tuple[str, ...]
    """Every name that could be chosen."""

    required: tuple[str, ...] = ()
    """The roles that some record at least must have."""

    absent: Callable[[str], FullmarksError] | None = None
    """The error about a required role that no record has."""

    from_first: frozenset[str] = CHECKED_ROLES
    """The roles that every record needs if one has them."""

    def __call__(self, available: list[str]) -> dict[str, str]:
        """The columns to read of a table that has these."""
        return self.choose(available)


class Columns:
    """The columns of records that need not all have the same fields, as far as they were seen."""

    def __init__(self, choose: Chooser) -> None:
        self.chosen: dict[str, str] = {}
        self._choose = choose
        self._seen: list[str] = []
        self._first_place = ""

    @property
    def watched(self) -> list[str]:
        """The names that were not seen yet and would change what is read."""
        missing = [name for name in dict.fromkeys(self._choose.candidates) if name not in self._seen]
        return [name for name in missing if self._choose([*self._seen, name]) != self.chosen]

    def take(self, names: Iterable[str], place: str) -> None:
        """Choose anew with these names too, that some record at the place has; an error where that is too late."""
        self._seen += [name for name in names if name not in self._seen]
        chosen = self._choose(self._seen)
        if self._first_place:
            for role, column in chosen.items():
                if column != self.chosen.get(role) and role in self._choose.from_first:
                    found = f"there is no '{column}' here, though a record in or after {place} has one"
                    advice = "Write it in every record, or in none."
                    raise InputError(self._first_place, found, advice)
        self.chosen = chosen

    @property
    def is_given(self) -> bool:
        """Whether records were handed out."""
        return bool(self._first_place)

    def given(self, place: str) -> None:
        """Note that records were handed out, the first of them from this place in a file that it names."""
        self._first_place = self._first_place or place

    def complete(self, values: dict[str, list[Any]], count: int) -> dict[str, list[Any]]:
        """The values of so many records, with empty ones for required roles that did not begin yet."""
        return {**values, **{role: [None] * count for role in self._choose.required if role not in values}}

    @property
    def lacking(self) -> list[str]:
        """The required roles that no record had so far."""
        return [role for role in self._choose.required if role not in self.chosen]

    def finish(self) -> None:
        """An error if the records are over and a required role never came."""
        for role in self.lacking:
            if self._choose.absent is not None:
                raise self._choose.absent(role)
