"""The kinds of data frames and datasets, one class each.

Columns come as Arrow arrays, by the stream protocol `__arrow_c_stream__` where a library speaks it. Only the columns
that are asked for are touched, and what streams is never held.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from fullmarks.errors import InputError
from fullmarks.readers.frames.frame import NO_TABLE, Batch, Frame, arrow_for
from fullmarks.readers.tables.arrow import RECORDS

_GATHERED = 1 << 18
"""How many rows are gathered at once from all over a dataset."""


class Pandas(Frame):
    """A DataFrame of pandas; a level of its index that has a name is a column too."""

    @property
    def names(self) -> list[str]:
        """The names of its columns."""
        columns = [str(name) for name in self.origin.columns]
        return columns + [
            str(name) for name in self.origin.index.names if name is not None and str(name) not in columns
        ]

    def batches(self, names: Sequence[str]) -> Iterator[Batch]:
        """These columns."""
        arrow = arrow_for(self.kind)
        frame = self.origin
        columns, levels = list(map(str, frame.columns)), list(map(str, frame.index.names))
        taken = {
            name: frame.iloc[:, columns.index(name)]
            if name in columns
            else frame.index.get_level_values(levels.index(name)).to_series()
            for name in names
        }
        for start in range(0, len(frame), RECORDS):
            yield {name: _array(series.iloc[start : start + RECORDS], arrow) for name, series in taken.items()}


class Polars(Frame):
    """A DataFrame of Polars."""

    @property
    def names(self) -> list[str]:
        """The names of its columns."""
        return list(self.origin.columns)

    def batches(self, names: Sequence[str]) -> Iterator[Batch]:
        """These columns."""
        arrow = arrow_for(self.kind)
        yield from _cut(arrow.RecordBatchReader.from_stream(self.origin.select(list(names))))


class PolarsQuery(Frame):
    """A LazyFrame of Polars: run anew whenever it is read, batch by batch where this Polars can."""

    @property
    def names(self) -> list[str]:
        """The names of its columns."""
        return list(self.origin.collect_schema().names())

    def batches(self, names: Sequence[str]) -> Iterator[Batch]:
        """These columns."""
        query = self.origin.select(list(names))
        streams = hasattr(query, "collect_batches")
        parts = query.collect_batches(chunk_size=RECORDS, maintain_order=True) if streams else [query.collect()]
        for part in parts:
            yield from Polars(part).batches(names)


class Arrow(Frame):
    """A Table or RecordBatch of PyArrow."""

    @property
    def names(self) -> list[str]:
        """The names of its columns."""
        return list(self.origin.schema.names)

    def batches(self, names: Sequence[str]) -> Iterator[Batch]:
        """These columns."""
        places = [self.names.index(name) for name in names]
        for start in range(0, self.origin.num_rows, RECORDS):
            piece = self.origin.slice(start, RECORDS)
            yield {name: _whole(piece.column(place)) for name, place in zip(names, places, strict=True)}


class ArrowDataset(Frame):
    """A Dataset of PyArrow: files that are read when they are needed."""

    @property
    def names(self) -> list[str]:
        """The names of its columns."""
        return list(self.origin.schema.names)

    def batches(self, names: Sequence[str]) -> Iterator[Batch]:
        """These columns."""
        yield from _cut(self.origin.scanner(columns=list(names), batch_size=RECORDS).to_reader())


class Stream(Frame):
    """A stream of Arrow, which can be read once: a RecordBatchReader, or whatever else speaks the protocol."""

    is_repeatable = False

    def __init__(self, origin: Any) -> None:
        super().__init__(origin)
        self._reader: Any = None
        self._is_begun = False

    @property
    def names(self) -> list[str]:
        """The names of its columns."""
        return list(self._opened().schema.names)

    def batches(self, names: Sequence[str]) -> Iterator[Batch]:
        """These columns."""
        yield from _cut(self._begun(), names)

    def held(self) -> Frame:
        """All of it."""
        return Arrow(self._begun().read_all())

    def _begun(self) -> Any:
        """The reader, for the only time: who came second would get the rest."""
        if self._is_begun:
            raise InputError(self.kind, "it can be read only once, and is needed again", "Pass a table instead.")
        self._is_begun = True
        return self._opened()

    def _opened(self) -> Any:
        if self._reader is None:
            arrow = arrow_for(self.kind)
            is_reader = isinstance(self.origin, arrow.RecordBatchReader)
            self._reader = self.origin if is_reader else _opened_stream(self.origin, self.kind, arrow)
        return self._reader


class DuckDB(Frame):
    """A relation of DuckDB: its query is run whenever it is read, and its result streams."""

    @property
    def names(self) -> list[str]:
        """The names of its columns."""
        return list(self.origin.columns)

    def batches(self, names: Sequence[str]) -> Iterator[Batch]:
        """These columns."""
        arrow = arrow_for(self.kind)
        quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
        yield from _cut(arrow.RecordBatchReader.from_stream(self.origin.project(quoted)), names)


class Hub(Frame):
    """A Dataset of Hugging Face `datasets`, its rows as they were selected and shuffled; or an IterableDataset."""

    @property
    def names(self) -> list[str]:
        """The names of its columns."""
        return list(self.origin.column_names)

    def batches(self, names: Sequence[str]) -> Iterator[Batch]:
        """These columns."""
        rows = self.origin.select_columns(list(names)).with_format("arrow")
        if getattr(self.origin, "_indices", None) is not None:
            for start in range(0, len(self.origin), _GATHERED):
                yield from Arrow(self._gathered(rows, start)).batches(names)
            return
        for table in rows.iter(batch_size=RECORDS):
            yield {name: _whole(table.column(name)) for name in names}

    def _gathered(self, rows: Any, start: int) -> Any:
        """Some rows of a dataset that is a choice of others, by Arrow itself, which is many times as fast."""
        arrow = arrow_for(self.kind)
        places = self.origin._indices.column(0).slice(start, _GATHERED)
        try:
            return self.origin.data.table.select(rows.column_names).take(places)
        except arrow.ArrowException:  # texts of more bytes than Arrow joins to one array
            return rows[start : start + _GATHERED]


def _opened_stream(origin: Any, kind: str, arrow: Any) -> Any:
    try:
        return arrow.RecordBatchReader.from_stream(origin)
    except (arrow.ArrowException, TypeError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise InputError(kind, f"its Arrow stream is no table ({reason})", NO_TABLE) from None


def _cut(reader: Any, names: Sequence[str] | None = None) -> Iterator[Batch]:
    """The batches of a reader in pieces of bounded size; closed at the end, for a query may wait for that."""
    wanted = list(reader.schema.names) if names is None else list(names)
    places = [reader.schema.names.index(name) for name in wanted]
    try:
        for batch in reader:
            for start in range(0, batch.num_rows, RECORDS):
                piece = batch.slice(start, RECORDS)
                yield {name: piece.column(place) for name, place in zip(wanted, places, strict=True)}
    finally:
        reader.close()


def _whole(column: Any) -> Any:
    """A column as one array."""
    return column.combine_chunks() if hasattr(column, "combine_chunks") else column


def _array(series: Any, arrow: Any) -> Any:
    """A column of pandas as an Arrow array; as a list where its values are of kinds that Arrow does not mix."""
    try:
        found = arrow.array(series, from_pandas=True)
    except (arrow.ArrowException, TypeError, ValueError, OverflowError):
        return [_cell(value) for value in series.tolist()]
    return _whole(found)


def _cell(value: Any) -> Any:
    """A value of pandas as Python's own; what is not there as None."""
    if hasattr(value, "tolist"):
        return value.tolist()
    is_absent = type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and math.isnan(value))
    return None if is_absent else value
