"""Columns of data frames and datasets as lists: one value of Python's own per example.

No library is imported for that; each says by its methods how its columns become lists.
"""

from __future__ import annotations

from typing import Any

from fullmarks.errors import InputError

_TABLE = ("columns", "column_names", "num_columns")
"""What tables have and columns do not."""


def values_of(name: str, given: Any) -> list[Any]:
    """The values of a column, or of any other iterable; an error for a whole table, which would give its names.

    >>> values_of("predictions", ("a", "b"))
    ['a', 'b']
    """
    kind = type(given)
    if any(hasattr(kind, attribute) for attribute in _TABLE):
        raise InputError(name, f"expected one column, found a {kind.__name__}", "Pass a column, as in data['answer'].")
    if hasattr(kind, "to_pylist"):  # PyArrow
        return list(given.to_pylist())
    if kind.__module__.startswith("datasets.") and kind.__name__ == "Column":
        return _sliced(name, given)
    if hasattr(kind, "to_list"):  # Polars and pandas
        return list(given.to_list())
    if hasattr(kind, "tolist") and _holds_values(given):
        found = given.tolist()
        if not isinstance(found, list):
            raise InputError(name, f"expected a list, found one value in a {kind.__name__}", "Give one per example.")
        return found
    return list(given)


def _sliced(name: str, column: Any) -> list[Any]:
    """The column of a dataset, read at once; in another library's format where the dataset has one."""
    found = column[:]
    return found if type(found) is list else values_of(name, found)


def _holds_values(array: Any) -> bool:
    """Whether NumPy's array holds one value per example, or texts: a matrix of numbers is rows, such as embeddings."""
    return getattr(array, "ndim", 1) <= 1 or getattr(getattr(array, "dtype", None), "kind", "") in "UO"
