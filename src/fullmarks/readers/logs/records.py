"""Logs as what stands in the place of files: a table of examples, or the gold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from fullmarks.errors import InputError
from fullmarks.readers.alignment import MISSING, OnMissing, why_missing
from fullmarks.readers.logs.log import Log, Record, record_of
from fullmarks.readers.predictions import LogOptions
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Identifier, Level


class LogRecords(Iterable[Record]):
    """The records of a log, each time from its start; what is odd about them is noted the first time only.

    A question whose sample has no answer is one without a prediction, under the rule for these.
    """

    is_repeatable = True

    def __init__(self, log: Log, audit: Audit, options: LogOptions, *, on_missing: OnMissing) -> None:
        self._log = log
        self._audit = audit
        self._options = options
        self._on_missing = on_missing
        self._is_noted = False
        self._without: set[Identifier] = set()

    def __iter__(self) -> Iterator[Record]:
        audit, self._is_noted = Audit() if self._is_noted else self._audit, True
        level: Level = "error" if self._on_missing == "error" else "warning"
        for sample, is_usable in self._log.judged(audit, self._options):
            if not sample.is_perturbed:
                self._log.note_no_answer(sample, audit)
            if is_usable:
                yield record_of(sample)
            elif sample.references is not None and not sample.is_perturbed:
                audit.add(MISSING, level, [sample.id], where=self._log.name)
                if self._on_missing == "zero":
                    self._without.add(sample.id)
                    sample.text = ""
                    yield record_of(sample)
        if MISSING.code in audit.findings:
            audit.findings[MISSING.code].detail = why_missing(audit)

    def unanswered(self, ids: Sequence[Identifier]) -> tuple[int, ...]:
        """The positions of those ids that stand for questions without a prediction."""
        return tuple(at for at, found in enumerate(ids) if found in self._without) if self._without else ()


def as_table(source: Source, log: Log, audit: Audit, options: LogOptions, *, on_missing: OnMissing) -> Source:
    """The same source with the log's records as a table of predictions and right answers."""
    first = next((sample for sample in log.samples() if isinstance(sample.text, str)), None)
    if first is not None and first.references is None:
        found = f"this {log.format.tool} log does not say which answers are right"
        raise InputError(log.name, found, "Pass the gold as well: fullmarks score PROTOCOL GOLD LOG.")
    return source.holding(LogRecords(log, audit, options, on_missing=on_missing))


def as_gold(source: Source, log: Log) -> Source:
    """The same source with the log's questions and their right answers."""
    questions = list(log.questions())
    if not questions:
        found = f"this {log.format.tool} log does not say which answers are right"
        raise InputError(log.name, found, "Pass the benchmark's own gold file.")
    return source.holding(questions)
