"""The cells of a WebQA table, read as what their columns hold; what is wrong is collected with its line, not raised.

A cell with a list holds it as JSON in a text (TSV, CSV) or as the list itself (JSON, Parquet).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from fullmarks.errors import InputError
from fullmarks.readers.complaints import Complaints
from fullmarks.readers.documents import kind_of
from fullmarks.readers.repeated_keys import refuse_repeated_keys
from fullmarks.readers.tables.block import Block
from fullmarks.types import Identifier

FACTS = {"img_posFacts": "image_id", "txt_posFacts": "snippet_id"}
"""Where the published questions keep the sources that support the answer."""
_MOST_SHOWN = 40


class Cells:
    """The cells of one block by role; `names` says what the file calls the columns."""

    def __init__(self, block: Block, names: dict[str, str], complaints: Complaints) -> None:
        self._block = block
        self._columns = block.columns
        self._names = names
        self._complaints = complaints
        self.count = len(next(iter(block.columns.values())))

    def identifiers(self) -> list[Identifier]:
        """The ids: strings that are not empty, or whole numbers."""
        for position, value in enumerate(self._columns["id"]):
            if isinstance(value, bool) or not isinstance(value, (str, int)):
                self._complain(position, "id", f"must be a string or a whole number, found {kind_of(value)}")
            elif value == "":
                self._complain(position, "id", "is empty")
        return self._columns["id"]

    def strings(self, role: str) -> list[str]:
        """Plain texts."""
        for position, value in enumerate(self._columns[role]):
            if not isinstance(value, str):
                self._complain(position, role, f"must be a string, found {kind_of(value)}")
        return self._columns[role]

    def categories(self, known: Sequence[str]) -> list[str]:
        """Texts that are among the known ones."""
        for position, value in enumerate(self._columns["category"]):
            if value not in known:
                self._complain(position, "category", f"is the unknown category {value!r}; known: {', '.join(known)}")
        return self._columns["category"]

    def text_lists(self, role: str) -> list[list[str]]:
        """Lists of strings; a column that is not there gives empty ones."""
        lists = []
        for position in range(self.count):
            items = self._list(position, role)
            odd = next((item for item in items if not isinstance(item, str)), None)
            if odd is not None:
                self._complain(position, role, f"must be a list of strings, found one with {kind_of(odd)}")
            lists.append(items)
        return lists

    def sources(self) -> list[list[str] | None] | None:
        """The ids of the sources that support each answer, None where nothing is said of them."""
        if "sources" in self._columns:
            given = self._columns["sources"]
            return [
                None if given[position] in (None, "") else list(map(str, self._list(position, "sources")))
                for position in range(self.count)
            ]
        if not any(column in self._columns for column in FACTS):
            return None
        return [self._facts(position) for position in range(self.count)]

    def _facts(self, position: int) -> list[str]:
        sources = []
        for column, key in FACTS.items():
            for fact in self._list(position, column):
                if isinstance(fact, dict) and key in fact:
                    sources.append(str(fact[key]))
                else:
                    self._complain(position, column, f"must be a list of objects with '{key}'")
        return sources

    def _list(self, position: int, role: str) -> list[Any]:
        """The list in a cell; an absent one is empty, anything else is complained about."""
        if role not in self._columns:
            return []
        value = self._columns[role][position]
        if isinstance(value, str):
            shown = value if len(value) <= _MOST_SHOWN else f"{value[:_MOST_SHOWN]}..."
            try:
                refuse_repeated_keys(value.encode("utf-8", "surrogatepass"), shown)
                value = json.loads(value)
            except InputError as error:
                self._complain(position, role, f"must be a JSON list; {error.problem}")
                return []
            except (ValueError, RecursionError) as error:
                reason = f"{error.msg} at character {error.pos}" if isinstance(error, json.JSONDecodeError) else error
                self._complain(position, role, f"must be a JSON list, found {shown!r} ({reason})")
                return []
        if not isinstance(value, list):
            self._complain(position, role, f"must be a JSON list, found {kind_of(value)}")
            return []
        return value

    def _complain(self, position: int, role: str, problem: str) -> None:
        place = self._block.place(position)
        number = self._block.first + position
        self._complaints.add(place, f"'{self._names.get(role, role)}' {problem}", number=number)
