"""Lines for a person on standard error: one each, without control characters, and never a reason to fail."""

from __future__ import annotations

import os
import sys

RED, GREEN, YELLOW = "31", "32", "33"
COLOURS = {"error": RED, "warning": YELLOW, "met": GREEN, "not met": RED, "gate: met": GREEN, "gate: not met": RED}
"""The words that a line may begin with, and their colours: the colour never says anything alone."""


def tell(text: str) -> None:
    """Show one line; where standard error cannot be written, nobody waits for it."""
    try:
        print(f"fullmarks: {_coloured(_visible(text))}", file=sys.stderr, flush=True)
    except OSError:
        drop(2)


def _coloured(text: str) -> str:
    """The text with its first words in the colour that they have, where colour is wanted."""
    lead = next((words for words in COLOURS if text.startswith(f"{words}:")), "")
    if not lead or not wants_colour(sys.stderr.isatty()):
        return text
    return f"\x1b[{COLOURS[lead]}m{lead}\x1b[0m{text[len(lead) :]}"


def complain(text: str) -> None:
    """Show what ended the command."""
    tell(f"error: {text}")


def wants_colour(is_terminal: bool) -> bool:
    """Whether a stream may be coloured: $NO_COLOR forbids it, $FORCE_COLOR asks for it where no terminal is too."""
    if os.environ.get("NO_COLOR"):
        return False
    forced = os.environ.get("FORCE_COLOR", "")
    if forced:
        return forced not in ("0", "false")
    return is_terminal and os.environ.get("TERM") != "dumb"


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
