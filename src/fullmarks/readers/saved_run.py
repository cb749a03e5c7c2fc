"""Saved runs where gold or predictions are expected: told from their head, and refused with the way to use them."""

from __future__ import annotations

from typing import Any

from fullmarks.errors import InputError
from fullmarks.readers.documents import Pairs

FORMAT = "fullmarks-run"
"""What the entry `format` of every saved run says."""


def refuse_saved_run(document: Any, name: str) -> None:
    """An error if the document is a run that was saved, not a file to score."""
    head = dict(document) if isinstance(document, Pairs) else document
    if isinstance(head, dict) and head.get("format") == FORMAT:
        raise InputError(
            name,
            "this is a saved run, which is scored already",
            "Pass it to fullmarks report RUN, or with another one to fullmarks compare RUN RUN.",
        )
