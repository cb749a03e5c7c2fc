"""Puts protocol, engine and result together: what the Python interface and the command line both call."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain
from typing import Any, TypeVar

from fullmarks.checks import are_labels, check_columns, check_labels, listed_names
from fullmarks.engines.choice import check_workers, run
from fullmarks.errors import InputError, UsageError
from fullmarks.metrics.measure import signature_line
from fullmarks.metrics.tally import Rows, Tally
from fullmarks.protocols import PROTOCOLS
from fullmarks.protocols.protocol import Protocol
from fullmarks.readers.alignment import raise_errors
from fullmarks.readers.documents import collector_paused
from fullmarks.readers.predictions import REPEATED
from fullmarks.readers.source import Source
from fullmarks.result import Result, finished
from fullmarks.types import Audit, Examples, Explanation, FindingKind, Identifier

Key = TypeVar("Key", bound=Hashable)
Watcher = Callable[[Examples, Rows], None]
"""Called with every chunk and its rows as they are made."""

UNSLICEABLE = FindingKind("unsliceable-columns", "columns that cannot be sliced by, left out")


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
    workers: int | None = None,
    watch: Watcher | None = None,
    **options: Any,
) -> Result:
    """Score predictions against gold as the protocol's published scorer does.

    Gold and predictions are paths, file objects or plain objects; without predictions, gold is a table with both.
    `by` names columns to break the scores down by, `also` others to read along. `keep=False` lets go of examples
    and rows once they are added up: of a single table only sums and a few bytes per id stay in memory then.
    `workers` says how many processes to use; by default others are started only where that pays.
    `watch` is called with every chunk of examples and its rows, one array of numbers per metric, as they are made.
    """
    rules = make_protocol(protocol, options)
    audit = Audit()
    expected = "the name of a column or a list of names"
    by, also = listed_names("by", by, expected), listed_names("also", also, expected)
    if watch is not None and not callable(watch):
        raise UsageError(f"watch must be a function of a chunk of examples and its rows, found {watch!r}")
    check_workers(workers)
    chunks = rules.complete(_read(rules, gold, predictions, audit, tuple(dict.fromkeys((*by, *also)))), audit)
    with collector_paused():
        first = next(chunks, None)
        if first is None:
            raise _no_question(gold)
        slices = tuple(dict.fromkeys((*rules.breakdown(first), *by)))
        tally = Tally(rules.metrics_for(first), slices, keep=keep or rules.keeps_rows(first))
        with closing(run(tally.metrics, chain([first], chunks), workers)) as scored:
            for examples, rows in scored:
                tally.add(examples, rows)
                if watch is not None:
                    watch(examples, rows)
    _note_runs(rules, gold if predictions is None else predictions, audit)
    raise_errors(audit, _name(gold if predictions is None else predictions, "predictions"))
    return _result(rules, tally, audit, options)


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

    return list(runs_of(Source(predictions, "predictions"), rules.run_column).values()) or [predictions]


def validate(protocol: str, gold: Any, predictions: Any = None, **options: Any) -> Audit:
    """What is odd about the input, without scoring it; errors in it are findings, not exceptions."""
    rules, audit = make_protocol(protocol, options), Audit()
    for examples in _read(rules, gold, predictions, audit, ()):
        audit.scored += len(examples)
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
    for examples in _read(rules, gold, predictions, audit, ()):
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


def _read(rules: Protocol, gold: Any, predictions: Any, audit: Audit, by: tuple[str, ...]) -> Iterator[Examples]:
    if isinstance(gold, str) and isinstance(predictions, str) and gold == predictions == "-":
        raise UsageError("standard input can be read only once. Pass a file for gold or for the predictions")
    is_known = predictions is None or isinstance(predictions, Source)
    answers = predictions if is_known else Source(predictions, "predictions")
    source = gold if isinstance(gold, Source) else Source(gold, "gold")
    chunks = _with_labels(rules, rules.read(source, answers, audit, by), audit, by, source.name)
    return rules.extracted(chunks, audit)


def _with_labels(
    rules: Protocol, chunks: Iterator[Examples], audit: Audit, by: tuple[str, ...], name: str
) -> Iterator[Examples]:
    """The chunks, if they have the columns to slice by, and what these and the official result need is labels.

    Other columns that the protocol would slice by of itself are left out where they hold none.
    """
    for examples in chunks:
        check_columns(by, examples.columns, name)
        needed = dict.fromkeys((*rules.breakdown(examples), *by))
        for column in needed:
            values = examples.columns.get(column, ())
            check_labels(column, values, name, "Write texts or numbers there, or lists of them.")
        for column in rules.slices:
            if column not in needed and not are_labels(examples.columns.get(column, ())):
                del examples.columns[column]
                audit.add(UNSLICEABLE, "note", count=1, detail=f"'{column}'", where=name)
        yield examples


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
