"""A table of examples scored from data frames and datasets, against the same table in a Parquet file.

What is wanted is that of each at most one and a half times the time of the file is needed: a ratio of at least 2/3.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from case import Case, Settings, SkippedError
from data import write_rows
from fullmarks.evaluate import score

MOST = 1.5
PROTOCOL = "squad2"


def frames(table: Any, settings: Settings) -> Iterator[tuple[str, Any]]:
    """The table as each of the libraries holds it, under the name of its class."""
    yield "pyarrow.Table", table
    pandas = settings.peer("pandas")
    if pandas is not None:
        yield "pandas.DataFrame", table.to_pandas()
        yield "pandas.DataFrame, lists", pandas.DataFrame(table.to_pylist())
    if (polars := settings.peer("polars")) is not None:
        frame = polars.from_arrow(table)
        yield "polars.DataFrame", frame
        yield "polars.LazyFrame", frame.lazy()
    if (duckdb := settings.peer("duckdb")) is not None:
        connection = duckdb.connect()
        connection.register("examples", table)
        yield "DuckDB relation", connection.table("examples")
    if (datasets := settings.peer("datasets")) is not None:
        data = datasets.Dataset(datasets.table.InMemoryTable(table))
        yield "datasets.Dataset", data
        yield "datasets.Dataset, shuffled", data.shuffle(seed=1)
        yield "datasets.IterableDataset", data.to_iterable_dataset()


def cases(settings: Settings) -> Iterator[Case]:
    """One case for each of the libraries that are here."""
    arrow, parquet = settings.peer("pyarrow"), settings.peer("pyarrow.parquet")
    if arrow is None or parquet is None:
        raise SkippedError("PyArrow is not installed")
    size = settings.sizes[-1] if settings.quick else 1_000_000
    lines = write_rows(settings.folder / "rows.jsonl", size)
    with lines.open(encoding="utf-8") as stream:
        table = arrow.Table.from_pylist(list(map(json.loads, stream)))
    lines.unlink()
    path = settings.folder / "rows.parquet"
    parquet.write_table(table, path)

    def scored(origin: Any) -> Callable[[], Any]:
        return lambda: score(PROTOCOL, origin, keep=False).official

    for name, frame in frames(table, settings):
        is_permuted = "shuffled" in name
        yield Case(
            f"score a table in memory, {PROTOCOL}",
            name,
            size,
            scored(frame),
            {"Parquet file": scored(path)},
            same=(lambda one, other: one["total"] == other["total"]) if is_permuted else dict.__eq__,
            wanted={"Parquet file": 1 / MOST},
            rounds=3,
        )
    path.unlink()
