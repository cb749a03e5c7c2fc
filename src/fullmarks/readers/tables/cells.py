"""The values in a table's cells: references in the shapes that people write them in, and probabilities.

A cell that looks like a list but cannot be read as one is an error: taken as a text it would only score wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fullmarks.errors import InputError
from fullmarks.readers.documents import is_finite_number, kind_of, parse_json

Place = Callable[[int], str]
"""Where the record at a position stands, for a message."""

_BRACKETS = {"[": "]", "{": "}"}


def reference_lists(values: list[Any], place: Place) -> list[list[Any]]:
    """The references of every record as a list, whatever shape they came in: of texts, or of objects that hold one."""
    return [_reference_list(value, at, place) for at, value in enumerate(values)]


def reference_text(item: Any) -> Any:
    """One reference: a text, or the text in `{"text": ...}` (SQuAD) or `{"answer": ...}` (VQA)."""
    if isinstance(item, dict):
        return item.get("text", item.get("answer", item))
    return item


def _reference_list(value: Any, at: int, place: Place) -> list[Any]:
    """References as they come in a cell: a list, one text, `{"text": [...]}`, VQA's records field by field
    (`{"answer": [...], "answer_id": [...]}`), or any of the three as JSON.
    """
    if isinstance(value, str):
        text = value.strip()
        if text[:1] in _BRACKETS and text.endswith(_BRACKETS[text[:1]]):
            return _reference_list(_parsed(text, place(at)), at, place)
        return [value] if value else []
    if isinstance(value, dict) and isinstance(value.get("text"), list):
        texts: list[Any] = value["text"]
        return texts
    if isinstance(value, dict) and isinstance(value.get("answer"), list):
        return _records(value, place(at))
    if isinstance(value, (list, tuple)):
        return list(value)
    found = f"references must be a list of strings or one string, found {kind_of(value)}"
    raise InputError(place(at), found, "Write [] for a question without an answer.")


def _records(fields: dict[str, Any], where: str) -> list[Any]:
    """Records that are given field by field, one by one again."""
    lists = {name: values for name, values in fields.items() if isinstance(values, list)}
    if len(set(map(len, lists.values()))) > 1:
        shown = ", ".join(f"'{name}' {len(values)}" for name, values in lists.items())
        raise InputError(where, f"the fields of the references differ in length: {shown}", "Give one value for each.")
    return [dict(zip(lists, values, strict=True)) for values in zip(*lists.values(), strict=True)]


def _parsed(text: str, where: str) -> Any:
    try:
        return parse_json(text.encode("utf-8", "surrogatepass"), where)
    except InputError:
        shown = text if len(text) <= 60 else f"{text[:57]}..."
        found = f"the references look like a list but are not JSON: {shown}"
        raise InputError(where, found, 'Write them as JSON, as in ["one", "another"].') from None


def finite_numbers(values: list[Any], column: str, place: Place) -> list[float]:
    """The values of a column as finite numbers; texts are read as numbers, for some tables know only texts."""
    numbers = []
    for at, value in enumerate(values):
        number: Any = _number(value) if isinstance(value, str) else value
        if not is_finite_number(number):
            found = f"'{column}' must be a finite number, found {_shown(value)}"
            raise InputError(place(at), found, "Write a number such as 0.25.")
        numbers.append(float(number))
    return numbers


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _shown(value: Any) -> str:
    return repr(value) if isinstance(value, (str, float)) else kind_of(value)
