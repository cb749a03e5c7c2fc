"""Parquet files as blocks of columns."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from fullmarks.errors import InputError
from fullmarks.optional import require
from fullmarks.readers.limits import LIFT, current_limits, read_whole, shown_size
from fullmarks.readers.source import Source
from fullmarks.readers.tables.arrow import RECORDS, arrow_values, check_names
from fullmarks.readers.tables.block import Block
from fullmarks.readers.tables.columns import Chooser


def parquet_blocks(source: Source, choose: Chooser) -> Iterator[Block]:
    """The chosen columns a block at a time."""
    parquet = require("pyarrow.parquet", needed_by="Reading Parquet", extra="parquet")
    arrow = require("pyarrow", needed_by="Reading Parquet", extra="parquet")
    part = source.reading.shard if source.reading is not None else None
    with source.stream(ranged=True) as stream:
        try:
            seekable = stream.seekable()
            content = stream if seekable else io.BytesIO(read_whole(stream, source.name))
            table = parquet.ParquetFile(content, metadata=source.footer)
            source.footer = table.metadata
            chosen = choose(table.schema_arrow.names)
            names = list(dict.fromkeys(chosen.values()))
            check_names(names, table.schema_arrow.names, source.name)
            _check_sizes(table.metadata, names, source.name)
            at, number = (1, 1) if part is None else (part.first_in_file, part.first_record)
            for batch in table.iter_batches(batch_size=RECORDS, columns=names, row_groups=_groups_of(source)):
                values = {name: arrow_values(batch.column(name), name, source.name) for name in names}
                columns = {role: values[column] for role, column in chosen.items()}
                yield Block(columns, at, "record", number=number)
                at, number = at + batch.num_rows, number + batch.num_rows
        except (arrow.ArrowException, OSError, ValueError) as error:
            if isinstance(error, OSError) and source.is_remote:
                raise
            raise _unreadable(source.name, error) from None


def row_groups(source: Source) -> list[tuple[int, int]]:
    """The bytes and the rows of every row group of a file, or of those that a shard has of them."""
    parquet = require("pyarrow.parquet", needed_by="Reading Parquet", extra="parquet")
    arrow = require("pyarrow", needed_by="Reading Parquet", extra="parquet")
    with source.stream(ranged=True) as stream:
        try:
            metadata = parquet.ParquetFile(stream).metadata
        except (arrow.ArrowException, OSError, ValueError) as error:
            raise _unreadable(source.name, error) from None
    groups = map(metadata.row_group, _groups_of(source) or range(metadata.num_row_groups))
    return [
        (sum(group.column(at).total_compressed_size for at in range(group.num_columns)), group.num_rows)
        for group in groups
    ]


def _groups_of(source: Source) -> range | None:
    """The row groups that a shard has; None for all."""
    if source.reading is None or source.reading.shard.unit != "row groups":
        return None
    return range(source.reading.shard.start, source.reading.shard.stop)


def _unreadable(name: str, error: Exception) -> InputError:
    reason = " ".join(str(error).split())
    return InputError(name, f"not a readable Parquet file ({reason})", "Write it anew.")


def _check_sizes(metadata: Any, names: list[str], name: str) -> None:
    """An error if what the file says of its columns' sizes is more than may be read of them."""
    limits = current_limits()
    stored = held = 0
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            if column.path_in_schema.split(".")[0] in names:
                stored += column.total_compressed_size
                held += column.total_uncompressed_size
    if held > limits.total or (held > limits.free and held > limits.ratio * stored):
        found = f"{shown_size(stored)} of its columns hold {shown_size(held)} when decompressed"
        raise InputError(name, found, LIFT)
