"""Lines for a person on standard error: one each, without control characters, and never a reason to fail."""

from __future__ import annotations

import os
import sys


def tell(text: str) -> None:
    """Show one line; where standard error cannot be written, nobody waits for it."""
    try:
        print(f"fullmarks: {_visible(text)}", file=sys.stderr, flush=True)
    except OSError:
        drop(2)


def complain(text: str) -> None:
    """Show what ended the command."""
    tell(f"error: {text}")


def drop(descriptor: int) -> None:
    """Give what is still buffered for a stream a place to go, so that the interpreter's last flush stays quiet."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _visible(text: str) -> str:
    """The text with line breaks and whatever a terminal would obey as they are written in a program."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape", "surrogatepass").decode("ascii")
        for character in text
    )
