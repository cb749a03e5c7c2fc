"""Logs as what stands in the place of files: a table of examples, or the gold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fullmarks.errors import InputError
from fullmarks.readers.logs.log import Log, Record
from fullmarks.readers.source import Source
from fullmarks.types import Audit


class LogRecords(Iterable[Record]):
    """The records of a log, each time from its start; what is odd about them is noted the first time only."""

    is_repeatable = True

    def __init__(self, log: Log, audit: Audit, *, allow_failed: bool) -> None:
        self._log = log
        self._audit = audit
        self._allow_failed = allow_failed
        self._is_noted = False

    def __iter__(self) -> Iterator[Record]:
        audit, self._is_noted = Audit() if self._is_noted else self._audit, True
        return self._log.records(audit, allow_failed=self._allow_failed)


def as_table(source: Source, log: Log, audit: Audit, *, allow_failed: bool) -> Source:
    """The same source with the log's records as a table of predictions and right answers."""
    first = next((sample for sample in log.samples() if isinstance(sample.text, str)), None)
    if first is not None and first.references is None:
        found = f"this {log.format.tool} log does not say which answers are right"
        raise InputError(log.name, found, "Pass the gold as well: fullmarks score PROTOCOL GOLD LOG.")
    return source.holding(LogRecords(log, audit, allow_failed=allow_failed))


def as_gold(source: Source, log: Log) -> Source:
    """The same source with the log's questions and their right answers."""
    questions = list(log.questions())
    if not questions:
        found = f"this {log.format.tool} log does not say which answers are right"
        raise InputError(log.name, found, "Pass the benchmark's own gold file.")
    return source.holding(questions)
