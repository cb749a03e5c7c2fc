"""Named columns of plain values as a table of pyarrow, pandas or Polars: every column of one type, told by its values.

| values | type |
|---|---|
| all True or False | boolean |
| all whole numbers | 64-bit integers; texts where one is too large for that |
| numbers | 64-bit floats; NaN is no value |
| lists or tuples, or these beside single values | lists, a single value being a list of one; items likewise |
| anything else, or kinds that do not go together, such as 1 and "a" | texts, lists and objects written as JSON |

None is no value everywhere; a column without any is one of texts, or of floats where it is named among the `numbers`.
Of pandas, columns of truth values and whole numbers have its types with room for no value
where there is such a cell.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, islice
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple

from fullmarks.optional import require

Kind = Literal["bool", "int", "float", "text"]

CHUNK = 1 << 16
"""Rows of a piece of an Arrow column, which can hold 2 GB of text."""
DEEPEST = 3
"""Lists in lists that are kept; what is deeper is written as JSON."""
_LARGEST = 1 << 63
_SINGLE: dict[frozenset[type], Kind] = {
    frozenset({bool}): "bool",
    frozenset({int}): "int",
    frozenset({float}): "float",
    frozenset({int, float}): "float",
    frozenset({str}): "text",
}
_OF_PANDAS = {"bool": ("bool", "boolean"), "int": ("int64", "Int64"), "float": ("float64", "float64")}
"""The type of a column where every cell has a value, and where one has none."""


class Column(NamedTuple):
    """Values of one kind, or lists of such, or lists of lists; None for a cell without a value."""

    kind: Kind
    depth: int
    """How many lists are around each value."""
    values: list[Any]


def arrow_table(columns: Mapping[str, Sequence[Any]], numbers: Collection[str] = ()) -> Any:
    """The columns as a `pyarrow.Table`."""
    arrow = require("pyarrow", needed_by="to_arrow", extra="parquet")
    kinds = {"bool": arrow.bool_(), "int": arrow.int64(), "float": arrow.float64(), "text": arrow.string()}
    fields, made = [], []
    for name, values in columns.items():
        column = typed(values, empty=_empty(name, numbers))
        kind = kinds[column.kind]
        for _ in range(column.depth):
            kind = arrow.list_(kind)
        fields.append(arrow.field(_encodable(name), kind))
        made.append(arrow.chunked_array(_arrow_chunks(arrow, column, kind), kind))
    return arrow.table(made, schema=arrow.schema(fields))


def pandas_frame(columns: Mapping[str, Sequence[Any]], numbers: Collection[str] = ()) -> Any:
    """The columns as a `pandas.DataFrame`; pyarrow need not be there."""
    pandas = require("pandas", needed_by="to_pandas", extra="pandas")
    made = {}
    for name, values in columns.items():
        kind, depth, given = typed(values, empty=_empty(name, numbers))
        cells = _valid(given, depth) if kind == "text" else given
        if depth:
            column = pandas.Series(_copied(cells, depth), dtype=object)
        elif kind == "text":
            column = pandas.Series(cells, dtype=None if any(cells) else object)
        else:
            full, with_gaps = _OF_PANDAS[kind]
            column = pandas.Series(cells, dtype=with_gaps if None in cells else full)
        made[_encodable(name)] = column
    return pandas.DataFrame(made, columns=list(made))


def polars_frame(columns: Mapping[str, Sequence[Any]], numbers: Collection[str] = ()) -> Any:
    """The columns as a `polars.DataFrame`; pyarrow need not be there."""
    polars = require("polars", needed_by="to_polars", extra="polars")
    kinds = {"bool": polars.Boolean, "int": polars.Int64, "float": polars.Float64, "text": polars.String}
    made = []
    for name, values in columns.items():
        kind, depth, cells = typed(values, empty=_empty(name, numbers))
        valid = _valid(cells, depth) if kind == "text" else cells
        made.append(_polars_series(polars, valid, depth, kinds[kind]).rename(_encodable(name)))
    return polars.DataFrame(made)


def _polars_series(polars: Any, values: list[Any], depth: int, kind: Any) -> Any:
    """The values, or their items gathered into lists by the place of each: ten times as fast as lists are taken."""
    if not depth:
        return polars.Series(values, dtype=kind)
    counts = [len(each) if each else 0 for each in values]
    filled = [each or [None] for each in values]  # a place without items has one, which is not taken
    items = _polars_series(polars, list(chain.from_iterable(filled)), depth - 1, kind)
    places = polars.Series(range(len(values)), dtype=polars.UInt32)
    frame = polars.DataFrame(
        {
            "place": places,
            "count": polars.Series(counts, dtype=polars.UInt32),
            "is_there": [each is not None for each in values],
        }
    )
    spread = frame.select(polars.all().repeat_by(polars.max_horizontal("count", 1)).explode())
    taken = polars.col("item").filter(polars.col("count") > 0)
    gathered = (
        spread.with_columns(item=items).group_by("place", maintain_order=True).agg(taken, polars.first("is_there"))
    )
    return gathered.select(polars.when("is_there").then("item"))["item"]


def _empty(name: str, numbers: Collection[str]) -> Kind:
    return "float" if name in numbers else "text"


def typed(values: Sequence[Any], depth: int = 0, *, empty: Kind = "text") -> Column:
    """The values, which stand in so many lists already, under the one type that holds them all.

    `empty` is the kind of a column without any value.

    >>> typed([1, "a", None])
    Column(kind='text', depth=0, values=['1', 'a', None])
    >>> typed(["a", ("b", "c")])
    Column(kind='text', depth=1, values=[['a'], ['b', 'c']])
    """
    kinds = set(map(type, values)) - {type(None)}
    if not kinds:
        return Column(empty, depth, list(values))
    if depth == DEEPEST or not kinds & {list, tuple}:
        kind, cells = _single(values if isinstance(values, list) else list(values), kinds)
        return Column(kind, depth, cells)
    lists = values if kinds == {list} and isinstance(values, list) else list(map(_listed, values))
    items = list(chain.from_iterable(filter(None, lists)))
    kind, found, cells = typed(items, depth + 1)
    if cells is items:
        return Column(kind, found, lists)
    rest = iter(cells)
    return Column(kind, found, [each and list(islice(rest, len(each))) for each in lists])


def _listed(value: Any) -> list[Any] | None:
    if value is None or type(value) is list:
        return value
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _single(values: list[Any], kinds: set[type]) -> tuple[Kind, list[Any]]:
    """The kind of values that are no lists, and they themselves in it."""
    known = set(map(_plain_type, kinds))
    kind = _SINGLE.get(frozenset(known), "text")
    if kind == "int" and any(not -_LARGEST <= value < _LARGEST for value in values if value is not None):
        kind, known = "text", {object}
    if kind == "float":
        return kind, [None if value is None or value != value else float(value) for value in values]  # noqa: PLR0124
    if kind == "text" and known - {str}:
        return kind, [None if value is None else _text(value) for value in values]
    return kind, values if kinds <= {bool, int, str} else [None if value is None else int(value) for value in values]


def _plain_type(kind: type) -> type:
    """What Python has for values of this type; numbers of other packages count."""
    wanted: tuple[tuple[type, type], ...] = ((bool, bool), (str, str), (Integral, int), (Real, float))
    return next((plain for base, plain in wanted if issubclass(kind, base)), object)


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple, dict)):
        import json

        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def _arrow_chunks(arrow: Any, column: Column, kind: Any) -> Iterator[Any]:
    for start in range(0, len(column.values), CHUNK):
        part = column.values[start : start + CHUNK]
        try:
            yield arrow.array(part, kind)
        except UnicodeEncodeError:  # half a character of UTF-16, which Python has room for and Arrow has not
            yield arrow.array(_valid(part, column.depth), kind)


def _copied(values: list[Any], depth: int) -> list[Any]:
    """The values in lists of their own: who changes a cell changes nothing else."""
    return [each and _copied(each, depth - 1) for each in values] if depth else list(values)


def _valid(values: list[Any], depth: int) -> list[Any]:
    """The texts, as valid Unicode all of them."""
    if depth:
        return [each and _valid(each, depth - 1) for each in values]
    if _are_valid(values):
        return values
    return [None if text is None else _encodable(text) for text in values]


def _are_valid(texts: Sequence[str | None]) -> bool:
    try:
        for text in texts:
            if text is not None and not text.isascii():
                text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _encodable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
