"""Records as Parquet, with columns of every type that a writer may have chosen."""

from __future__ import annotations

import datetime
import decimal
import io
from random import Random
from typing import Any

import pyarrow  # type: ignore[import-untyped]
import pyarrow.parquet  # type: ignore[import-untyped]

from tools.fuzz.json_text import Pairs, write_json

SOME_DAY = datetime.datetime(2024, 2, 29, 12, 30, 15, 123456)
COLUMNS: tuple[tuple[pyarrow.DataType, Any], ...] = (
    (pyarrow.timestamp("ns"), 1_700_000_000_123_456_789),
    (pyarrow.timestamp("us", tz="UTC"), SOME_DAY),
    (pyarrow.date32(), SOME_DAY.date()),
    (pyarrow.time64("ns"), 12_345_678_901),
    (pyarrow.duration("ns"), 1_001),
    (pyarrow.decimal128(20, 5), decimal.Decimal("1.50000")),
    (pyarrow.binary(), b"\xff\x00"),
    (pyarrow.large_string(), "text"),
    (pyarrow.dictionary(pyarrow.int8(), pyarrow.string()), "text"),
    (pyarrow.list_(pyarrow.string()), ["a", None]),
    (pyarrow.list_(pyarrow.list_(pyarrow.int8())), [[1], []]),
    (pyarrow.struct([("text", pyarrow.string())]), {"text": "a"}),
    (pyarrow.map_(pyarrow.string(), pyarrow.int32()), [("a", 1)]),
    (pyarrow.bool_(), True),
    (pyarrow.int8(), -7),
    (pyarrow.uint64(), 2**64 - 1),
    (pyarrow.float32(), float("nan")),
    (pyarrow.float64(), float("-inf")),
    (pyarrow.null(), None),
)


def parquet_bytes(records: list[Pairs], source: Random) -> bytes:
    """The table; what has no common type is written as text, and one column now and then in a type of its own."""
    names = list(dict.fromkeys(name for record in records for name, _ in record))
    found = [dict(record) for record in records]
    columns = {name: _column([record.get(name) for record in found]) for name in names}
    if source.random() < 0.5:
        kind, value = source.choice(COLUMNS)
        name = source.choice((*names, "topic", "no_answer_probability"))
        values = [None if source.random() < 0.2 else value for _ in records]
        columns[name] = pyarrow.array(values, type=kind)
    fields = [(_sound(name), column) for name, column in columns.items()]
    table = pyarrow.Table.from_arrays([column for _, column in fields], names=[name for name, _ in fields])
    place = io.BytesIO()
    codec = source.choice(("snappy", "gzip", "zstd", "none", "lz4"))
    pyarrow.parquet.write_table(table, place, compression=codec, row_group_size=source.choice((1, 3, 1000)))
    return place.getvalue()


def _column(values: list[Any]) -> pyarrow.Array:
    try:
        return pyarrow.array(values)
    except (pyarrow.ArrowException, TypeError, ValueError, OverflowError, UnicodeError):
        return pyarrow.array([None if value is None else _sound(_text(value)) for value in values])


def _text(value: Any) -> str:
    return value if isinstance(value, str) else write_json(value)


def _sound(text: str) -> str:
    """The text without lone surrogates, which Parquet cannot hold."""
    return text.encode("utf-8", "replace").decode()
