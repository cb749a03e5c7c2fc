"""What one step of an extraction found."""

from __future__ import annotations

from typing import Literal, NamedTuple

Status = Literal["one", "none", "several", "empty"]
"""One place; no place; several that say different things, of which one was taken; a place with nothing in it."""


class Found(NamedTuple):
    """The text that goes on, and how it was found."""

    text: str
    status: Status = "one"


def found(text: str, others: bool = False) -> Found:
    """What was taken; `others` says that another place says something else."""
    if not text:
        return Found("", "empty")
    return Found(text, "several" if others else "one")
