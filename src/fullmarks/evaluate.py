"""Puts protocol, engine and result together: what the Python interface and the command line both call."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from fullmarks.checks import check_kind, listed_names
from fullmarks.engines.choice import (
    chosen_engine,
    engine_of,
    for_expensive_metrics,
    models_of,
    runs_models_here,
    scored_chunks,
)
from fullmarks.errors import InputError, UsageError
from fullmarks.jobs.job import Advance, Asked, Part, PartsHere, note_left_out, read_chunks
from fullmarks.metrics.measure import signature_line
from fullmarks.metrics.tally import Counting, Rows, Tally
from fullmarks.protocols import PROTOCOLS
from fullmarks.protocols.protocol import Protocol
from fullmarks.readers.alignment import MISSING, raise_errors
from fullmarks.readers.documents import collector_paused
from fullmarks.readers.predictions import REPEATED
from fullmarks.readers.source import Source
from fullmarks.result import Result, finished
from fullmarks.types import Audit, Examples, Explanation, Identifier

if TYPE_CHECKING:
    from fullmarks.engines.engine import Engine

Key = TypeVar("Key", bound=Hashable)
Watcher = Callable[[Examples, Rows], None]
"""Called with every chunk and its rows as they are made."""


def make_protocol(name: str, options: dict[str, Any]) -> Protocol:
    """The protocol of that name with its options, or an error that names the option it does not have."""
    protocol: Protocol = PROTOCOLS.make(name, options)
    return protocol


def score(
    protocol: str,
    gold: Any,
    predictions: Any = None,
    *,
    by: str | Sequence[str] = (),
    also: str | Sequence[str] = (),
    keep: bool = True,
    intervals: bool = False,
    cluster: str | None = None,
    workers: int | None = None,
    engine: str | Engine | None = None,
    spill: str | None = None,
    watch: Watcher | None = None,
    advance: Advance | None = None,
    progress: bool = False,
    write: Part | None = None,
    checkpoint: str | None = None,
    **options: Any,
) -> Result:
    """Score predictions against gold as the protocol's published scorer does.

    Gold and predictions are paths, file objects, data frames, datasets or plain objects; without predictions, gold is a
    table with both.
    `by` names columns to break the scores down by, `also` others to read along. `keep=False` lets go of examples
    and rows once they are added up: of a single table only sums and a few bytes per id stay in memory then.
    `intervals=True` counts rows that are not kept, so that `fullmarks.confidence` has the same intervals of them, for
    the columns of `by` and over clusters of the column `cluster` too; memory then grows with the number of clusters.
    `engine` says where the work is done: "here", "cores" (or "cores:4"), "ray" (or "ray:ADDRESS"), or an engine of
    one's own; the digits are the same. `workers` is the number of processes for "cores"; without either, others are
    started only where that pays.
    `spill` names a folder for what does not fit in memory: gold and predictions of two files are then joined in parts,
    neither of them being held. Not every protocol can. One table of both is never held, and needs no such folder.
    `watch` is called with every chunk of examples and its rows, one array of numbers per metric, as they are made;
    `advance` with the number of examples so far, and of the shards that are settled and of all. `progress=True` shows
    these as a bar: on standard error where that is a terminal, below the cell in a notebook, elsewhere not at all.
    `write` is called with the number of every shard, the metrics, its examples and rows, by whoever scores it.
    `checkpoint` names a folder in which finished shards are kept: a run that was cut short goes on there.
    """
    rules = make_protocol(protocol, options)
    expected = "the name of a column or a list of names"
    by, also = listed_names("by", by, expected), listed_names("also", also, expected)
    for name, function in (("watch", watch), ("advance", advance)):
        if function is not None and not callable(function):
            raise UsageError(f"{name} must be a function, found {function!r}")
    check_kind("intervals", intervals, bool)
    check_kind("progress", progress, bool)
    check_kind("cluster", cluster, str, or_none=True)
    counting = Counting(by, cluster) if intervals else None
    also = (*also, *filter(None, [cluster]))
    with _shown(advance) if progress else nullcontext(advance) as told:
        asked = Asked(by, also, keep, counting, watch, told, write, checkpoint, spills=spill is not None)
        with chosen_engine(engine, workers, spill) as where, models_of(where):
            tally, audit = _scored(rules, gold, predictions, asked, where)
    _check_whole(rules, gold if predictions is None else predictions, audit, tally.n)
    return _result(rules, tally, audit, options)


@contextmanager
def _shown(advance: Advance | None) -> Iterator[Advance | None]:
    """A function that shows how far the work is and tells the one given; that one where nobody looks."""
    from fullmarks.progress_bar import shown_progress

    with shown_progress() as shown:
        if shown is None or advance is None:
            yield advance if shown is None else shown.advance
            return
        tell, show = advance, shown.advance

        def both(examples: int, settled: int, shards: int) -> None:
            show(examples, settled, shards)
            tell(examples, settled, shards)

        yield both


def score_all(
    protocol: str,
    gold: Any,
    predictions: Mapping[Key, Any],
    *,
    by: str | Sequence[str] = (),
    also: str | Sequence[str] = (),
    watch: Watcher | None = None,
    **options: Any,
) -> dict[Key, Result]:
    """The result of every system by name, each as `score` gives it; the gold is read once for all of them."""
    source = Source(gold, "gold").shared()
    return {
        name: score(protocol, source, answers, by=by, also=also, watch=watch, **options)
        for name, answers in predictions.items()
    }


def split_runs(protocol: str, predictions: Any, **options: Any) -> list[Any]:
    """The predictions of every run, each to be scored alone: several where a table has a column that tells them apart.

    That is the column `run`, or the one that the option `columns` names so.
    """
    rules = make_protocol(protocol, options)
    if not rules.tables:
        return [predictions]
    from fullmarks.readers.run_column import runs_of

    source = Source(predictions, "predictions")
    is_repeatable = source.is_repeatable
    source.hold()
    return list(runs_of(source, rules.run_column).values()) or [predictions if is_repeatable else source]


def validate(protocol: str, gold: Any, predictions: Any = None, **options: Any) -> Audit:
    """What is odd about the input, without scoring it; errors in it are findings, not exceptions."""
    rules, audit = make_protocol(protocol, options), Audit()
    left_out: set[str] = set()
    for examples in read_chunks(rules, *_sources(gold, predictions), audit, (), left_out):
        audit.scored += len(examples)
    note_left_out(left_out, audit, _name(gold, "gold"))
    if not audit.gold:
        raise _no_question(gold)
    _note_runs(rules, gold if predictions is None else predictions, audit)
    return audit


def explain(
    protocol: str,
    gold: Any,
    predictions: Any = None,
    *,
    id: Identifier,  # noqa: A002 - the word that users type
    **options: Any,
) -> Explanation:
    """Why the example with this id got its scores."""
    rules = make_protocol(protocol, options)
    audit, wanted, longer = Audit(), str(id), ""
    for examples in read_chunks(rules, *_sources(gold, predictions), audit, (), set()):
        for position, identifier in enumerate(map(str, examples.ids)):
            if identifier == wanted:
                if position in examples.unanswered:
                    raise UsageError(f"the question {id!r} has no prediction, so there is nothing to explain")
                return rules.explanation(examples[position])
            if not longer and identifier.startswith(wanted):
                longer = identifier
    advice = f"Did you mean {longer!r}?" if longer else "Check the id, or run: fullmarks validate"
    raise UsageError(f"no question has the id {id!r}; {audit.gold} were read. {advice}")


def _note_runs(rules: Protocol, table: Any, audit: Audit) -> None:
    """Record that rows of one id are those of several runs, where they are: no rule for repeats makes them one."""
    if REPEATED.code not in audit.findings or not rules.tables:
        return
    from fullmarks.readers.run_column import SEVERAL_RUNS, runs_of

    source = table if isinstance(table, Source) else Source(table, "predictions")
    runs = runs_of(source, rules.run_column) if source.is_repeatable else {}
    if len(runs) > 1:
        repeated = audit.findings.pop(REPEATED.code)
        detail = f"the column '{rules.run_column.name}' has {len(runs)} values for the same questions"
        audit.add(SEVERAL_RUNS, "error", repeated.first_ids, count=repeated.count, detail=detail, where=source.name)


def _check_whole(rules: Protocol, predictions: Any, audit: Audit, scored: int) -> None:
    """Add what only the whole input shows, then raise the errors that were found, if there are any."""
    _note_runs(rules, predictions, audit)
    _refuse_unreadable(rules, predictions, audit, scored)
    raise_errors(audit, _name(predictions, "predictions"))


def _refuse_unreadable(rules: Protocol, predictions: Any, audit: Audit, scored: int) -> None:
    """Make it an error that the rule finds no answer in any prediction of a file.

    The score would be that of a wrong format, not of the system. Objects that Python code passes are only warned
    about: a training loop must not end because a model that has not learned anything yet writes nonsense.
    """
    source = predictions if isinstance(predictions, Source) else Source(predictions, "predictions")
    if source.path is None:
        return
    missing = audit.findings.get(MISSING.code) if rules.on_missing == "zero" else None
    answered = scored - (missing.count if missing else 0)
    for finding in audit.findings.values():
        if finding.is_unreadable and finding.count >= answered > 0:
            finding.level, finding.where = "error", source.name
            finding.detail = "; ".join(filter(None, ["that is all of them", finding.detail]))


def _scored(rules: Protocol, gold: Any, predictions: Any, asked: Asked, engine: Engine | None) -> tuple[Tally, Audit]:
    """The sums over all examples and what was odd about them: shard by shard where a table can be cut and others work
    on it, chunk by chunk otherwise.
    """
    source, answers = _sources(gold, predictions)
    if rules.only and not rules.is_log(answers or source):
        name = (answers or source).name
        raise UsageError(f"only picks samples of another tool's log, and {name} is none. Leave only out")
    if answers is None and (asked.in_shards or engine is None or engine.works_elsewhere):
        found = _scored_shards(rules, source, asked, engine)
        if found is not None:
            return found
    if answers is not None and engine is not None and (asked.spills or _is_large(engine, rules, source, answers)):
        from fullmarks.joins.join import joined_parts

        return joined_parts(rules, source, answers, engine, asked)
    audit, left_out = Audit(), set[str]()
    chunks = rules.complete(read_chunks(rules, source, answers, audit, asked.columns, left_out), audit)
    with collector_paused():
        first = next(chunks, None)
        if first is None:
            raise _no_question(gold)
        slices = tuple(dict.fromkeys((*rules.breakdown(first), *asked.by)))
        is_kept = asked.keep or rules.keeps_rows(first)
        tally = Tally(rules.metrics_for(first), slices, keep=is_kept, counting=asked.counting)
        parts = None if asked.write is None else PartsHere(asked.write, tally.metrics)
        with closing(scored_chunks(tally.metrics, chain([first], chunks), engine)) as scored:
            for examples, rows in scored:
                tally.add(examples, rows)
                if asked.watch is not None:
                    asked.watch(examples, rows)
                if asked.advance is not None:
                    asked.advance(tally.n, 0, 0)
                if parts is not None:
                    parts.add(examples, rows)
    if parts is not None:
        parts.finish()
    note_left_out(left_out, audit, source.name)
    return tally, audit


def _is_large(engine: Engine, rules: Protocol, gold: Source, predictions: Source) -> bool:
    """Whether two files are better joined in parts, where others can do that."""
    if not engine.works_elsewhere:
        return False
    from fullmarks.joins.join import is_worth_parts

    return is_worth_parts(rules, gold, predictions)


def _scored_shards(rules: Protocol, source: Source, asked: Asked, engine: Engine | None) -> tuple[Tally, Audit] | None:
    """The same over the shards of a table; None where it is not cut, or nothing is gained by it."""
    if not rules.can_be_cut or not source.is_plain_file or runs_models_here(engine, rules.metrics()):
        return None
    if not asked.in_shards and engine is None and not any(metric.is_expensive for metric in rules.metrics()):
        return None
    from fullmarks.jobs.assembly import scored_shards
    from fullmarks.readers.tables.table import is_table

    if not is_table(source) or rules.is_log(source):
        return None
    if engine is not None:
        return scored_shards(rules, source, engine, asked)
    if asked.in_shards:
        with engine_of("here") as here:
            return scored_shards(rules, source, here, asked)
    with for_expensive_metrics() as found:
        return None if found is None else scored_shards(rules, source, found, asked)


def _sources(gold: Any, predictions: Any) -> tuple[Source, Source | None]:
    if isinstance(gold, str) and isinstance(predictions, str) and gold == predictions == "-":
        raise UsageError("standard input can be read only once. Pass a file for gold or for the predictions")
    is_known = predictions is None or isinstance(predictions, Source)
    answers = predictions if is_known else Source(predictions, "predictions")
    return gold if isinstance(gold, Source) else Source(gold, "gold"), answers


def _name(origin: Any, role: str) -> str:
    return (origin if isinstance(origin, Source) else Source(origin, role)).name


def _no_question(gold: Any) -> InputError:
    return InputError(_name(gold, "gold"), "there is no question in it", "Check that this is the gold file.")


def _result(rules: Protocol, tally: Tally, audit: Audit, options: dict[str, Any]) -> Result:
    if tally.n == 0:
        raise InputError("gold and predictions", "no question is left to score", "Check --on-missing and --limit.")
    audit.scored = tally.n
    return Result(
        rules.name,
        rules.official(tally, audit),
        finished(tally, tally.totals()),
        signature_line(rules.name, rules.signature_of(tally), tally.n),
        audit,
        rules.scale,
        tally,
        rules,
        options,
    )
