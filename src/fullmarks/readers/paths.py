"""Paths into JSON documents: `data[].qas[]` is every element of every `qas` of every element of `data`.

A name goes to a field, `[]` to every element of a list, `{}` to every value of an object; a `?` at the end lets what is
not there be absent. `@1` is the key, or the position from 0, at the first `{}` or `[]` on the way to a record; `@2` is
that at the second.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from fullmarks.errors import InputError
from fullmarks.readers.documents import kind_of

Keys = tuple[str | int, ...]
Getter = Callable[[Any, Keys], Any]
"""From a record and the keys on the way to it to a value."""

_STEP = re.compile(r"\[\]|\{\}|[^.\[\]{}]+")


class FieldError(LookupError):
    """What is wrong with a field of a record, in words; who catches it knows where the record is."""


@cache
def steps_of(path: str) -> tuple[str, ...]:
    """The steps of a path.

    >>> steps_of("data[].qas[]"), steps_of("{}.qa_pairs[]"), steps_of("[]")
    (('data', '[]', 'qas', '[]'), ('{}', 'qa_pairs', '[]'), ('[]',))
    """
    return tuple(_STEP.findall(path))


def walk(document: Any, path: str, name: str) -> Iterator[tuple[Keys, Any]]:
    """Every record at the end of a path, with the keys on the way to it; an error names the place that does not fit."""
    return _walk(document, steps_of(path), (), "", name)


def _walk(value: Any, steps: tuple[str, ...], keys: Keys, place: str, name: str) -> Iterator[tuple[Keys, Any]]:
    if not steps:
        yield keys, value
        return
    step, rest = steps[0], steps[1:]
    expected = {"[]": list, "{}": dict}.get(step, dict)
    if step == "[]" and isinstance(value, tuple):
        value = list(value)
    if not isinstance(value, expected):
        wanted = "a list" if expected is list else "an object"
        where = f"{name}: {place}" if place else name
        raise InputError(where, f"expected {wanted}, found {kind_of(value)}", "Check that this is the gold file.")
    if step == "[]":
        for position, item in enumerate(value):
            yield from _walk(item, rest, (*keys, position), f"{place}[{position}]", name)
    elif step == "{}":
        for key, item in value.items():
            yield from _walk(item, rest, (*keys, key), f"{place}[{key!r}]", name)
    else:
        if step not in value:
            where = f"{name}: {place}" if place else name
            found = ", ".join(f"'{key}'" for key in list(value)[:8]) or "nothing"
            problem = f"the field '{step}' is missing, found {found}"
            raise InputError(where, problem, "Check that this is the gold file.")
        yield from _walk(value[step], rest, keys, f"{place}.{step}" if place else step, name)


def place_of(path: str, keys: Keys) -> str:
    """Where a record stands in its document, for a message.

    >>> place_of("data[].qas[]", (3, 0))
    'data[3].qas[0]'
    """
    left = iter(keys)
    text = ""
    for step in steps_of(path):
        if step == "[]":
            text += f"[{next(left)}]"
        elif step == "{}":
            text += f"[{next(left)!r}]"
        else:
            text += f".{step}" if text else step
    return text


@cache
def getter(path: str) -> Getter:
    """A function from a record to the value at a path; it raises FieldError."""
    if path.startswith("@"):
        position = int(path[1:].removesuffix("?")) - 1
        return lambda _, keys: keys[position]
    is_optional = path.endswith("?")
    steps = steps_of(path.removesuffix("?"))

    def get(record: Any, keys: Keys) -> Any:
        del keys
        return _get(record, steps, is_optional=is_optional)

    return get


def _get(value: Any, steps: tuple[str, ...], *, is_optional: bool) -> Any:
    for at, step in enumerate(steps):
        if step == "[]":
            if not isinstance(value, (list, tuple)):
                raise FieldError(f"'{steps[at - 1]}' must be a list, found {kind_of(value)}")
            rest = steps[at + 1 :]
            found = [_get(item, rest, is_optional=is_optional) for item in value] if rest else list(value)
            return [each for item in found for each in item] if "[]" in rest else found
        if not isinstance(value, dict):
            raise FieldError(f"expected an object with the field '{step}', found {kind_of(value)}")
        if step not in value:
            if is_optional:
                return [] if "[]" in steps[at:] else None
            raise FieldError(f"the field '{step}' is missing")
        value = value[step]
    return value
