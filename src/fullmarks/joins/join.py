"""Gold and predictions joined in parts over any engine: the three steps one after the other, and one audit of all."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from fullmarks.engines.engine import Done, Engine, Task
from fullmarks.errors import UsageError
from fullmarks.jobs.job import Asked
from fullmarks.joins.both_sides import BothSides
from fullmarks.joins.parts import PartScored, ScorePart
from fullmarks.joins.pieces import GatherPiece
from fullmarks.joins.sides import ReadSide, Side, planned
from fullmarks.joins.whole_audit import whole_audit
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.protocol import Protocol
from fullmarks.readers.predictions import RowForm
from fullmarks.readers.shards import shard_size
from fullmarks.readers.source import Source
from fullmarks.types import Audit

PART_BYTES = 1 << 26
"""How much of the input, both sides together, makes a part: what is made of it takes some four times as much memory."""
MOST_PARTS = MOST_SHARDS = 1 << 10
"""How many parts there are at most, and shards of either side: the caller holds a handle for each pair of them."""
WORTH_PARTS = 1 << 30
"""From so many bytes on, files are joined in parts without being asked, where others work on them."""


def parts_for(size: int) -> int:
    """How many parts inputs of so many bytes are best joined in.

    >>> parts_for(1 << 30)
    16
    """
    return min(MOST_PARTS, max(1, -(-size // PART_BYTES)))


def is_worth_parts(rules: Protocol, gold: Source, predictions: Source) -> bool:
    """Whether gold and predictions are so large that others had better join them, and can."""
    if not (gold.is_plain_file and predictions.is_plain_file) or why_not(rules, gold, predictions):
        return False
    return sum(file.size for source in (gold, predictions) for file in source.table_files()) >= WORTH_PARTS


def check_can_join(rules: Protocol, gold: Source, predictions: Source) -> None:
    """An error where gold and predictions cannot be joined in parts."""
    why = why_not(rules, gold, predictions)
    if why:
        raise UsageError(
            f"{why}, so that gold and predictions cannot be joined in parts. Join them in memory: leave spill out"
        )


def why_not(rules: Protocol, gold: Source, predictions: Source) -> str:
    """Why gold and predictions cannot be joined in parts; nothing where they can."""
    why = rules.why_whole
    if not why and not isinstance(rules.prediction_form, RowForm):
        why = f"the predictions of {rules.name} have several parts"
    for source in (gold, predictions):
        if not why and (source.path is None or source.is_shared):
            why = f"{source.name} is no file that can be read by many"
    return why


def joined_parts(
    rules: Protocol,
    gold: Source,
    predictions: Source,
    engine: Engine,
    asked: Asked,
    *,
    parts: int | None = None,
    size: int | None = None,
) -> tuple[Tally, Audit]:
    """The sums over all questions and what was odd about them, as a join in memory gives them; neither side is held.

    `parts` says in how many parts they are joined, `size` how many bytes make a shard of either side; by default so
    many that each fits a worker.
    """
    check_can_join(rules, gold, predictions)
    if asked.checkpoint is not None:
        raise UsageError("a join in parts cannot be gone on with: leave the checkpoint out")
    given, shards = _planned(rules, gold, predictions, engine, asked, size)
    parts = parts or parts_for(sum(side.shard.weight for side in given))
    read = list(engine.run(ReadSide(rules, asked.columns, parts), map(Task, given), parts))
    sides = BothSides(rules, asked, (gold.name, predictions.name), read, shards)
    facts = sides.facts(engine, parts)
    keeps = asked.keep or asked.watch is not None
    keeps_here = keeps or asked.write is not None
    work = ScorePart(rules, asked.columns, gold.name, predictions.name, facts, keeps_here)
    scored = list(engine.run(work, [Task(part, sides.parcels(part)) for part in range(parts)], shards))
    found: list[PartScored] = [done.result for done in scored]
    audit, shape = whole_audit(rules, sides, found), found[0].shape
    left_out = frozenset[str]().union(*(part.left_out for part in found))
    breakdown, metrics = rules.breakdown(shape), rules.metrics_for(shape)
    keeps = keeps or rules.keeps_rows(shape)
    tally = Tally(metrics, tuple(dict.fromkeys((*breakdown, *asked.by))), keep=keeps, counting=asked.counting)
    labelled = tuple(dict.fromkeys((*breakdown, *asked.columns)))
    gather = GatherPiece(metrics, labelled, left_out, keeps, asked.write)
    return _added_up(tally, gather, scored, engine, asked), audit


def _planned(  # noqa: PLR0917 - what there is to plan from
    rules: Protocol, gold: Source, predictions: Source, engine: Engine, asked: Asked, size: int | None
) -> tuple[list[Side], int]:
    """The shards of both sides, those of the gold first, and how many these are."""
    pairing = rules.paired(asked.columns, Audit())
    given = planned(pairing, gold, size or _shard_size(gold, engine), is_gold=True)
    shards = len(given)
    given += planned(pairing, predictions, size or _shard_size(predictions, engine), is_gold=False)
    return given, shards


def _shard_size(source: Source, engine: Engine) -> int:
    total = sum(file.size for file in source.table_files())
    return max(shard_size(source, engine.at_once), -(-total // MOST_SHARDS))


def _added_up(tally: Tally, gather: GatherPiece, scored: Sequence[Done], engine: Engine, asked: Asked) -> Tally:
    """The sums, the rows of every shard of the gold being taken in its order."""
    shards = len(scored[0].parcels)
    tasks = (Task(number, [done.parcels[number] for done in scored]) for number in range(shards))
    with closing(engine.run(gather, tasks)) as run:
        for settled, done in enumerate(run, start=1):
            piece = done.result
            tally.add_piece(piece.n, piece.rows, piece.labels, piece.examples)
            if asked.watch is not None and piece.n:
                asked.watch(piece.examples, piece.rows)
            if asked.advance is not None:
                asked.advance(tally.n, settled, shards)
    return tally
