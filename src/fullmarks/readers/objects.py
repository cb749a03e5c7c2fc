"""Fields of many plain objects at once: compiled where that was built, otherwise the same in Python.

Invariant: None means that something is not as it has to be, nothing more; whoever asked then says what and where.
"""

from __future__ import annotations

import os
from itertools import chain
from typing import TYPE_CHECKING, Any

__all__ = ["are_text_lists", "are_texts", "are_texts_by_text", "columns_of", "field_names", "inner_texts"]


def columns_in_python(
    records: list[Any], names: tuple[str, ...], kinds: tuple[type, ...] = ()
) -> list[list[Any]] | None:
    """What the objects of a list have under each of the names, a list a name; a field that one lacks is None there.

    None where something in the list is no object or, with kinds, a value is not of the kind that goes with its name.
    """
    if not _are_objects(records):
        return None
    columns = [[record.get(name) for record in records] for name in names]
    if kinds and any(set(map(type, found)) - {kind} for found, kind in zip(columns, kinds, strict=True)):
        return None
    return columns


def field_names_in_python(records: list[Any]) -> list[str] | None:
    """The names of all fields of the objects in a list, as they first appear; None where something is no object."""
    return list(dict.fromkeys(chain.from_iterable(records))) if _are_objects(records) else None


def _are_objects(records: list[Any]) -> bool:
    return all(issubclass(kind, dict) for kind in set(map(type, records)))


def inner_texts_in_python(lists: list[Any], name: str, mark: str = "") -> list[list[str]] | None:
    """The texts that the objects of every list have under a name; None where one has none, or no list is there.

    With a mark, None also where objects at the same place of two lists have not the same number or text under that.
    """
    if not set(map(type, lists)) <= {list} or not _are_objects(list(chain.from_iterable(lists))):
        return None
    texts = [[item.get(name) for item in items] for items in lists]
    if not are_text_lists_in_python(texts):
        return None
    return texts if not mark or _are_marked_alike(lists, mark) else None


def _are_marked_alike(lists: list[list[dict[str, Any]]], mark: str) -> bool:
    marks = [[item.get(mark) for item in items] for items in lists]
    kinds = [list(map(type, each)) for each in marks]
    if not set(chain.from_iterable(kinds)) <= {int, str}:
        return False
    return all(each == marks[0] for each in marks) and all(each == kinds[0] for each in kinds)


def are_text_lists_in_python(lists: Any) -> bool:
    """Whether this is a list of lists of texts."""
    return (
        type(lists) is list and set(map(type, lists)) <= {list} and set(map(type, chain.from_iterable(lists))) <= {str}
    )


def are_texts_in_python(values: list[Any]) -> bool:
    """Whether a list holds texts alone."""
    return set(map(type, values)) <= {str}


def are_texts_by_text_in_python(values: dict[Any, Any]) -> bool:
    """Whether the keys and the values of an object are all texts."""
    return set(map(type, chain(values, values.values()))) <= {str}


def _compiled() -> bool:
    if os.environ.get("FULLMARKS_KERNEL") == "python":
        return False
    try:
        from fullmarks.readers import _keys  # noqa: F401
    except ImportError:
        return False
    return True


if TYPE_CHECKING or not _compiled():
    columns_of = columns_in_python
    field_names = field_names_in_python
    inner_texts = inner_texts_in_python
    are_text_lists = are_text_lists_in_python
    are_texts = are_texts_in_python
    are_texts_by_text = are_texts_by_text_in_python
else:
    from fullmarks.readers._keys import (
        are_text_lists,
        are_texts,
        are_texts_by_text,
        columns_of,
        field_names,
        inner_texts,
    )
