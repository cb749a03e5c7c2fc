"""Logs of other tools, several of them and of different tools too, as one table of examples."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from fullmarks.checks import is_address, shown_path
from fullmarks.errors import InputError, UsageError
from fullmarks.readers.logs.files import log_of, rows_of_table
from fullmarks.readers.logs.findings import NOT_WANTED
from fullmarks.readers.logs.log import FILTER, Record, is_wanted, none_wanted
from fullmarks.readers.predictions import ID_NAMES, RUN, LogOptions
from fullmarks.readers.records import read_values
from fullmarks.readers.source import Source
from fullmarks.readers.tables.table import is_table
from fullmarks.readers.tables.uniqueness import HashedIds, repeated_ids
from fullmarks.text.kernel import id_hashes
from fullmarks.types import Audit

LOG = "log"
"""The column that names the file, where there are several."""
_TELLING = ("filter", "task", "model", LOG)
"""The columns that may tell samples of one id apart, the likeliest first."""
_AT_ONCE = 1 << 12
_TOOLS = "lm-evaluation-harness, lmms-eval, Inspect, lighteval, HELM and VLMEvalKit"


def import_logs(
    logs: Any,
    *,
    only: Mapping[str, Any] | None = None,
    prefix: str | None = None,
    allow_failed: bool = False,
) -> ImportedLogs:
    """The samples of other tools' logs as records of a table of examples, to be gone through as often as wanted.

    `logs` is a path or a list of paths; a log may also be given as the object that its JSON holds. A record has an
    `id`, a `prediction` and, where the log says them, `references`, and columns such as `task`, `question` and the
    tool's own scores. `only` keeps the samples that have these values in these columns; `prefix` names a column whose
    value is put before every id, where ids of several tasks are the same. A sample that comes twice is an error
    unless a column `run` tells the two apart. What was left out is counted in `audit`, once all was gone through.
    """
    return ImportedLogs(logs, only=only, prefix=prefix, allow_failed=allow_failed)


class ImportedLogs(Iterable[Record]):
    """The records of logs, made anew each time they are gone through; the audit is that of the last time."""

    is_repeatable = True

    def __init__(
        self, logs: Any, *, only: Mapping[str, Any] | None = None, prefix: str | None = None, allow_failed: bool = False
    ) -> None:
        self.audit = Audit()
        self._sources = [Source(log, LOG) for log in _listed(logs)]
        self._only = {name: str(value) for name, value in (only or {}).items()}
        self._prefix = prefix
        self._allow_failed = allow_failed
        _check_different(self._sources)

    def __repr__(self) -> str:
        names = ", ".join(source.name for source in self._sources[:3])
        more = ", ..." if len(self._sources) > 3 else ""
        return f"ImportedLogs({names}{more})"

    def __iter__(self) -> Iterator[Record]:
        self.audit = audit = Audit()
        self._hold_streams()
        with HashedIds() as seen:
            records = self._records(audit)
            while part := list(islice(records, _AT_ONCE)):
                audit.predictions += len(part)
                seen.add_hashes(id_hashes([_key(record) for record in part]))
                yield from part
            hashes = seen.repeated()
        if not audit.predictions:
            raise self._nothing(audit)
        if hashes:
            self._refuse_repeats(hashes)

    def _hold_streams(self) -> None:
        """Read what can be read only once, and keep it: everything may be gone through again."""
        for at, source in enumerate(self._sources):
            if not source.is_object and (source.path is None or not source.is_plain_file):
                self._sources[at] = source.holding(read_values(source))

    def columns(self) -> list[str]:
        """The names of all columns that some record has, in the order of their appearance; reads everything."""
        return list(dict.fromkeys(name for record in self._records(Audit()) for name in record))

    def _records(self, audit: Audit) -> Iterator[Record]:
        """The records that are asked for."""
        for record in self._all(audit):
            if is_wanted(record, self._only):
                yield self._with_prefix(record)
            else:
                audit.add(NOT_WANTED, "note", [record["id"]])

    def _all(self, audit: Audit) -> Iterator[Record]:
        """All records, with the name of their log where there are several."""
        several = len(self._sources) > 1
        for source in self._sources:
            name = os.path.basename(source.name)  # noqa: PTH119 - a name, no path
            for record in self._of_source(source, audit):
                yield {**record, LOG: name} if several else record

    def _of_source(self, source: Source, audit: Audit) -> Iterator[Record]:
        log = log_of(source)
        if log is not None:
            return log.records(audit, LogOptions(self._allow_failed, self._only.get(FILTER)))
        if source.is_object or not is_table(source):
            found = "this is neither a table nor the log of a tool that is known"
            raise InputError(source.name, found, f"Read are the logs of {_TOOLS} (docs/logs.md).")
        return _numbered(rows_of_table(source))

    def _with_prefix(self, record: Record) -> Record:
        if self._prefix is None:
            return record
        value = record.get(self._prefix)
        if value is None:
            columns = ", ".join(f"'{column}'" for column in record)
            found = f"has no '{self._prefix}' to put before its id; its columns are {columns}"
            raise UsageError(f"the sample {record['id']!r} {found}. Name another column")
        return {**record, "id": f"{value}/{record['id']}"}

    def _nothing(self, audit: Audit) -> InputError:
        """The error about logs of which nothing is left."""
        names = ", ".join(source.name for source in self._sources)
        if NOT_WANTED.code not in audit.findings:
            return InputError(names, "there is no sample in it", "Check that it was written completely.")
        return none_wanted(names, audit.findings[NOT_WANTED.code].count, self._only, self._all(Audit()))

    def _refuse_repeats(self, hashes: Any) -> None:
        """An error that says which samples come again, what tells them apart, and what to do."""
        keys = repeated_ids((_key(record) for record in self._records(Audit())), hashes)
        if not keys:
            return
        again = set(keys)
        values: dict[str, dict[str, None]] = {name: {} for name in _TELLING}
        for record in self._records(Audit()):
            if _key(record) in again:
                for name in _TELLING:
                    if name in record:
                        values[name].setdefault(str(record[name]))
        shown = ", ".join(repr(str(key).partition("\0")[2]) for key in keys[:3])
        come = "sample comes" if len(keys) == 1 else "samples come"
        found = f"{len(keys)} {come} again under the same id, such as {shown}"
        raise InputError(self._sources[0].name, *_told_apart(found, values))


def _told_apart(found: str, values: Mapping[str, Mapping[str, None]]) -> tuple[str, str]:
    """The problem with what tells the samples apart, and the advice that follows from that."""
    name = next((name for name in _TELLING if len(values[name]) > 1), None)
    if name is None:
        return f"{found}, and nothing tells them apart", "Leave one of them out of the log."
    shown = ", ".join(f"'{value}'" for value in islice(values[name], 5))
    first = next(iter(values[name]))
    advice = f"Take those of one: --only {name}={first}; or keep all under ids of their own: --prefix {name}."
    return f"{found}; they are of the {name}s {shown}", advice


def _listed(logs: Any) -> list[Any]:
    """The logs one by one: a path or an object is one, a list of paths several."""
    is_list = isinstance(logs, (list, tuple)) and all(isinstance(log, (str, os.PathLike)) for log in logs)
    listed = list(logs) if is_list else [logs]
    if not listed:
        raise UsageError("import_logs needs at least one log, found an empty list")
    return [part for log in listed for part in _parts(log)]


def _parts(log: Any) -> list[Any]:
    """The files that a folder or pattern stands for; anything else is itself."""
    if not isinstance(log, (str, os.PathLike)):
        return [log]
    source = Source(log, LOG)
    return [part.path for part in source.parts()] if source.is_many else [log]


def _check_different(sources: Sequence[Source]) -> None:
    """An error if a file is named twice, by whatever name."""
    seen: dict[Any, str] = {}
    for source in sources:
        if source.path is None:
            continue
        key: Any = source.path
        if not is_address(source.path):
            with suppress(OSError, ValueError):  # who opens it will say what is wrong
                facts = os.stat(source.path)  # noqa: PTH116 - any text
                key = (facts.st_dev, facts.st_ino, source.sheet)
        if key in seen:
            raise UsageError(f"{shown_path(source.path)}: this log is given twice, also as '{seen[key]}'. Name it once")
        seen[key] = shown_path(source.path)


def _key(record: Record) -> str:
    """What must be different for every record: its id, in its run."""
    return f"{record.get(RUN, '')}\0{record['id']}"


def _numbered(rows: Iterator[Record]) -> Iterator[Record]:
    """The rows of a table, with their numbers as ids where they have none."""
    for number, row in enumerate(rows, start=1):
        name = next((name for name in ID_NAMES if row.get(name) not in (None, "")), None)
        others = {column: value for column, value in row.items() if column not in ("id", name)}
        yield {"id": number if name is None else row[name], **others}
