"""Saved runs where gold or predictions are expected: told from their head, and refused with the way to use them."""

from __future__ import annotations

from typing import Any

from fullmarks.errors import InputError
from fullmarks.readers.documents import Pairs

FORMAT = "fullmarks-run"
"""What the entry `format` of every saved run says."""


_HEAD = 200


def refuse_saved_head(data: bytes, name: str) -> None:
    """An error if a file begins like a saved run."""
    if f'"{FORMAT}"'.encode() in data[:_HEAD]:
        raise _is_saved_run(name)


def refuse_saved_run(document: Any, name: str) -> None:
    """An error if the document is a run that was saved, not a file to score."""
    head = dict(document) if isinstance(document, Pairs) else document
    if isinstance(head, dict) and head.get("format") == FORMAT:
        raise _is_saved_run(name)


def _is_saved_run(name: str) -> InputError:
    return InputError(
        name,
        "this is a saved run, which is scored already",
        "Pass it to fullmarks report RUN, or with another one to fullmarks compare RUN RUN.",
    )
