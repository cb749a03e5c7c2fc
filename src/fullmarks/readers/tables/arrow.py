"""Columns of Arrow as Python values, as JSON would have them: dates and decimals as texts, bytes as the text they hold.

Parquet files and data frames share this, so that the same table gives the same examples.
"""

from __future__ import annotations

from typing import Any

from fullmarks.errors import InputError
from fullmarks.optional import require

RECORDS = 1 << 14
"""How many records make a block at most."""
_PLAIN = {str, int, float, bool, type(None)}


def check_names(names: list[str], available: list[str], name: str, kind: str = "file") -> None:
    """An error if a column that is read is there twice."""
    for column in names:
        if available.count(column) > 1:
            raise InputError(name, f"the {kind} has the column '{column}' twice", "Rename one of them.")


def arrow_values(array: Any, column: str, name: str) -> list[Any]:
    """The values of an array; an error names the column of the table."""
    arrow = require("pyarrow", needed_by="Reading Parquet", extra="parquet")
    kind = array.type
    if arrow.types.is_dictionary(kind):
        words = arrow_values(array.dictionary, column, name)
        return [None if place is None else words[place] for place in array.indices.to_pylist()]
    try:
        if arrow.types.is_temporal(kind) and not arrow.types.is_interval(kind):
            array = array.cast(arrow.int64() if arrow.types.is_duration(kind) else arrow.string())
        values: list[Any] = array.to_pylist()
    except (arrow.ArrowException, ValueError, OverflowError) as error:
        reason = " ".join(str(error).split())
        found = f"the values of type {kind} cannot be read ({reason})"
        raise InputError(f"{name}: column '{column}'", found, "Write them as texts or numbers.") from None
    return values if set(map(type, values)) <= _PLAIN else [plain(value, column, name) for value in values]


def plain(value: Any, column: str, name: str) -> Any:
    """A value as JSON would have it: bytes as the text they hold, whatever else JSON does not know as its own text."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, (list, tuple)):
        return [plain(item, column, name) for item in value]
    if isinstance(value, dict):
        return {key: plain(item, column, name) for key, item in value.items()}
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            advice = "Write it as a column of texts."
            raise InputError(f"{name}: column '{column}'", "it holds bytes that are not UTF-8", advice) from None
    return str(value)
