"""The last step: the rows of all parts go back to the order of one shard of the gold."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from fullmarks.engines.engine import Buffer
from fullmarks.jobs.job import Part
from fullmarks.joins.packing import Chunk, chunks_of, named, unpacked
from fullmarks.joins.parts import PART, PREDICTION
from fullmarks.joins.scattering import ID, picked
from fullmarks.joins.sides import COLUMN, FACT, REFERENCES
from fullmarks.metrics.labels import Labels, coded
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Rows
from fullmarks.readers.documents import collector_paused
from fullmarks.types import Examples

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class JoinedPiece(NamedTuple):
    """The questions of one shard of the gold, scored: as many rows for each metric as there are questions."""

    n: int
    rows: Rows
    labels: dict[str, Labels]
    """The labels of the questions, for every column that is sliced or counted by."""
    examples: Examples | None
    """The examples themselves, where they are kept."""


class GatherPiece(Struct, frozen=True):
    """The work: from the parcels of all parts for a shard to what came of the shard."""

    metrics: tuple[Metric, ...]
    labelled: tuple[str, ...]
    """The columns whose labels are told."""
    left_out: frozenset[str]
    """Columns that cannot be sliced by."""
    keeps: bool
    write: Part | None
    """What writes the examples of a shard somewhere."""

    def __call__(self, number: int, inputs: Sequence[Buffer]) -> tuple[JoinedPiece, Sequence[Buffer]]:
        """The piece; there are no parcels."""
        with collector_paused():
            piece = self._gathered([chunk for parcel in inputs for chunk in chunks_of(parcel)])
        if self.write is not None and piece.examples is not None:
            self.write(number, self.metrics, piece.examples, piece.rows)
        return piece if self.keeps else piece._replace(examples=None), ()

    def _gathered(self, chunks: Sequence[Chunk]) -> JoinedPiece:
        import numpy

        if not chunks:
            labels = {column: coded([]) for column in self.labelled}
            nothing = Examples([], [], [], {}) if self.keeps or self.write is not None else None
            return JoinedPiece(0, tuple(array("d") for _ in self.metrics), labels, nothing)
        positions = numpy.frombuffer(b"".join(chunk.positions for chunk in chunks), dtype=numpy.uint32)
        order = numpy.argsort(positions, kind="stable")
        rows = tuple(
            _ordered_rows(buffers, order) for buffers in zip(*(chunk.buffers[1:] for chunk in chunks), strict=True)
        )
        left_out = {f"{COLUMN}{name}" for name in self.left_out}
        table, at = {}, order.tolist()
        for name in chunks[0].columns:
            if name not in left_out:
                table[name] = picked([value for chunk in chunks for value in unpacked(chunk.columns[name])], at)
        labels = {column: coded(table[f"{COLUMN}{column}"]) for column in self.labelled}
        examples = _examples(table, _unanswered(chunks, order)) if ID in table else None
        return JoinedPiece(len(at), rows, labels, examples)


def _ordered_rows(buffers: Sequence[memoryview], order: NDArray[np.int64]) -> array[float]:
    """The rows of all parts, one after the other, in this order; they are copied once."""
    import numpy

    total = sum(buffer.nbytes for buffer in buffers)
    ordered = array("d", bytes(total))
    if not total:
        return ordered
    rows = numpy.frombuffer(ordered, dtype=numpy.float64).reshape(len(order), -1)
    place = numpy.empty_like(order)
    place[order] = numpy.arange(len(order))
    start = 0
    for buffer in buffers:
        own = numpy.frombuffer(buffer, dtype=numpy.float64).reshape(-1, rows.shape[1])
        rows[place[start : start + len(own)]] = own
        start += len(own)
    return ordered


def _unanswered(chunks: Sequence[Chunk], order: NDArray[np.int64]) -> tuple[int, ...]:
    """The positions in the shard's order of the questions without a prediction."""
    import numpy

    flags, start = numpy.zeros(len(order), dtype=bool), 0
    for chunk in chunks:
        flags[numpy.frombuffer(chunk.buffers[0], dtype=numpy.uint32) + numpy.int64(start)] = True
        start += len(chunk.positions) // 4
    return tuple(numpy.flatnonzero(flags[order]).tolist())


def _examples(table: dict[str, list[Any]], unanswered: tuple[int, ...]) -> Examples:
    return Examples(
        table[ID],
        table[PREDICTION],
        table[REFERENCES],
        named(table, COLUMN),
        unanswered,
        named(table, PART),
        named(table, FACT),
    )
