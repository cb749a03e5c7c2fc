"""What the commands print, and where: the result on standard output, everything about it on standard error."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click

    from fullmarks.report.terminal import Page
    from fullmarks.types import Audit


NARROWEST = 40
"""Narrower terminals are written on as if they had so many columns."""


def emit(text: str) -> None:
    """Write to standard output at once, so that a reader that went away is noticed here."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    sys.stdout.flush()


def write_text(path: str, text: str) -> None:
    """Write a text file whole, compressed if its name says so; what is no valid Unicode in it is escaped."""
    from fullmarks.atomic_file import write_whole

    write_whole(path, text.encode("utf-8", "backslashreplace"))


def on_terminal() -> bool:
    """Whether a person reads standard output."""
    return sys.stdout.isatty()


def terminal_columns() -> int:
    """How wide standard output is: what $COLUMNS says, else the terminal; 80 where neither tells."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told):
        return int(told)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or 80
    except (OSError, ValueError, AttributeError):
        return 80


def output_page() -> Page:
    """Width, colour and characters of standard output; 80 columns where it is no terminal."""
    from fullmarks.cli.output.messages import wants_colour
    from fullmarks.report.terminal import Page

    encoding = (sys.stdout.encoding or "").lower()
    is_screen = on_terminal()
    width = max(terminal_columns(), NARROWEST) if is_screen else Page().width
    return Page(width, wants_colour(is_screen), not encoding.startswith("utf"), is_screen)


def warn(audit: Audit) -> None:
    """The audit's warnings on standard error, one line each."""
    from fullmarks.cli.output.messages import tell

    for finding in audit.at_level("warning"):
        tell(f"warning: {finding}")


def format_option(*formats: str, elsewhere: str = "json") -> click.Option:
    """`--format` for commands whose output people or programs may read; `elsewhere` is where no terminal is."""
    import click

    default = "text, in a pipe too" if elsewhere == "text" else f"text on a terminal, {elsewhere} elsewhere"
    return click.Option(
        ["output_format", "--format", "-f"],
        type=click.Choice(formats),
        help=f"How to show the result; by default {default}.",
    )


def out_file_option(meaning: str) -> click.Option:
    """`--out-file` for commands that write to a file instead."""
    import click

    return click.Option(["out_file", "--out-file", "-o"], type=click.Path(), help=meaning)


def chosen_format(given: str | None, elsewhere: str = "json") -> str:
    """The format asked for, or the one that suits standard output: `elsewhere` where no terminal is."""
    return given or ("text" if on_terminal() else elsewhere)
