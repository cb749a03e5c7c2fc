"""A score by way of a join in parts, and what of a result must be the same as that of a join in memory."""

from __future__ import annotations

import json
import pickle
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

from fullmarks import evaluate
from fullmarks.engines.engine import Done, Engine, Task, Work
from fullmarks.engines.here import Here
from fullmarks.errors import FullmarksError
from fullmarks.jobs.job import Asked
from fullmarks.joins.join import joined_parts
from fullmarks.readers.source import Source
from fullmarks.result import Result


class Elsewhere(Here):
    """An engine whose tasks might run in another process: everything that goes there and back is pickled."""

    def run(self, work: Work, tasks: Iterable[Task], parcels: int = 0) -> Generator[Done, None, None]:
        """What comes of every task, in order."""
        sent = (Task(pickle.loads(pickle.dumps(task.about)), task.inputs) for task in tasks)
        for done in super().run(pickle.loads(pickle.dumps(work)), sent, parcels):
            yield pickle.loads(pickle.dumps(done))


def score_in_parts(
    protocol: str,
    gold: Path,
    predictions: Path,
    *,
    parts: int,
    shards: int = 1,
    by: tuple[str, ...] = (),
    also: tuple[str, ...] = (),
    keep: bool = True,
    engine: Engine | None = None,
    **options: Any,
) -> Result:
    """What `score` gives, by a join in parts; the larger file is cut into so many shards."""
    rules = evaluate.make_protocol(protocol, options)
    asked, size = Asked(by, also, keep), -(-max(gold.stat().st_size, predictions.stat().st_size) // shards)
    sources = Source(str(gold), "gold"), Source(str(predictions), "predictions")
    with engine or Elsewhere() as where:
        tally, audit = joined_parts(rules, *sources, where, asked, parts=parts, size=size)
    evaluate._check_whole(rules, str(predictions), audit, tally.n)
    return evaluate._result(rules, tally, audit, options)


def told(result: Result) -> dict[str, Any]:
    """All that can be seen of a result."""
    tally = result.tally
    return {
        "official": repr(result.official),
        "scores": repr(result.scores),
        "signature": result.signature,
        "audit": result.audit.to_dict(),
        "totals": repr(tally.totals()),
        "slices": {column: repr(tally.by(column)) for column in tally.slice_columns},
    }


def told_of_examples(result: Result) -> dict[str, Any]:
    """What can be seen of single examples."""
    examples = result.tally.examples
    parts, facts = ({name: list(values) for name, values in each.items()} for each in (examples.parts, examples.facts))
    return {
        "ids": repr(list(examples.ids)),
        "predictions": repr(examples.predictions),
        "references": repr(examples.references),
        "columns": repr(examples.columns),
        "unanswered": examples.unanswered,
        "parts": repr(parts),
        "facts": repr(facts),
        "rows": [rows.tobytes() for rows in result.tally.rows],
    }


def outcome(call: Any, *arguments: Any, **keywords: Any) -> dict[str, Any]:
    """What a call gives, or the error that it raises."""
    try:
        result = call(*arguments, **keywords)
    except FullmarksError as error:
        return {"error": type(error).__name__, "message": str(error)}
    return told(result) | (told_of_examples(result) if keywords.get("keep", True) else {})


def in_memory(protocol: str, gold: Path, predictions: Path, **keywords: Any) -> dict[str, Any]:
    """What a join in memory gives."""
    return outcome(evaluate.score, protocol, str(gold), str(predictions), **keywords)


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    """A file of JSON lines."""
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path
