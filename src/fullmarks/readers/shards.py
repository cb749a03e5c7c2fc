"""Tables cut into shards: pieces that are read and scored alone and together give what the whole table gives.

JSON lines are cut into ranges of bytes, a line belonging to the range that it begins in; Parquet files are cut between
row groups. What is compressed or has delimiters is one shard for each file.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Literal

from fullmarks.checks import is_address, shown_path
from fullmarks.frozen import declared, frozen, record, replaced
from fullmarks.readers.line_blocks import line_start
from fullmarks.readers.listing import File
from fullmarks.readers.source import Source
from fullmarks.text.kernel import id_hashes
from fullmarks.types import Identifier

SMALLEST = 1 << 20
"""Nothing is cut smaller than this: it is scored before another process has begun."""
LARGEST = 1 << 25
"""Nothing that can be cut is larger than this: its rows have to wait somewhere, and are lost with their worker."""
PIECES_AT_ONCE = 4
"""Into how many shards the work of each worker is cut at least, so that none waits long for the last one."""
ASKED_AT_ONCE = 16
"""How many files elsewhere are asked for their row groups at the same time: each takes as long as its answer."""
_PIECE = 1 << 16


@frozen
class Shard:
    """One piece of a table."""

    number: int
    """Its place among all shards of the table, from 0."""
    file: str
    stamp: str
    """What tells the file from another one of the same path: its size and when it was changed, or its etag."""
    unit: Literal["file", "bytes", "row groups"] = "file"
    start: int = 0
    stop: int = 0
    columns: tuple[str, ...] = ()
    """The fields that the table's first records have, where every record names its own."""
    table: str = ""
    """The name of the table, where it is another one than the file's."""
    head: str = ""
    """The file that those are in, for messages."""
    first_record: int = 1
    """The number of its first record among all records of the table, where that is an id."""
    first_in_file: int = 1
    """The number of its first record in its file, where the file tells."""

    weight: int = 0
    """Roughly how many bytes it has."""

    def __str__(self) -> str:
        name = shown_path(self.file)
        if self.unit == "file":
            return name
        return f"{name} ({self.unit} {self.start:,} to {self.stop:,})"


@record
class Reading:
    """How one shard is read, and what only the caller of all shards can judge."""

    shard: Shard
    first_line: int = 1
    """The number of its first line in its file, where somebody counted."""
    lacking: set[str] = declared(default_factory=set)
    """The columns that are needed and that no record of this shard has."""
    roles: frozenset[str] = frozenset()
    """The columns that every record has if one has them, as far as there are any."""
    is_table: bool = False
    """Whether it was read as a part of a table; a protocol may have another way of reading."""
    hashes: array[int] = declared(default_factory=lambda: array("Q"))
    """The hashes of all its ids; none where these are mere positions."""
    wanted: frozenset[int] = frozenset()
    found: list[Identifier] = declared(default_factory=list)
    """The ids whose hashes are wanted."""
    _before: int | None = None

    def lines_before(self) -> int:
        """How many lines of its file come before those that were counted."""
        if self.first_line == 1 and self._before is None:
            self._before = lines_before(self.shard)
        return self._before or 0

    def see(self, ids: Sequence[Identifier]) -> None:
        """Take in the ids of the next records."""
        self.is_table = True
        if isinstance(ids, range):
            return
        hashes = id_hashes(ids)
        self.hashes.extend(hashes)
        if self.wanted:
            self.found += [each for each, value in zip(ids, hashes, strict=True) if value in self.wanted]


def shard_source(reading: Reading, role: str) -> Source:
    """The shard as something to read."""
    source = Source(reading.shard.file, role)
    source.name = reading.shard.table or source.name
    source.reading = reading
    return source


def shard_size(source: Source, at_once: int) -> int:
    """How many bytes of a table make a shard, for so many workers."""
    total = sum(file.size for file in source.table_files())
    return min(max(total // (PIECES_AT_ONCE * at_once), SMALLEST), LARGEST)


def plan(source: Source, size: int) -> list[Shard]:
    """The shards of a table in order, each of about so many bytes; a single one where it cannot be cut."""
    files = source.table_files()
    first = Source(files[0].path, source.role)
    columns = _first_columns(first)
    groups = _row_groups([file.path for file in files if _is_parquet(file) and file.size > size])
    shards: list[Shard] = []
    for file in files:
        shards.extend(_cut(file, size, len(shards), groups.get(file.path)))
    table = source.name if source.is_many else ""
    return [replaced(shard, columns=columns, table=table, head=first.name) for shard in shards]


def _is_parquet(file: File) -> bool:
    return Source(file.path, "table").ending == ".parquet"


def _row_groups(paths: list[str]) -> dict[str, list[tuple[int, int]]]:
    """The bytes and rows of the row groups of files; several are asked at once where they are elsewhere."""
    if not paths:
        return {}
    from fullmarks.readers.tables.parquet import row_groups

    sources = [Source(path, "table") for path in paths]
    if not is_address(paths[0]) or len(paths) == 1:
        return dict(zip(paths, map(row_groups, sources), strict=True))
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(ASKED_AT_ONCE) as threads:
        return dict(zip(paths, threads.map(row_groups, sources), strict=True))


def _cut(file: File, size: int, number: int, groups: Sequence[tuple[int, int]] | None) -> Iterator[Shard]:
    """The shards of one file, numbered from the given one; cut between row groups where these are given."""
    source = Source(file.path, "table")
    if source.is_json_lines and not source.is_compressed and file.size > size:
        count = -(-file.size // size)
        ends = [file.size * at // count for at in range(count + 1)]
        for at in range(count):
            start, stop = ends[at : at + 2]
            yield Shard(number + at, file.path, file.stamp, "bytes", start, stop, weight=stop - start)
    elif groups is not None:
        yield from _grouped(groups, file, size, number)
    else:
        yield Shard(number, file.path, file.stamp, weight=file.size)


def _grouped(groups: Sequence[tuple[int, int]], file: File, size: int, number: int) -> Iterator[Shard]:
    """Row groups, each with its bytes and its rows, put together until they are of that size."""
    start = held = rows = first = 0
    for at, (stored, count) in enumerate(groups, start=1):
        held, rows = held + stored, rows + count
        if held >= size or at == len(groups):
            yield Shard(number, file.path, file.stamp, "row groups", start, at, first_in_file=first + 1, weight=held)
            number, start, held, first = number + 1, at, 0, rows


def _first_columns(source: Source) -> tuple[str, ...]:
    """The fields of the first records, where every record names its own; nothing where there is none."""
    if not source.is_json_lines:
        return ()
    from fullmarks.readers.tables.json_lines import first_keys

    first = next((block for block in source.blocks() if block.strip()), b"")
    return tuple(first_keys(first, 1, source.name)) if first else ()


def lines_before(shard: Shard) -> int:
    """How many lines of its file come before the first one of a shard: counted only if somebody has to be told."""
    if shard.unit != "bytes" or shard.start == 0:
        return 0
    with Source(shard.file, "table").stream() as stream:
        left = line_start(stream, shard.start)
        stream.seek(0)
        count = 0
        while left and (piece := stream.read(min(_PIECE, left))):
            count += piece.count(b"\n")
            left -= len(piece)
    return count


def count_records(shard: Shard) -> int:
    """How many records a shard has."""
    from fullmarks.readers.tables.table import number_of_records

    return number_of_records(shard_source(Reading(shard), "table"))
