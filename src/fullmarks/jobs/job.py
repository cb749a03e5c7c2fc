"""The work on one piece of the input: reading it, scoring it. Whoever scores a piece also reads it.

A `Job` pickles and knows all that determines the numbers of a run; given a shard of a table it gives a `Piece`. Pieces
are put together in the order of their shards by `assembly`, whatever engine made them.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any
from typing import Protocol as Interface

from fullmarks.checks import are_labels, check_columns, check_labels
from fullmarks.errors import InputError
from fullmarks.frozen import frozen, record
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Counting, Rows, chunk_rows
from fullmarks.protocols.protocol import Protocol
from fullmarks.readers.documents import collector_paused
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, FindingKind

if TYPE_CHECKING:
    from fullmarks.engines.engine import Buffer
    from fullmarks.engines.numbers import Numbers
    from fullmarks.jobs.checkpoint import Checkpoint
    from fullmarks.metrics.labels import Labels
    from fullmarks.readers.shards import Shard

UNSLICEABLE = FindingKind("unsliceable-columns", "columns that cannot be sliced by, left out")


EXAMPLES_PER_PART = 1 << 18
"""How many examples of an input that is not cut make a part, or a few more."""
Advance = Callable[[int, int, int], None]
"""Called with the number of examples so far, of settled shards and of all shards; 0 where there are none."""


class Part(Interface):
    """Writes the examples of a shard somewhere, whole or not at all. It must pickle."""

    def __call__(self, number: int, metrics: Sequence[Metric], examples: Examples, rows: Rows) -> None:
        """Write the examples of the shard of this number, with their rows."""

    def is_there(self, number: int) -> bool:
        """Whether the shard of this number has been written."""


@frozen
class Asked:
    """What a run is asked for besides the official result."""

    by: tuple[str, ...]
    also: tuple[str, ...]
    keep: bool
    counting: Counting | None = None
    """What intervals will be asked of rows that are not kept."""
    watch: Callable[[Examples, Rows], None] | None = None
    advance: Advance | None = None
    write: Part | None = None
    checkpoint: str | None = None
    """The folder in which finished shards are kept."""
    spills: bool = False
    """Whether gold and predictions are not to be joined in memory."""

    @property
    def in_shards(self) -> bool:
        """Whether something is asked for that is made shard by shard."""
        return self.write is not None or self.checkpoint is not None

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that every example must have."""
        return tuple(dict.fromkeys((*self.by, *self.also)))


def read_chunks(  # noqa: PLR0917 - what is read, and where to say what was found
    rules: Protocol, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...], left_out: set[str]
) -> Iterator[Examples]:
    """The examples as the protocol reads them, their answers taken out where that is asked for.

    Columns that the protocol would slice by of itself and that hold no labels are left out, and named in `left_out`.
    """
    chunks = with_labels(rules, rules.read(gold, predictions, audit, by), by, gold.name, left_out)
    return rules.extracted(chunks, audit)


def with_labels(
    rules: Protocol, chunks: Iterator[Examples], by: tuple[str, ...], name: str, left_out: set[str]
) -> Iterator[Examples]:
    """The chunks, if they have the columns to slice by, and what these and the official result need is labels."""
    for examples in chunks:
        check_columns(by, examples.columns, name)
        needed = dict.fromkeys((*rules.breakdown(examples), *by))
        for column in needed:
            values = examples.columns.get(column, ())
            check_labels(column, values, name, "Write texts or numbers there, or lists of them.")
        for column in rules.slices:
            if column not in needed and not are_labels(examples.columns.get(column, ())):
                del examples.columns[column]
                left_out.add(column)
        yield examples


def note_left_out(columns: set[str], audit: Audit, name: str) -> None:
    """Record the columns that cannot be sliced by."""
    for column in sorted(columns):
        audit.add(UNSLICEABLE, "note", count=1, detail=f"'{column}'", where=name)


class PartsHere:
    """Parts of an input that was read here, not cut: written as soon as enough examples have come."""

    def __init__(self, write: Part, metrics: Sequence[Metric]) -> None:
        self._write = write
        self._metrics = metrics
        self._number = 0
        self._begin()

    def add(self, examples: Examples, rows: Rows) -> None:
        """Take in the next examples."""
        self._examples.extend(examples)
        for held, more in zip(self._rows, rows, strict=True):
            held.extend(more)
        if len(self._examples) >= EXAMPLES_PER_PART:
            self.finish()

    def finish(self) -> None:
        """Write what is left."""
        if len(self._examples) or not self._number:
            self._write(self._number, self._metrics, self._examples, self._rows)
            self._number += 1
            self._begin()

    def _begin(self) -> None:
        self._examples = Examples([], [], [], {})
        self._rows: Rows = tuple(array("d") for _ in self._metrics)


@record
class Piece:
    """What came of one shard, ready to be added up: rows of numbers, not texts."""

    n: int
    rows: Sequence[Numbers]
    """The rows of every metric."""
    labels: dict[str, Labels]
    """The labels of its examples, for every column that is sliced by."""
    audit: Audit
    """Its part of the audit."""
    left_out: set[str]
    lacking: set[str]
    """The columns that are needed and that no record of it has."""
    is_alike: bool
    """Whether it has the columns that decide the shape of the result, as the head of the table has."""
    examples: Examples | None = None
    """The examples themselves, where they are kept."""
    is_known: bool = False
    """Whether a run before this one had scored it."""

    @property
    def arrays(self) -> Rows:
        """The rows of every metric, copied."""
        return tuple(array("d", each.values.tobytes()) for each in self.rows)


@frozen
class Job:
    """What to do with every shard of a table, as its head shows it."""

    rules: Protocol
    by: tuple[str, ...]
    """The columns that every example must have."""
    metrics: tuple[Metric, ...]
    labelled: tuple[str, ...]
    """The columns whose labels are told."""
    breakdown: tuple[str, ...]
    roles: frozenset[str]
    """The columns that every record has."""
    keeps_examples: bool
    write: Part | None
    """What writes the examples of a shard somewhere."""
    checkpoint: Checkpoint | None
    """Where finished shards are kept, and found again by a run that goes on."""
    buckets: int
    """Into how many parcels the hashes of the ids are sorted; 0 where repeats are not looked for."""

    def __call__(self, shard: Shard, inputs: Sequence[Buffer] = ()) -> tuple[Piece, list[bytes]]:
        """The piece, and the hashes of its ids in parcels."""
        del inputs
        is_written = self.write is None or self.write.is_there(shard.number)
        if self.checkpoint is not None and is_written and (found := self.checkpoint.load(shard)) is not None:
            return found
        piece, hashes = self._scored_or_told_where(shard)
        parcels = self._parcels(hashes)
        if self.write is not None and piece.examples is not None:
            self.write(shard.number, self.metrics, piece.examples, piece.arrays)
        if not self.keeps_examples:
            piece.examples = None
        if self.checkpoint is not None:
            self.checkpoint.save(shard, piece, parcels)
        return piece, parcels

    def _scored_or_told_where(self, shard: Shard) -> tuple[Piece, array[int]]:
        """The piece and the hashes of its ids; what cannot be read is read again to say in which line of the file."""
        try:
            return self._scored(shard, 1)
        except InputError:
            from fullmarks.readers.shards import lines_before

            before = lines_before(shard)
            if not before:
                raise
        return self._scored(shard, 1 + before)

    def _scored(self, shard: Shard, first_line: int) -> tuple[Piece, array[int]]:
        from fullmarks.engines.numbers import Numbers
        from fullmarks.metrics.labels import coded
        from fullmarks.readers.shards import Reading, shard_source

        reading = Reading(shard, first_line)
        audit, left_out = Audit(), set[str]()
        chunks = read_chunks(self.rules, shard_source(reading, "gold"), None, audit, self.by, left_out)
        rows: Rows = tuple(array("d") for _ in self.metrics)
        labels: dict[str, list[Any]] = {column: [] for column in self.labelled}
        kept = Examples([], [], [], {}) if self.keeps_examples or self.write is not None else None
        n, is_alike = 0, True
        with collector_paused():
            for examples in self.rules.complete(chunks, audit):
                is_alike = is_alike and self.rules.breakdown(examples) == self.breakdown
                n += len(examples)
                for all_rows, more in zip(rows, chunk_rows(self.metrics, examples), strict=True):
                    all_rows.extend(more)
                for column, values in labels.items():
                    values.extend(examples.columns.get(column) or [None] * len(examples))
                if kept is not None:
                    kept.extend(examples)
        is_alike = is_alike and (not n or reading.roles == self.roles)
        by_column = {column: coded(values) for column, values in labels.items()}
        numbers = tuple(map(Numbers, rows))
        return Piece(n, numbers, by_column, audit, left_out, reading.lacking, is_alike, kept), reading.hashes

    def _parcels(self, hashes: array[int]) -> list[bytes]:
        if not self.buckets:
            return []
        from fullmarks.readers.tables.uniqueness import buckets

        return buckets(hashes, self.buckets)
