"""A table scored shard by shard, the pieces put together in the order of their shards: the same code for every engine.

Sums are left folds over rows in input order, so that the digits are those of one pass; what can be judged only of all
shards together (repeated ids, columns that no record has) is judged here.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from itertools import accumulate, chain
from typing import Any

from fullmarks.engines.engine import Buffer, Engine, Task
from fullmarks.errors import UsageError
from fullmarks.frozen import frozen, replaced
from fullmarks.jobs.job import Asked, Job, note_left_out, read_chunks
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.protocol import Protocol
from fullmarks.readers.alignment import repeated
from fullmarks.readers.predictions import REPEATED
from fullmarks.readers.shards import Reading, Shard, count_records, plan, shard_size, shard_source
from fullmarks.readers.source import Source
from fullmarks.readers.tables.examples import no_slices
from fullmarks.types import Audit, Examples, Identifier

BYTES_PER_BUCKET = 1 << 28
"""How much of a table goes into one bucket of hashes, roughly: they are eight bytes for each record."""
MOST_BUCKETS = 256


def scored_shards(rules: Protocol, source: Source, engine: Engine, asked: Asked) -> tuple[Tally, Audit] | None:
    """The sums over all shards of a table and what was odd about them.

    None where the table has to be read in one piece: if it is one shard, if the protocol reads its files in its own
    way, or if a later shard has columns that decide the shape of the result and the head has not.
    """
    shards = _planned(source, engine, asked)
    if len(shards) < 2 and not asked.in_shards:
        return None
    head = Reading(shards[0])
    first = _head(rules, head, asked)
    if first is None or not head.is_table:
        return None
    if isinstance(first.ids, range):
        shards = numbered(shards, engine)
    job = _job(rules, first, head.roles, asked, shards)
    slices = tuple(dict.fromkeys((*job.breakdown, *asked.by)))
    tally = Tally(job.metrics, slices, keep=job.keeps_examples, counting=asked.counting)
    audit = Audit()
    parcels: list[Sequence[Any]] = []
    left_out, lacking, known = set[str](), set(asked.columns), 0
    with closing(engine.run(job, map(Task, shards), parcels=job.buckets)) as run:
        for settled, done in enumerate(run, start=1):
            piece = done.result
            if not piece.is_alike:
                _tell_unlike(source.name, engine, asked)
                return None
            rows = piece.arrays if job.keeps_examples else tuple(each.values for each in piece.rows)
            tally.add_piece(piece.n, rows, piece.labels, piece.examples)
            audit.merge(piece.audit)
            known += piece.is_known
            left_out |= piece.left_out
            lacking &= piece.lacking
            parcels.append(done.parcels)
            if asked.watch is not None:
                asked.watch(piece.examples, rows)
            if asked.advance is not None:
                asked.advance(tally.n, settled, len(shards))
    if known:
        engine.tell(f"{known} of {len(shards)} shards were finished before and are not scored again")
    for column in (column for column in asked.columns if column in lacking):
        raise no_slices(column, source.name)
    note_left_out(left_out, audit, source.name)
    again = _repeated_ids(parcels, job, shards, engine)
    if again:
        audit.add(REPEATED, "error", again, where=source.name)
    return tally, audit


def _tell_unlike(name: str, engine: Engine, asked: Asked) -> None:
    """Say that a table is read in one piece; an error where somebody has seen some pieces of it already."""
    found = f"{name}: not all of it has the same columns"
    if asked.watch is not None or asked.in_shards:
        raise UsageError(f"{found}, so that it cannot be scored in pieces. Use --engine here and one file of records")
    engine.tell(f"{found}, so that it is read in one piece")


def _planned(source: Source, engine: Engine, asked: Asked) -> list[Shard]:
    """The shards, cut as in the run that this one goes on with."""
    if asked.checkpoint is None:
        return plan(source, shard_size(source, engine.at_once))
    from fullmarks.jobs.checkpoint import Plan, keep_plan, kept_plan

    before = kept_plan(asked.checkpoint)
    size = shard_size(source, engine.at_once) if before is None else before.shard_bytes
    shards = plan(source, size)
    if before is None:
        keep_plan(asked.checkpoint, Plan(size, len(shards)))
    elif before.shards != len(shards):
        found = f"it has {len(shards)} shards now, and had {before.shards} when the run began"
        raise UsageError(f"{source.name}: {found}, so that one cannot go on with the other. Begin anew elsewhere")
    return shards


def _head(rules: Protocol, reading: Reading, asked: Asked) -> Examples | None:
    """The first chunk of the table, which shows the shape of all; None if there is none."""
    chunks = read_chunks(rules, shard_source(reading, "gold"), None, Audit(), asked.columns, set())
    return next(rules.complete(chunks, Audit()), None)


def _job(rules: Protocol, first: Examples, roles: frozenset[str], asked: Asked, shards: Sequence[Shard]) -> Job:
    breakdown = rules.breakdown(first)
    size = sum(shard.weight for shard in shards)
    job = Job(
        rules,
        asked.columns,
        tuple(rules.metrics_for(first)),
        tuple(dict.fromkeys((*breakdown, *asked.columns))),
        breakdown,
        roles,
        keeps_examples=asked.keep or asked.watch is not None or rules.keeps_rows(first),
        write=asked.write,
        checkpoint=None,
        buckets=0 if isinstance(first.ids, range) else min(1 + size // BYTES_PER_BUCKET, MOST_BUCKETS),
    )
    if asked.checkpoint is None:
        return job
    if job.keeps_examples:
        raise UsageError("a checkpoint holds no examples: leave it out, or use keep=False and nothing that watches")
    from fullmarks.jobs.checkpoint import Checkpoint, key_of

    return replaced(job, checkpoint=Checkpoint(asked.checkpoint, key_of(job)))


def numbered(shards: Sequence[Shard], engine: Engine) -> list[Shard]:
    """The shards with the number of each one's first record, for tables in which that is the id."""
    counts = [done.result for done in engine.run(_count, map(Task, shards))]
    starts = accumulate(counts, initial=1)
    return [replaced(shard, first_record=start) for shard, start in zip(shards, starts, strict=False)]


def _count(shard: Shard, inputs: Sequence[Buffer]) -> tuple[int, list[bytes]]:
    """How many records a shard has."""
    del inputs
    return count_records(shard), []


def _repeated_ids(
    parcels: Sequence[Sequence[Any]], job: Job, shards: Sequence[Shard], engine: Engine
) -> list[Identifier]:
    """The ids that come again, in the order of the table: found by their hashes, looked up only where these meet."""
    tasks = [Task(bucket, [handles[bucket] for handles in parcels]) for bucket in range(job.buckets)]
    hashes = frozenset(chain.from_iterable(done.result for done in engine.run(_repeated_hashes, tasks)))
    if not hashes:
        return []
    found = engine.run(IdsOf(job, hashes), map(Task, shards))
    return repeated(chain.from_iterable(done.result for done in found))  # none where different ids share a hash


def _repeated_hashes(bucket: int, inputs: Sequence[Buffer]) -> tuple[list[int], list[bytes]]:
    """The hashes that come more than once in a bucket."""
    from array import array

    from fullmarks.readers.tables.uniqueness import repeated_in

    del bucket
    return array("Q", bytes(repeated_in(map(bytes, inputs)))).tolist(), []


@frozen
class IdsOf:
    """The ids of a shard that have one of these hashes, in their order."""

    job: Job
    hashes: frozenset[int]

    def __call__(self, shard: Shard, inputs: Sequence[Buffer]) -> tuple[list[Identifier], list[bytes]]:
        """Read the shard once more."""
        del inputs
        reading = Reading(shard, wanted=self.hashes)
        for _ in read_chunks(self.job.rules, shard_source(reading, "gold"), None, Audit(), self.job.by, set()):
            pass
        return reading.found, []
