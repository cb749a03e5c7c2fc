"""Plain data as JSON in as few bytes as it takes, whatever is in it."""

from __future__ import annotations

from typing import Any

import msgspec

_ENCODER = msgspec.json.Encoder(enc_hook=str)


def compact_json(document: Any) -> bytes:
    """The document as valid JSON; a number that JSON has no word for is null, an unknown object its text.

    >>> compact_json({"score": float("nan"), "text": "\\ud800"})
    b'{"score":null,"text":"\\\\ud800"}'
    """
    try:
        return _ENCODER.encode(document)
    except UnicodeEncodeError:  # a lone surrogate, which only an escape can carry
        import json

        plain = json.loads(json.dumps(document, default=str), parse_constant=lambda _: None)
        return json.dumps(plain, separators=(",", ":")).encode()
