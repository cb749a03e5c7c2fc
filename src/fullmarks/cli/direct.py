"""The plainest uses at the least cost: overview, version, `score PROTOCOL GOLD PREDICTIONS` for a program to read.

Nothing but the work itself is imported: the library of commands alone takes four times as long to load as a bare
interpreter. Anything more than those words goes the long way, which gives the same output.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

JSON = (["-f", "json"], ["--format", "json"])
HELP: tuple[list[str], ...] = ([], ["-h"], ["--help"])


def direct_work(words: list[str]) -> Callable[[], None] | None:
    """What these words ask for, if it is one of those uses; no words ask for help."""
    if words in HELP:
        return show_overview
    if words == ["--version"]:
        return show_version
    chosen = direct_words(words)
    return None if chosen is None else lambda: score_directly(*chosen)


def show_overview() -> None:
    """Print what `fullmarks --help` shows."""
    from fullmarks.cli.command_table import overview
    from fullmarks.cli.output.streams import emit, terminal_columns

    emit(overview(terminal_columns()))


def show_version() -> None:
    """Print what `fullmarks --version` shows."""
    from fullmarks.cli.output.streams import emit
    from fullmarks.version import __version__

    emit(f"fullmarks {__version__}")


def direct_words(words: list[str]) -> tuple[str, str, str] | None:
    """Protocol, gold and predictions, if the words are `score` and these and json goes to standard output."""
    if len(words) not in (4, 6) or words[0] != "score" or any(word.startswith("-") for word in words[1:4]):
        return None
    if words[4:] not in JSON and (words[4:] or sys.stdout.isatty()):
        return None
    from fullmarks.protocols import PROTOCOLS

    return (words[1], words[2], words[3]) if words[1] in PROTOCOLS.built_in else None


def score_directly(protocol: str, gold: str, predictions: str) -> None:
    """Score and print the official result, with the warnings and the progress that `score` shows."""
    from fullmarks.cli.output.progress import progress
    from fullmarks.cli.output.streams import emit, warn
    from fullmarks.evaluate import score
    from fullmarks.report.documents import official_json

    with progress(quiet=False) as shown:
        result = score(protocol, gold, predictions, keep=False, advance=None if shown is None else shown.advance)
    warn(result.audit)
    emit(official_json(result))
