"""The text that `json.dumps(..., indent=2, default=str)` gives, many times faster for large documents.

Python's encoder has no compiled way to indent. Here only the outer levels are put together in Python: lists and objects
that hold no others, which are nearly all of a large document, are encoded by the compiled one.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

STEP = "  "
_CONTAINERS = (dict, list, tuple)
_SCALARS = frozenset((str, int, float, bool, type(None)))


def indented_json(document: Any, *, ensure_ascii: bool) -> str:
    """The document as indented JSON."""
    return _text(document, "\n", ensure_ascii)


def _text(value: Any, margin: str, ensure_ascii: bool) -> str:
    """A value whose first line stands at the margin, a line break and spaces."""
    inner = margin + STEP
    encoder = _encoder(f",{inner}", ensure_ascii)
    if not isinstance(value, _CONTAINERS) or not value:
        return encoder.encode(value)
    items = value.values() if isinstance(value, dict) else value
    if _SCALARS.issuperset(map(type, items)) or not any(isinstance(item, _CONTAINERS) for item in items):
        plain = encoder.encode(value)
        return f"{plain[0]}{inner}{plain[1:-1]}{margin}{plain[-1]}"
    if isinstance(value, dict):
        first, last = "{}"
        texts = [f"{_key(key, encoder)}: {_text(item, inner, ensure_ascii)}" for key, item in value.items()]
    else:
        first, last = "[]"
        texts = [_text(item, inner, ensure_ascii) for item in value]
    return f"{first}{inner}{f',{inner}'.join(texts)}{margin}{last}"


def _key(key: Any, encoder: json.JSONEncoder) -> str:
    """A key as JSON writes it, numbers as texts."""
    return encoder.encode(key) if isinstance(key, str) else encoder.encode({key: 0})[1:].rpartition(": 0")[0]


@lru_cache(maxsize=64)
def _encoder(separator: str, ensure_ascii: bool) -> json.JSONEncoder:
    return json.JSONEncoder(ensure_ascii=ensure_ascii, separators=(separator, ": "), default=str)
