"""What is asked of a data frame or dataset: the names of its columns, and its columns in batches."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from fullmarks.optional import require

LIBRARIES = {
    "pandas": "pandas",
    "polars": "Polars",
    "pyarrow": "PyArrow",
    "numpy": "NumPy",
    "datasets": "datasets",
    "duckdb": "DuckDB",
    "_duckdb": "DuckDB",
}
"""The libraries that are known by name, by the name of their package."""
NO_TABLE = "Pass a data frame with the columns id, prediction and references, or a list of objects."
Batch = dict[str, Any]
"""Some records: every column as an Arrow array or, where its values are of many kinds, as a list."""


class Frame:
    """A table in memory or behind a query."""

    is_repeatable = True
    """Whether it can be read again from the start."""

    def __init__(self, origin: Any) -> None:
        self.origin = origin

    @property
    def kind(self) -> str:
        """What it is, in words for a message."""
        return called(self.origin)

    @property
    @abstractmethod
    def names(self) -> list[str]:
        """The names of its columns; looking at them reads nothing."""

    @abstractmethod
    def batches(self, names: Sequence[str]) -> Iterator[Batch]:
        """These columns of all records in order, a bounded number of records at a time."""

    def held(self) -> Frame:
        """The same, to be read as often as one likes."""
        return self


def called(origin: Any) -> str:
    """What an object of another library is, in words for a message."""
    library = library_of(origin)
    name = type(origin).__name__
    return f"a {LIBRARIES[library]} {name}" if library else f"a {name}"


def arrow_for(kind: str) -> Any:
    """PyArrow, or the error that says how to install it."""
    return require("pyarrow", needed_by=f"Reading {kind}", extra="parquet")


def library_of(origin: Any) -> str:
    """The library that made the object's class, or one that it is made of."""
    packages = (kind.__module__.partition(".")[0] for kind in type(origin).__mro__)
    return next((package for package in packages if package in LIBRARIES), "")
