"""Predictions that have named parts: an answer and its supporting facts, its evidence, whether there is one at all.

They may come as `{part: {id: value}}`, as rows with one field a part, as `{id: {part: value}}`, or as `{id: value}` for
the main part alone. Each part is kept by id under the rule for repeated ids; one of a wrong kind is an error where a
question asks for it.
Where a form says how answers alone are read, predictions without any other part are told from those with parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Set
from typing import Any, Literal

import msgspec

from fullmarks.errors import InputError
from fullmarks.readers.documents import Pairs, kind_of, looks_like_lines, pairs_of
from fullmarks.readers.logs.files import log_of
from fullmarks.readers.logs.log import log_of_document
from fullmarks.readers.predictions import REPEATED, LogOptions, OnDuplicate, RowForm
from fullmarks.readers.records import read_values
from fullmarks.readers.repeated_keys import has_repeated_keys, repeated_key_error
from fullmarks.readers.saved_run import refuse_saved_run
from fullmarks.readers.source import Source
from fullmarks.types import Audit, FindingKind, Identifier, Level

WRONG_PART = FindingKind(
    "wrong-part", "predictions whose part '{part}' is not {expected}", "Write '{part}' as {expected}"
)
Kind = Literal["text", "text or list", "list", "any"]
_KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "text": ((str,), "a text"),
    "text or list": ((str, list), "a text or a list of texts"),
    "list": ((list,), "a list"),
}


class Part(msgspec.Struct, frozen=True):
    """One part: the field of a row that holds it, and what it must be."""

    field: str
    kind: Kind = "text"

    def allows(self, value: Any) -> bool:
        """Whether the value is of the part's kind."""
        if self.kind == "any":
            return True
        if self.kind == "text or list" and isinstance(value, list):
            return all(isinstance(item, str) for item in value)
        return isinstance(value, _KINDS[self.kind][0])

    @property
    def expected(self) -> str:
        """What it must be, in words."""
        return _KINDS[self.kind][1]


class PartsForm(msgspec.Struct, frozen=True):
    """The parts by name, the main one first, and the fields that make the id."""

    parts: dict[str, Part]
    id: str | tuple[str, ...] = "id"
    is_by_part: bool = False
    """Whether the official file is `{part: {id: value}}`."""
    alone: RowForm | None = None
    """How answers alone are read, as those of any benchmark; None where an answer is always one part of several."""
    log_options: LogOptions = LogOptions()

    @property
    def main(self) -> str:
        """The part that is the answer."""
        return next(iter(self.parts))

    @property
    def id_fields(self) -> tuple[str, ...]:
        """The fields of the id."""
        return (self.id,) if isinstance(self.id, str) else self.id


Parts = dict[str, dict[Identifier, Any]]
"""The values of every part by id."""
Values = Iterator[tuple[str, Identifier, Any]]
"""The name of a part, the id, and its value."""


def answers_alone(source: Source, form: PartsForm) -> Source | None:
    """The source of the answers if no other part is in it; None where there are more, or the form wants them all."""
    if form.alone is None:
        return None
    if log_of(source) is not None:
        return source
    document = _document(source)
    if isinstance(document, Pairs):
        document = dict(document)
    others = [part.field for name, part in form.parts.items() if name != form.main]
    if form.is_by_part and isinstance(document, dict):
        if any(field in document for field in others):
            return None
        answers = document.get(form.parts[form.main].field)
        if isinstance(answers, (dict, Pairs)):
            return source.holding(answers)
    rows = document.values() if isinstance(document, dict) else document
    if isinstance(rows, Iterable) and any(_has_field(row, others) for row in rows):
        return None
    return source.holding(document) if source.is_object else source


def _has_field(row: Any, fields: list[str]) -> bool:
    return isinstance(row, (dict, Pairs)) and not dict(row).keys().isdisjoint(fields)


def read_parts(source: Source, audit: Audit, *, on_duplicate: OnDuplicate, form: PartsForm) -> Parts:
    """All parts of all predictions of a source, whatever they are, under the rule for repeated ids."""
    log, document = log_of(source), None
    if log is None:
        document = _document(source)
        refuse_saved_run(document, source.name)
        log = log_of_document(document, source.name)
    if log is None:
        found = _values(document, source.name, form)
    else:
        answers = log.answers(audit, form.log_options)
        found = ((form.main, identifier, text) for identifier, text in answers)
    taken: Parts = {name: {} for name in form.parts}
    again: dict[str, Counter[Identifier]] = {name: Counter() for name in form.parts}
    for name, identifier, value in found:
        if identifier in taken[name]:
            again[name][identifier] += 1
            if on_duplicate != "last":
                continue
        taken[name][identifier] = value
    repeated = dict.fromkeys(identifier for counts in again.values() for identifier in counts)
    if repeated:
        level: Level = "error" if on_duplicate == "error" else "warning"
        dropped = sum(max(counts[identifier] for counts in again.values()) for identifier in repeated)
        audit.add(REPEATED, level, list(repeated), count=dropped, where=source.name)
    return taken


def drop_wrong_parts(parts: Parts, asked: Set[Identifier], form: PartsForm, audit: Audit, name_of_file: str) -> None:
    """Take out the parts of these questions that are of a wrong kind, as errors; those of others are not looked at."""
    for name, part in form.parts.items():
        wrong = [each for each, value in parts[name].items() if each in asked and not part.allows(value)]
        for identifier in wrong:
            kind = WRONG_PART.about(part=name, expected=part.expected)
            detail = f"{identifier!r} has {kind_of(parts[name].pop(identifier))}"
            audit.add(kind, "error", [identifier], detail=detail, where=name_of_file)


def _document(source: Source) -> Any:
    """The document; ids that come twice in an object are kept, for they have a rule of their own."""
    if source.is_object or source.is_json_lines or not source.read().lstrip().startswith(b"{"):
        return read_values(source)
    data = source.read()
    if looks_like_lines(data):
        return read_values(source)
    if not has_repeated_keys(data):
        return read_values(source)
    import json

    try:
        return json.loads(data, object_pairs_hook=Pairs)
    except (ValueError, RecursionError):
        return read_values(source)  # for the error that says where


def _values(document: Any, name: str, form: PartsForm) -> Values:
    """Every part's name, id and value, in file order."""
    if isinstance(document, list) and not isinstance(document, Pairs):
        yield from _from_rows(document, name, form)
    elif not isinstance(document, (dict, Pairs)):
        fields = ", ".join(f"'{part.field}'" for part in form.parts.values())
        problem = f"expected an object or a list of rows with {fields}, found {kind_of(document)}"
        raise InputError(name, problem, "Check that this is the predictions file.")
    elif form.is_by_part and any(part.field in dict(document) for part in form.parts.values()):
        yield from _by_part(_once(document, name), name, form)
    elif _is_row(dict(document), form):
        yield from _from_rows([_once(document, name)], name, form)
    else:
        yield from _by_id(pairs_of(document), name, form)


def _by_part(document: dict[str, Any], name: str, form: PartsForm) -> Values:
    for part, described in form.parts.items():
        if form.alone is not None and described.field not in document:
            problem = f"the part '{described.field}' is missing, found {', '.join(map(repr, document))}"
            raise InputError(name, problem, "Add it, as an empty object {} where nothing of it is predicted.")
        values = document.get(described.field, {})
        if not isinstance(values, (dict, Pairs)):
            problem = f"'{described.field}' must be an object {{id: value}}, found {kind_of(values)}"
            raise InputError(name, problem, "Check that this is the predictions file.")
        for identifier, value in pairs_of(values):
            yield part, identifier, _plain(value, name)


def _by_id(items: Iterable[tuple[Identifier, Any]], name: str, form: PartsForm) -> Values:
    for identifier, held in items:
        value = _plain(held, name)
        if not isinstance(value, dict):
            yield form.main, identifier, value
            continue
        for part, described in form.parts.items():
            if described.field in value:
                yield part, identifier, value[described.field]


def _once(document: dict[str, Any] | Pairs, name: str) -> dict[str, Any]:
    """An object whose keys may not stand twice."""
    counts = Counter(key for key, _ in pairs_of(document))
    if len(counts) < len(document):
        raise repeated_key_error(name, counts.most_common(1)[0][0])
    return dict(document)


def _plain(value: Any, name: str) -> Any:
    """The value with its objects as such again; a key that stands twice in one is an error."""
    if isinstance(value, Pairs):
        return {key: _plain(inner, name) for key, inner in _once(value, name).items()}
    return [_plain(item, name) for item in value] if isinstance(value, list) else value


def _is_row(document: dict[str, Any], form: PartsForm) -> bool:
    return all(field in document for field in form.id_fields) and any(
        part.field in document for part in form.parts.values()
    )


def _from_rows(rows: list[Any], name: str, form: PartsForm) -> Values:
    for number, row in enumerate(rows, start=1):
        where = f"{name}: record {number}"
        if not isinstance(row, dict):
            raise InputError(where, f"expected an object, found {kind_of(row)}", "Write one object per prediction.")
        identifier = _row_id(row, where, form)
        for part, described in form.parts.items():
            if described.field in row:
                yield part, identifier, row[described.field]


def _row_id(row: dict[str, Any], where: str, form: PartsForm) -> Identifier:
    found: list[Identifier] = []
    for field in form.id_fields:
        if field not in row:
            known = ", ".join(f"'{key}'" for key in row) or "nothing"
            raise InputError(where, f"the field '{field}' is missing, found {known}", f"Rename it to '{field}'.")
        value = row[field]
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            problem = f"'{field}' must be a string or a whole number, found {kind_of(value)}"
            raise InputError(where, problem, "Write the question's own id.")
        found.append(value)
    return found[0] if len(found) == 1 else " ".join(map(str, found))
