"""The first step of a join in parts: a shard of the gold or of the predictions is read and dealt out by id."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from fullmarks.engines.engine import Buffer
from fullmarks.errors import InputError
from fullmarks.joins.packing import chunks_of, unpacked
from fullmarks.joins.scattering import ID, Scatter
from fullmarks.protocols.protocol import Protocol
from fullmarks.readers.documents import collector_paused
from fullmarks.readers.pairing import Pairing
from fullmarks.readers.shards import Reading, Shard, lines_before, plan, shard_source
from fullmarks.readers.source import Source
from fullmarks.types import FIRST_IDS, Audit, Identifier

REFERENCES, TEXT, WRONG, COLUMN, FACT, NUMBER = "references", "text", "wrong", "column ", "fact ", "number "
"""The columns of what is put aside, the last three being the beginnings of names."""


class Side(Struct, frozen=True):
    """What a task of this step is about: a shard, and which side it is of."""

    is_gold: bool
    shard: Shard
    in_blocks: bool
    """Whether it is a table; other files are read whole, as one shard."""


def planned(pairing: Pairing, source: Source, size: int, *, is_gold: bool) -> list[Side]:
    """The shards of one side, each of about so many bytes."""
    shards = plan(source, size)
    first = Source(shards[0].file, source.role)
    in_blocks = (pairing.reads_gold_in_blocks if is_gold else pairing.reads_predictions_in_blocks)(first)
    if not in_blocks:
        if len({shard.file for shard in shards}) > 1:
            raise InputError(source.name, "only tables can be in several files, and this is none", "Name one file.")
        shards = [Shard(0, shards[0].file, shards[0].stamp, weight=sum(shard.weight for shard in shards))]
    return [Side(is_gold, shard, in_blocks) for shard in shards]


class SideRead(Struct):
    """What there is to say of a shard once it is read."""

    count: int = 0
    columns: dict[str, None] = {}
    """The names of all columns that were put aside, in order of appearance."""
    lacking: set[str] = set()
    """The columns that are needed and that no record of it has."""
    kinds: set[type] = set()
    """The types of the ids."""
    first: list[Identifier] = []
    """The first ids."""
    first_distinct: dict[Identifier, None] = {}
    """The same, every id once."""
    positional: bool = False
    audit: Audit | None = None

    def see(self, block: dict[str, list[Any]], *, positional: bool) -> None:
        """Take in the next records."""
        ids = block[ID]
        self.positional = self.positional or positional
        self.count += len(ids)
        self.kinds.update(map(type, ids))
        self.columns.update(dict.fromkeys(name for name in block if name != ID))
        self.first += ids[: FIRST_IDS - len(self.first)]
        if len(self.first_distinct) < FIRST_IDS:
            self.first_distinct = dict.fromkeys([*self.first_distinct, *dict.fromkeys(ids)][:FIRST_IDS])

    @property
    def findings(self) -> Audit:
        """What was odd about it."""
        if self.audit is None:
            self.audit = Audit()
        return self.audit


class ReadSide(Struct, frozen=True):
    """The work: reads a shard as the protocol does, and puts its records into one parcel for each part."""

    rules: Protocol
    wanted: tuple[str, ...]
    parts: int

    def __call__(self, side: Side, inputs: Sequence[Buffer]) -> tuple[SideRead, Sequence[Buffer]]:
        """What was read, and the parcels.

        What carries a place is read once more, the lines before it counted.
        """
        del inputs
        try:
            found = self._read(side, 1)
        except InputError:
            found = None
        if found is not None and not any(finding.detail for finding in found[0].findings.findings.values()):
            return found
        return self._read(side, 1 + lines_before(side.shard))

    def _read(self, side: Side, first_line: int) -> tuple[SideRead, Sequence[Buffer]]:
        role = "gold" if side.is_gold else "predictions"
        reading = Reading(side.shard, first_line)
        source = shard_source(reading, role) if side.in_blocks else Source(side.shard.file, role)
        read, scatter = SideRead(), Scatter(self.parts)
        pairing = self.rules.paired(self.wanted, read.findings)
        with collector_paused():
            for block, positional in _blocks(pairing, source, side, read.findings):
                read.see(block, positional=positional)
                scatter.add(block)
            read.lacking = reading.lacking
            return read, scatter.parcels()


def _blocks(pairing: Pairing, source: Source, side: Side, audit: Audit) -> Iterator[tuple[dict[str, list[Any]], bool]]:
    """The records as columns to be put aside, and whether their ids are positions only."""
    if side.is_gold:
        for gold in pairing.gold_blocks(source, audit, in_blocks=side.in_blocks):
            columns = {f"{COLUMN}{name}": values for name, values in gold.columns.items()}
            facts = {f"{FACT}{name}": values for name, values in gold.facts.items()}
            yield {ID: gold.ids, REFERENCES: gold.references, **columns, **facts}, False
        return
    for rows in pairing.prediction_blocks(source, audit, in_blocks=side.in_blocks):
        numbers = {f"{NUMBER}{name}": values for name, values in rows.numbers.items()}
        wrong = {WRONG: list(map(rows.wrong.get, rows.ids))} if rows.wrong else {}
        yield {ID: rows.ids, TEXT: rows.texts, **wrong, **numbers}, rows.positional


def has_equal_texts(about: Any, inputs: Sequence[Buffer]) -> tuple[bool, Sequence[Buffer]]:
    """Whether two questions of a part have ids of the same text, as 1 and "1" have."""
    del about
    ids = [str(each) for parcel in inputs for chunk in chunks_of(parcel) for each in unpacked(chunk.columns[ID])]
    return len(set(ids)) < len(ids), ()
