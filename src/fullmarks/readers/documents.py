"""JSON documents to typed values: fast when all is well, and with the exact place when it is not.

The fast way is a typed decode. When it refuses, the document is parsed again the slow way, which accepts what
Python's own parser accepts (lone surrogates, NaN) and otherwise says where the trouble is.
"""

from __future__ import annotations

import gc
import math
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import msgspec

from fullmarks.errors import InputError
from fullmarks.readers.repeated_keys import refuse_repeated_keys
from fullmarks.readers.source import STANDARD_INPUT, Source

T = TypeVar("T")

KINDS = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}
_TYPE_WORDS = {
    "str": "a string",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "null",
    "object": "an object",
    "array": "a list",
}
_EXPECTED = r"Expected `(?P<wanted>.+?)`, got `(?P<found>.+?)`(?: - at `(?P<place>.+?)`)?$"
_MISSING = r"Object missing required field `(?P<field>.+?)`(?: - at `(?P<place>.+?)`)?$"
_LOG_FIELDS = frozenset(("eval", "adapter_spec", "instance_id", "doc_id", "model_response", "index"))
"""Fields by which the logs of other tools are known; each has one of them near its beginning."""
_BINARY_LOGS = (".eval", ".parquet", ".xlsx", ".xlsm")
_OF_CELLS = (".csv", ".tsv")
_BY_LINES = (".jsonl", ".ndjson", *_OF_CELLS)
_HEAD = 1 << 14
_MOST_OF_A_LINE = 1 << 22


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the cyclic garbage collector out of a load: it would walk the growing data again and again for nothing."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def kind_of(value: object) -> str:
    """What a decoded value is, in words for a message."""
    if isinstance(value, Pairs):
        return KINDS[dict]
    return KINDS.get(type(value), f"a {type(value).__name__}")


def check_pairs_by(field: str, value: object, where: str) -> None:
    """An error if rows cannot be paired by the value of this field, because it is a list or an object."""
    if isinstance(value, (list, tuple, dict)):
        problem = f"'{field}' must be a text or a number, found {kind_of(value)}"
        raise InputError(where, problem, "Rows are paired by it: write a single value.")


def is_finite_number(value: object) -> bool:
    """Whether this is a number (true and false are not) that a double can hold."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def read_document(source: Source, decoder: msgspec.json.Decoder[T], shape: str) -> T:
    """The whole source as a value of the decoder's type; `shape` is a short picture of it for the message."""
    if source.is_object:
        held: T = convert_document(source.object, decoder.type, source.name, shape)
        return held
    data = source.read()
    with collector_paused():
        try:
            decoded: T | None = decoder.decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            decoded = None
    if decoded is not None:
        refuse_repeated_keys(data, source.name)
        return decoded
    converted: T = convert_document(parse_json(data, source.name), decoder.type, source.name, shape)
    return converted


def read_plain(source: Source, *, pairs: bool = False) -> Any:
    """The whole source as plain objects, by Python's own parser; a plain object as it is."""
    return source.object if source.is_object else parse_json(source.read(), source.name, pairs=pairs)


def convert_document(value: object, wanted: Any, name: str, shape: str) -> Any:
    """A plain object as a value of the wanted type, or an error with its place in the object."""
    try:
        return msgspec.convert(value, wanted)
    except msgspec.ValidationError as error:
        raise InputError(name, _in_words(str(error)), f"Expected {shape}.") from None
    except UnicodeEncodeError as error:
        found = f"the key {error.object!r} holds half of a character (a lone surrogate)"
        raise InputError(name, found, "Write its keys in whole characters.") from None


def parse_json(data: bytes, name: str, *, pairs: bool = False, is_line: bool = False) -> Any:
    """The document by Python's own parser; with `pairs`, objects come as lists of (key, value).

    A key that stands twice in an object is an error, except in the outermost one under `pairs`: who asks for that has a
    rule for repeated ids. With `is_line` the name says which line of a file this is, and its object is one record.
    """
    import json

    if not data.strip():
        raise InputError(name, "the file is empty, expected JSON", "Check that it was written completely.")
    try:
        document = json.loads(data, object_pairs_hook=Pairs if pairs else None)
    except json.JSONDecodeError as error:
        place = f"column {error.colno}" if is_line else f"line {error.lineno}, column {error.colno}"
        cut = len(error.doc.rstrip()) <= error.pos or error.msg.startswith("Unterminated")
        advice = "The file seems to be cut off; write it again." if cut else "Check the file with a JSON tool."
        if name == STANDARD_INPUT:
            advice = "Standard input takes JSON or JSON lines; save another format as a file and pass that."
        raise InputError(name, f"not valid JSON at {place}: {error.msg}", advice) from None
    except RecursionError:
        raise InputError(name, "JSON nested too deeply to be one of our formats", "Check the file.") from None
    except ValueError as error:  # a number with more digits than Python agrees to read
        raise InputError(name, f"not usable JSON ({error})", "Check the numbers in the file.") from None
    if is_line:
        _refuse_in_line(data, name)
    else:
        refuse_repeated_keys(data, name, skip_outermost=pairs)
    return document


def _refuse_in_line(data: bytes, name: str) -> None:
    file, _, line = name.rpartition(": line ")
    refuse_repeated_keys(data, file or name, first_line=int(line) if line.isdigit() else 1)


class Pairs(list[tuple[str, Any]]):
    """A JSON object as its pairs in file order, repeated keys included."""


def pairs_of(document: dict[Any, Any] | Pairs) -> Iterable[tuple[Any, Any]]:
    """The keys and values of an object in either form."""
    return document.items() if isinstance(document, dict) else document


def _in_words(message: str) -> str:
    """A decoder's complaint as a sentence that starts with the place."""
    expected = re.match(_EXPECTED, message)
    if expected:
        wanted = " or ".join(_TYPE_WORDS.get(word, word) for word in expected["wanted"].split(" | "))
        found = _TYPE_WORDS.get(expected["found"], expected["found"])
        return f"{_place(expected['place'])}: expected {wanted}, found {found}"
    missing = re.match(_MISSING, message)
    if missing:
        return f"{_place(missing['place'])}: the field '{missing['field']}' is missing"
    return message


def _place(path: str | None) -> str:
    inside = (path or "$").removeprefix("$").removeprefix(".")
    return inside or "at the top"


def may_be_log(source: Source) -> bool:
    """Whether this may be another tool's log, told from a glance at its beginning; who knows the tools is asked then.

    A source that can be read only once is not looked at, nor is a data frame.
    """
    if source.is_object:
        held = source.given
        first = next(iter(held), None) if isinstance(held, (list, tuple)) else held
        return isinstance(first, dict) and not _LOG_FIELDS.isdisjoint(first)
    if source.reading is not None or not source.is_plain_file or (source.is_many and not source.parts()):
        return False
    if source.ending in _BINARY_LOGS:
        return True
    with (source.parts()[0] if source.is_many else source).glance() as stream:
        head = stream.readline(_MOST_OF_A_LINE) if source.ending in _BY_LINES else stream.read(_HEAD)
    if not isinstance(head, bytes):
        return False
    if source.ending in _OF_CELLS:
        return b"index" in head
    return any(f'"{field}"'.encode() in head for field in _LOG_FIELDS)


def looks_like_lines(data: bytes) -> bool:
    """Whether the first line alone is a JSON object and another line follows it."""
    start = data.lstrip()
    first, _, rest = start.partition(b"\n")
    if not first.startswith(b"{") or not rest.strip():
        return False
    try:
        msgspec.json.decode(first)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _is_json_to_python(first)
    return True


def _is_json_to_python(line: bytes) -> bool:
    """Whether Python's own parser reads the line: it takes NaN, Infinity and lone surrogates."""
    import json

    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
