"""Which kind of table an object is. An object can only be of a class whose module is loaded, so none is imported."""

from __future__ import annotations

import sys
from typing import Any

from fullmarks.errors import InputError
from fullmarks.readers.frames import kinds
from fullmarks.readers.frames.frame import NO_TABLE, Frame, called, library_of

_STREAM = "__arrow_c_stream__"
_KINDS: tuple[tuple[str, str, type[Frame]], ...] = (
    ("pandas", "DataFrame", kinds.Pandas),
    ("polars", "DataFrame", kinds.Polars),
    ("polars", "LazyFrame", kinds.PolarsQuery),
    ("pyarrow", "Table", kinds.Arrow),
    ("pyarrow", "RecordBatch", kinds.Arrow),
    ("pyarrow", "RecordBatchReader", kinds.Stream),
    ("pyarrow.dataset", "Dataset", kinds.ArrowDataset),
    ("duckdb", "DuckDBPyRelation", kinds.DuckDB),
    ("datasets", "Dataset", kinds.Hub),
    ("datasets", "IterableDataset", kinds.Hub),
)


def table_in(origin: Any, role: str) -> Any:
    """The object as a `Frame` if it is a table of another library, as rows if it is an iterable of them, or as it is.

    An error for what these libraries have besides tables: columns, groups, dictionaries of splits.
    """
    if type(origin) in (list, dict, tuple):
        return origin
    for module, name, frame in _KINDS:
        if _is_of(origin, module, name):
            if frame is kinds.Hub and _has_rows_only(origin):
                return iter(origin)
            return frame(origin)
    _refuse_others(origin, role)
    if _holds_objects(origin):
        return origin.tolist()
    return kinds.Stream(origin) if hasattr(type(origin), _STREAM) else origin


def _is_of(origin: Any, module: str, name: str) -> bool:
    found = getattr(sys.modules.get(module), name, None)
    return isinstance(found, type) and isinstance(origin, found)


def _has_rows_only(data: Any) -> bool:
    """Whether a dataset shows its records one by one alone: under a transform, or without known features."""
    layout = getattr(data, "format", None)
    return getattr(data, "features", None) is None or (isinstance(layout, dict) and layout.get("type") == "custom")


def _refuse_others(origin: Any, role: str) -> None:
    library = library_of(origin)
    if not library or hasattr(type(origin), "read") or _holds_objects(origin):
        return
    advice = NO_TABLE
    if isinstance(origin, dict):
        splits = ", ".join(map(repr, list(origin)[:5]))
        advice = f"Pass one of its splits ({splits}), as in data[{next(iter(origin), 'test')!r}]."
    elif "duckdb" in library:
        advice = "Pass a relation: connection.sql('SELECT ...')."
    raise InputError(role, f"expected a table, found {called(origin)}", advice)


def _holds_objects(origin: Any) -> bool:
    """Whether this is NumPy's list of objects."""
    return library_of(origin) == "numpy" and getattr(origin, "ndim", 0) == 1 and origin.dtype.kind == "O"
