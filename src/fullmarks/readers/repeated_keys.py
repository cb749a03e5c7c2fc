"""Repeated keys in JSON objects: a decoder keeps the last of two in silence, so they are looked for in the bytes.

A compiled search walks over the bytes once; where it cannot tell (keys written with escapes) or is not there, Python's
own parser does the same, which takes longer than the decoding itself.
"""

from __future__ import annotations

import os
from typing import Any

from fullmarks.errors import InputError

NO_REPEAT, UNSURE = -1, -2
ADVICE = "Remove one of the two: only one of them could count."
_OBJECT = object()


def refuse_repeated_keys(
    data: bytes, name: str, *, skip_outermost: bool = False, first_line: int | None = None
) -> None:
    """An error that names the first key that an object of this valid JSON has twice.

    With `first_line` the data are JSON lines that begin at this line of the file. `skip_outermost` leaves out the
    outermost object, for repeated ids have a rule of their own.
    """
    place = _search(data, skip_outermost)
    if place >= 0:
        key = data[place : data.index(b'"', place)].decode("utf-8", "replace")
        start = data.rfind(b"\n", 0, place) + 1
        line = (first_line or 1) + data.count(b"\n", 0, place)
        column = "" if first_line is not None else f", column {place - start}"
        raise repeated_key_error(f"{name}: line {line}{column}", key)
    if place == UNSURE:
        _refuse_slowly(data, name, skip_outermost, first_line)


def has_repeated_keys(data: bytes) -> bool:
    """Whether any object of this valid JSON has a key twice; where only Python's parser can tell, it may."""
    return _search(data, False) != NO_REPEAT


def repeated_key_error(where: str, key: str) -> InputError:
    """The error about a key that stands twice in one object."""
    return InputError(where, f"the key {key!r} stands twice in one object", ADVICE)


def _search(data: bytes, skip_outermost: bool) -> int:
    if os.environ.get("FULLMARKS_KERNEL") == "python":
        return UNSURE
    try:
        from fullmarks.readers._keys import repeated_key
    except ImportError:
        return UNSURE
    return repeated_key(data, skip_outermost)


def _refuse_slowly(data: bytes, name: str, skip_outermost: bool, first_line: int | None) -> None:
    if first_line is None:
        key = _repeated_key(data, name, skip_outermost)
        if key is not None:
            raise repeated_key_error(name, key)
        return
    for number, line in enumerate(data.split(b"\n"), start=first_line):
        key = _repeated_key(line, f"{name}: line {number}", skip_outermost) if line.strip() else None
        if key is not None:
            raise repeated_key_error(f"{name}: line {number}", key)


def _repeated_key(data: bytes, name: str, skip_outermost: bool) -> str | None:
    import json

    found: list[str] = []
    of_last: list[str] = []

    def look(pairs: list[tuple[str, Any]]) -> object:
        of_last.clear()
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                of_last.append(key)
            seen.add(key)
        found.extend(of_last)
        return _OBJECT

    def nothing(_: str) -> None:
        return None

    try:
        document = json.loads(data, object_pairs_hook=look, parse_int=nothing, parse_float=nothing)
    except RecursionError:
        raise InputError(name, "JSON nested too deeply to be one of our formats", "Check the file.") from None
    except ValueError:  # no valid JSON: for the decoder to say where
        return None
    if skip_outermost and document is _OBJECT:
        del found[len(found) - len(of_last) :]
    return found[0] if found else None
