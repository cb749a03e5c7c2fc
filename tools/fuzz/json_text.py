"""JSON with everything that Python's own writer refuses: repeated keys, raw tokens, lone surrogates as they are."""

from __future__ import annotations

import json
from typing import Any


class Pairs(list[tuple[str, Any]]):
    """An object whose keys may repeat."""


class Raw(str):
    """A token that is written as it stands: NaN, 1e999, 007, tru."""

    __slots__ = ()


def read_json(text: str | bytes) -> Any:
    """The document with its objects as pairs."""
    return json.loads(text, object_pairs_hook=Pairs)


def write_json(value: Any, *, escaped: bool = True) -> str:
    """The document; with `escaped` everything beyond ASCII is written as \\u."""
    if isinstance(value, Raw):
        return value
    if isinstance(value, Pairs):
        return (
            "{" + ", ".join(f"{_text(key, escaped)}: {write_json(each, escaped=escaped)}" for key, each in value) + "}"
        )
    if isinstance(value, dict):
        return write_json(Pairs(value.items()), escaped=escaped)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(write_json(each, escaped=escaped) for each in value) + "]"
    if isinstance(value, str):
        return _text(value, escaped)
    return json.dumps(value)


def _text(value: Any, escaped: bool) -> str:
    return value if isinstance(value, Raw) else json.dumps(str(value), ensure_ascii=escaped)
