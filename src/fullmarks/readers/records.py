"""Gold files described instead of coded: where the records are, which field is what, and errors that name both.

The form of most benchmarks' gold is a list of objects somewhere in a JSON document, or JSON lines (told by the content,
not by the name). A `RecordForm` says where; `read_records` does the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from fullmarks.errors import InputError
from fullmarks.readers.documents import collector_paused, kind_of, looks_like_lines, parse_json
from fullmarks.readers.paths import FieldError, Keys, getter, place_of, steps_of, walk
from fullmarks.readers.repeated_keys import refuse_repeated_keys
from fullmarks.readers.source import Source
from fullmarks.types import Gold, Identifier

_LINES = "[]"


class RecordForm(msgspec.Struct, frozen=True):
    """What a gold file holds. Paths are those of `readers.paths`."""

    id: str | tuple[str, ...]
    """The field that is the id; several make one, joined by blanks. `@1` is the record's own key or position."""
    references: str | tuple[str, ...] = ()
    """The field with the right answers, a text or a list of texts; of several fields all count, in this order."""
    at: str = _LINES
    """Where the records are: `[]` a list or JSON lines, `data[]`, `{}` an object of records by id, `{}.qas[]`."""
    columns: dict[str, str] = msgspec.field(default_factory=dict)
    """Fields to slice by, under the names they get; one that no record has is left out."""
    facts: dict[str, str] = msgspec.field(default_factory=dict)
    """Further fields that the rules need, under the names they get."""
    shape: str = ""
    """A short picture of the file, for messages."""

    @property
    def id_fields(self) -> tuple[str, ...]:
        """The fields of the id."""
        return (self.id,) if isinstance(self.id, str) else self.id

    @property
    def reference_fields(self) -> tuple[str, ...]:
        """The fields of the references."""
        return (self.references,) if isinstance(self.references, str) else self.references

    def fits(self, record: Any) -> bool:
        """Whether a record of a list has the fields that this form needs: told from other tables by it."""
        if not isinstance(record, dict) or not self.at.startswith(_LINES):
            return False
        inner = steps_of(self.at)[1:2]
        paths = inner or (*self.id_fields, *self.reference_fields)
        return all(steps_of(path)[0] in record for path in paths if path[0] != "@" and path[-1] != "?")


def read_records(source: Source, form: RecordForm) -> Gold:
    """The gold that the form finds in a source, records in file order."""
    ids = [_Field(path, form, source.name) for path in form.id_fields]
    references = [_Field(path, form, source.name) for path in form.reference_fields]
    columns = {name: _Field(f"{path.removesuffix('?')}?", form, source.name) for name, path in form.columns.items()}
    facts = {name: _Field(path, form, source.name) for name, path in form.facts.items()}
    gold = Gold([], [], {name: [] for name in columns}, {name: [] for name in facts})
    for keys, record in walk(read_values(source), form.at, source.name):
        gold.ids.append(_identifier(ids, record, keys))
        gold.references.append([text for field in references for text in field.texts(record, keys)])
        for name, field in columns.items():
            gold.columns[name].append(field.value(record, keys))
        for name, field in facts.items():
            gold.facts[name].append(field.value(record, keys))
    gold.columns = {name: found for name, found in gold.columns.items() if any(value is not None for value in found)}
    return gold


class _Field:
    """One field of every record of a file; an error names the record and the field."""

    def __init__(self, path: str, form: RecordForm, name: str) -> None:
        self.path = path
        self._get = getter(path)
        self._form = form
        self._name = name

    def value(self, record: Any, keys: Keys) -> Any:
        """What the record holds there."""
        try:
            return self._get(record, keys)
        except FieldError as error:
            raise self.error(str(error), keys) from None

    def identifier(self, record: Any, keys: Keys) -> Identifier:
        """The same, if it can be an id."""
        found = self.value(record, keys)
        if isinstance(found, bool) or not isinstance(found, (str, int)):
            raise self.error(f"'{self.path}' must be a string or a whole number, found {kind_of(found)}", keys)
        return found

    def texts(self, record: Any, keys: Keys) -> list[str]:
        """The same as a list of texts, one text standing for a list of one."""
        value = self.value(record, keys)
        if value is None and self.path.endswith("?"):
            return []
        found = [value] if isinstance(value, str) else value
        if not isinstance(found, (list, tuple)):
            raise self.error(f"'{self.path}' must be a text or a list of texts, found {kind_of(value)}", keys)
        for item in found:
            if not isinstance(item, str):
                raise self.error(f"'{self.path}' must hold texts, found {kind_of(item)}", keys)
        return list(found)

    def error(self, problem: str, keys: Keys) -> InputError:
        """What is wrong, with the record's place."""
        shape = f"Expected {self._form.shape}." if self._form.shape else "Check that this is the gold file."
        return InputError(f"{self._name}: {place_of(self._form.at, keys)}", problem, shape)


def _identifier(fields: list[_Field], record: Any, keys: Keys) -> Identifier:
    if len(fields) == 1:
        return fields[0].identifier(record, keys)
    return " ".join(str(field.identifier(record, keys)) for field in fields)


def read_values(source: Source) -> Any:
    """The document of a source as plain objects, JSON lines as the list of their values; a repeated key is an error."""
    if source.is_object:
        held = source.object
        return list(held) if isinstance(held, (tuple, Iterator)) else held
    if source.is_many and source.is_json_lines:
        return [value for part in source.parts() for value in read_values(part)]
    data = source.read()
    is_lines = source.is_json_lines or looks_like_lines(data)
    with collector_paused():
        try:
            found = msgspec.json.Decoder().decode_lines(data) if is_lines else msgspec.json.decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return _parsed_lines(data, source.name) if is_lines else parse_json(data, source.name)
    if is_lines and len(found) != sum(1 for line in data.split(b"\n") if line.strip()):
        return _parsed_lines(data, source.name)  # a value over several lines: for the error that says where
    refuse_repeated_keys(data, source.name, first_line=1 if is_lines else None)
    return found


def _parsed_lines(data: bytes, name: str) -> list[Any]:
    numbered = enumerate(data.split(b"\n"), start=1)
    return [parse_json(line, f"{name}: line {number}", is_line=True) for number, line in numbered if line.strip()]
