"""Predictions by id: `{id: text}` or rows with an id and a text, as JSON, JSON lines or plain objects.

Repeated ids and answers that are not strings are found and counted, never passed over.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from fullmarks.errors import InputError
from fullmarks.readers.documents import Pairs, collector_paused, is_finite_number, kind_of, pairs_of, parse_json
from fullmarks.readers.objects import are_texts, are_texts_by_text
from fullmarks.readers.repeated_keys import refuse_repeated_keys, repeated_key_error
from fullmarks.readers.saved_run import refuse_saved_run
from fullmarks.readers.source import Source
from fullmarks.types import Audit, FindingKind, Identifier

if TYPE_CHECKING:
    from fullmarks.readers.logs.log import Log

OnDuplicate = Literal["error", "first", "last"]

REPEATED = FindingKind(
    "repeated-predictions",
    "predictions with a repeated id",
    "Ids must be unique; remove one of each, or pass --on-duplicate first or last",
    for_errors_only=True,
)
REPEATED_PROBABILITIES = FindingKind(
    "repeated-probabilities",
    "no-answer probabilities with a repeated id",
    "Ids must be unique; remove one of each, or pass --on-duplicate first or last",
    for_errors_only=True,
)
ID_NAMES = ("id", "question_id")
RUN = "run"
"""What a table calls the column that says which run of a system a row belongs to, unless the user names another."""
TEXT_NAMES = ("prediction", "prediction_text", "answer")
"""What tables and rows may call the id and the text, after the names that the benchmark's own files have."""
NOT_STRINGS = FindingKind(
    "not-strings",
    "predictions that are not strings",
    "Write every prediction as a string; an empty one means no answer",
)
FAILED = FindingKind("failed-samples", "samples that failed in another tool", "Run them again in that tool")
BAD_PROBABILITIES = FindingKind(
    "bad-probabilities",
    "no-answer probabilities that are not finite numbers",
    "Write a number such as 0.25 for every id",
)

_texts = msgspec.json.Decoder(dict[str, str])
_numbers = msgspec.json.Decoder(dict[str, int | float])


class LogOptions(msgspec.Struct, frozen=True):
    """What the user says about logs of other tools."""

    allow_failed: bool = False
    """Whether the log of a run that did not succeed is read."""
    filter: str | None = None
    """Whose texts are taken, where the tool filtered what the model wrote; None for what the model wrote."""
    only: dict[str, str] = msgspec.field(default_factory=dict)
    """The values that samples must have, by column."""


class RowForm(msgspec.Struct):
    """The names of the fields in predictions given as rows."""

    id: str = "id"
    text: tuple[str, ...] = ("prediction_text", "prediction", "answer")
    numbers: tuple[str, ...] = ()
    """Further fields, which hold finite numbers."""
    is_id_given: bool = False
    """Whether the user named the id's field, so that no other will do."""
    positional: bool = False
    """Whether a plain list of texts is accepted, each one's id being its position from 0."""
    log_options: LogOptions = LogOptions()
    lists: bool = False
    """Whether an answer may be a list of texts."""

    def allows(self, answer: Any) -> bool:
        """Whether this can be an answer."""
        if isinstance(answer, str):
            return True
        is_list = self.lists and isinstance(answer, (list, tuple)) and not isinstance(answer, Pairs)
        return is_list and all(isinstance(item, str) for item in answer)


class Predictions(msgspec.Struct):
    """Answers by id in file order and, where the rows carry them, probabilities that there is no answer."""

    texts: dict[Identifier, str] = msgspec.field(default_factory=dict)
    numbers: dict[str, dict[Identifier, float]] = msgspec.field(default_factory=dict)
    """The declared numbers of the rows, by field and id."""
    positional: bool = False
    """Whether the ids are only positions in a list."""
    wrong: dict[Identifier, str] = msgspec.field(default_factory=dict)
    """What stood, in words, for the answers that are no texts; an empty text is held in their place."""

    def with_ids_like(self, wanted: Sequence[Identifier]) -> Predictions:
        """The same under ids of the wanted kind, where a file's format had no choice between 7 and "7"."""
        if self.positional:
            return self
        numbers = {field: ids_like(wanted, values) for field, values in self.numbers.items()}
        return Predictions(ids_like(wanted, self.texts), numbers, wrong=ids_like(wanted, self.wrong))

    def note_wrong(self, asked: Container[Identifier], audit: Audit, name: str) -> None:
        """Record the answers to these questions that are no texts; those to others count as unknown alone."""
        for identifier, found in self.wrong.items():
            if identifier in asked:
                audit.add(NOT_STRINGS, "error", [identifier], where=name, detail=f"{identifier!r} has {found}")


class PredictionRows(msgspec.Struct):
    """Some predictions as they were read, in file order, before a rule settles which of a repeated id counts."""

    ids: list[Identifier]
    texts: list[Any]
    numbers: dict[str, list[Any]] = msgspec.field(default_factory=dict)
    """The declared numbers by field; None where a row has none."""
    positional: bool = False
    """Whether the ids are only positions in a list."""
    wrong: dict[Identifier, str] = msgspec.field(default_factory=dict)
    """Those of the answers that are no texts, as in `Predictions`."""


def ids_like(wanted: Sequence[Identifier], values: dict[Identifier, Any]) -> dict[Identifier, Any]:
    """The values with text ids read as whole numbers, or the other way round, where only that makes them meet."""
    if isinstance(wanted, list) and are_texts(wanted) and are_texts(list(values)):
        return values
    kinds, ours = set(map(type, wanted)), set(map(type, values))
    if kinds == ours and len(kinds) == 1:
        return values
    by_text = {str(identifier): identifier for identifier in wanted}
    if len(by_text) < len(wanted):  # 1 and "1" are two questions here
        return values
    found: dict[Identifier, Any] = {}
    for identifier, value in values.items():
        meant = by_text.get(str(identifier), identifier)
        is_taken = meant in found or (meant is not identifier and meant in values)
        found[identifier if is_taken else meant] = value
    return found


def read_predictions(source: Source, audit: Audit, *, on_duplicate: OnDuplicate, form: RowForm) -> Predictions:
    """All predictions of a source; what is wrong with their ids and numbers is added to the audit as errors."""
    if source.is_object:
        source.hold()
        return _from_object(source.object, source.name, audit, on_duplicate, form)
    data = source.read()
    if not source.is_json_lines:
        fast = _decode_rows(data, source.name, form) if data.lstrip()[:1] == b"[" else _decode_texts(data, form)
        if fast is not None:
            return fast
    return _from_object(_parse(data, source), source.name, audit, on_duplicate, form)


def read_probabilities(source: Source, audit: Audit, *, on_duplicate: OnDuplicate) -> dict[Identifier, float]:
    """Probabilities by id, each a finite number; a whole one stays whole, for the script prints it as it is."""
    if not source.is_object:
        data = source.read()
        numbers: dict[Identifier, float] | None = _decode_flat(data, _numbers, quotes_per_pair=2)
        if numbers is not None and _are_finite(numbers.values()):
            return numbers
        document = parse_json(data, source.name, pairs=True)
    else:
        document = source.object
    if not isinstance(document, (dict, Pairs)):
        raise InputError(
            source.name,
            f"expected an object {{id: probability}}, found {kind_of(document)}",
            "Check that this is the file of no-answer probabilities.",
        )
    taken = TakenById(audit, on_duplicate, source.name, REPEATED_PROBABILITIES)
    for identifier, value in pairs_of(document):
        is_number = is_finite_number(value)
        if not is_number:
            _complain(audit, source.name, identifier, value)
        taken.put(identifier, value if is_number else 0.0)
    return taken.values


def _are_finite(numbers: Iterable[float]) -> bool:
    try:
        return all(map(math.isfinite, numbers))
    except OverflowError:  # a whole number that no float can hold
        return False


def _decode_flat(data: bytes, decoder: msgspec.json.Decoder[Any], quotes_per_pair: int) -> Any:
    """The object when it is flat, well typed and free of repeated keys; otherwise None.

    A flat object whose keys are all different has a fixed number of unescaped quotes per pair.
    """
    with collector_paused():
        try:
            values = decoder.decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None
    escapes = data.replace(b"\\\\", b"").count(b'\\"') if b"\\" in data else 0
    return values if data.count(b'"') - escapes == quotes_per_pair * len(values) else None


def _decode_texts(data: bytes, form: RowForm) -> Predictions | None:
    texts = _decode_flat(data, _texts, quotes_per_pair=4)
    return None if texts is None or _is_single_row(texts, form) else Predictions(texts)


def _decode_rows(data: bytes, name: str, form: RowForm) -> Predictions | None:
    """Rows by typed decode when all is well with every one of them; otherwise None."""
    for text in form.text:
        with collector_paused():
            try:
                rows = msgspec.json.Decoder(list[_row_type(form, text)]).decode(data)  # type: ignore[misc]
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                continue
            refuse_repeated_keys(data, name)
            return _typed_rows(rows, form)
    return None


def _convert_rows(rows: Sequence[Any], form: RowForm) -> Predictions | None:
    """The same for plain objects, all of which have the text under the first name that any of them has it under."""
    text = next((name for name in form.text if any(isinstance(row, dict) and name in row for row in rows)), None)
    if text is None:
        return None
    with collector_paused():
        try:
            return _typed_rows(msgspec.convert(rows, list[_row_type(form, text)]), form)  # type: ignore[misc]
        except (msgspec.MsgspecError, UnicodeEncodeError):
            return None


def _row_type(form: RowForm, text: str) -> type[Any]:
    numbered = _numbered(form)
    fields: list[Any] = [("id", int | str), ("text", str), *((name, float | None, None) for name in numbered)]
    return msgspec.defstruct("PredictionRow", fields, rename={"id": form.id, "text": text, **numbered}, gc=False)


def _numbered(form: RowForm) -> dict[str, str]:
    return {f"number_{at}": field for at, field in enumerate(form.numbers)}


def _typed_rows(rows: list[Any], form: RowForm) -> Predictions | None:
    """The rows by id; None where an id comes twice or a number is not finite."""
    texts = {row.id: row.text for row in rows}
    numbers = {
        field: {row.id: getattr(row, name) for row in rows if getattr(row, name) is not None}
        for name, field in _numbered(form).items()
    }
    finite = all(math.isfinite(value) for values in numbers.values() for value in values.values())
    return Predictions(texts, numbers) if finite and len(texts) == len(rows) else None


def _is_single_row(texts: dict[str, str], form: RowForm) -> bool:
    return len(texts) == 2 and form.id in texts and any(name in texts for name in form.text)


def _parse(data: bytes, source: Source) -> Any:
    """A JSON document or, failing that, JSON lines, as Python objects that keep repeated keys."""
    if source.is_many and source.is_json_lines:
        return [row for part in source.parts() for row in _parse(part.read(), part)]
    lines = [line for line in data.split(b"\n") if line.strip()]
    is_lines = source.is_json_lines or (len(lines) > 1 and _each_is_object(lines[:2]))
    if not is_lines:
        return parse_json(data, source.name, pairs=True)
    return [
        parse_json(line, f"{source.name}: line {number}", pairs=True, is_line=True)
        for number, line in enumerate(data.split(b"\n"), start=1)
        if line.strip()
    ]


def _each_is_object(lines: Iterable[bytes]) -> bool:
    return all(line.lstrip().startswith(b"{") and line.rstrip().endswith(b"}") for line in lines)


def _from_object(document: Any, name: str, audit: Audit, on_duplicate: OnDuplicate, form: RowForm) -> Predictions:
    from fullmarks.readers.logs.log import log_of_document

    refuse_saved_run(document, name)
    log = log_of_document(document, name)
    if log is not None:
        return read_log_answers(log, audit, on_duplicate=on_duplicate, form=form)
    if isinstance(document, (dict, Pairs)):
        keys = document if isinstance(document, dict) else {key for key, _ in document}
        if form.id in keys and any(text in keys for text in form.text):
            return _from_rows([document], name, audit, on_duplicate, form)
        if isinstance(document, dict) and are_texts_by_text(document):
            # no id is repeated, and every text is one; a dict of another class may make up what it lacks
            return Predictions(document if type(document) is dict else dict(document))
        return _from_pairs(pairs_of(document), name, audit, on_duplicate, form)
    if isinstance(document, (list, tuple)):
        if form.positional and not any(isinstance(item, (dict, Pairs)) for item in document):
            found = _from_pairs(enumerate(document), name, audit, on_duplicate, form)
            return msgspec.structs.replace(found, positional=True)
        return _convert_rows(document, form) or _from_rows(document, name, audit, on_duplicate, form)
    expected = f"expected {{id: text}} or a list of rows with '{form.id}' and '{form.text[0]}'"
    raise InputError(name, f"{expected}, found {kind_of(document)}", "Check that this is the predictions file.")


def read_log_answers(log: Log, audit: Audit, *, on_duplicate: OnDuplicate, form: RowForm) -> Predictions:
    """The answers of another tool's log."""
    answers = log.answers(audit, form.log_options)
    return _from_pairs(answers, log.name, audit, on_duplicate, form)


def _from_pairs(
    items: Iterable[tuple[Identifier, Any]], name: str, audit: Audit, on_duplicate: OnDuplicate, form: RowForm
) -> Predictions:
    taken = TakenById(audit, on_duplicate, name)
    for identifier, text in items:
        taken.put(identifier, text)
    return _checked(taken.values, {}, form)


def _checked(answers: dict[Identifier, Any], numbers: dict[str, dict[Identifier, float]], form: RowForm) -> Predictions:
    """The answers, those that are no texts put aside."""
    wrong = {identifier: _in_words(answer) for identifier, answer in answers.items() if not form.allows(answer)}
    return Predictions({**answers, **dict.fromkeys(wrong, "")} if wrong else answers, numbers, wrong=wrong)


def _from_rows(rows: Sequence[Any], name: str, audit: Audit, on_duplicate: OnDuplicate, form: RowForm) -> Predictions:
    texts = TakenById(audit, on_duplicate, name)
    numbers: dict[str, dict[Identifier, float]] = {}
    for number, row in enumerate(rows, start=1):
        fields = _row_fields(row, f"{name}: record {number}")
        identifier = _row_id(fields, f"{name}: record {number}", form)
        text_name = next((candidate for candidate in form.text if candidate in fields), None)
        if text_name is None:
            wanted = " or ".join(f"'{candidate}'" for candidate in form.text)
            found = ", ".join(f"'{key}'" for key in fields)
            raise InputError(
                f"{name}: record {number}",
                f"expected a field {wanted}, found {found}",
                "Rename it, or say which one it is: --columns prediction=NAME.",
            )
        taken = texts.put(identifier, fields[text_name])
        for field in form.numbers:
            if taken and fields.get(field) is not None:
                numbers.setdefault(field, {})[identifier] = _probability(fields[field], identifier, name, audit)
    return _checked(texts.values, numbers, form)


def _row_fields(row: Any, where: str) -> dict[str, Any]:
    if not isinstance(row, (dict, Pairs)):
        advice = "Write one object per prediction, or all of them as {id: text}."
        raise InputError(where, f"expected an object, found {kind_of(row)}", advice)
    fields = dict(row)
    if len(fields) < len(row):
        keys = [key for key, _ in pairs_of(row)]
        raise repeated_key_error(where, next(key for key in fields if keys.count(key) > 1))
    return fields


def _row_id(fields: dict[str, Any], where: str, form: RowForm) -> Identifier:
    names = (form.id,) if form.is_id_given else (form.id, *ID_NAMES)
    name = next((candidate for candidate in names if candidate in fields), None)
    if name is None:
        found = ", ".join(f"'{key}'" for key in fields) or "nothing"
        advice = f"Rename it to '{form.id}', or say which one it is: --columns id=NAME."
        raise InputError(where, f"the field '{form.id}' is missing, found {found}", advice)
    identifier = fields[name]
    if isinstance(identifier, bool) or not isinstance(identifier, (str, int)):
        found = f"'{name}' must be a string or a whole number, found {kind_of(identifier)}"
        raise InputError(where, found, "Write the question's own id.")
    return identifier


def _probability(value: Any, identifier: Identifier, name: str, audit: Audit) -> float:
    if not is_finite_number(value):
        _complain(audit, name, identifier, value)
        return 0.0
    return float(value)


def _complain(audit: Audit, name: str, identifier: Identifier, value: object) -> None:
    shown = "a number that is too large" if type(value) is int else _in_words(value)
    audit.add(BAD_PROBABILITIES, "error", [identifier], where=name, detail=f"{identifier!r} has {shown}")


def _in_words(value: object) -> str:
    return repr(value) if isinstance(value, float) else kind_of(value)


class TakenById:
    """Values by id under the rule for repeated ids."""

    def __init__(self, audit: Audit, rule: OnDuplicate, name: str, kind: FindingKind = REPEATED) -> None:
        self.values: dict[Identifier, Any] = {}
        self._audit = audit
        self._rule = rule
        self._name = name
        self._kind = kind

    def put(self, identifier: Identifier, value: Any) -> bool:
        """Take the value, or apply the rule if the id was there before; whether it was taken."""
        if identifier not in self.values:
            self.values[identifier] = value
            return True
        level: Literal["error", "warning"] = "error" if self._rule == "error" else "warning"
        self._audit.add(self._kind, level, [identifier], where=self._name)
        if self._rule == "last":
            self.values[identifier] = value
        return self._rule == "last"
