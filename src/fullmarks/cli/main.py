"""The entry point of the command. Nothing heavy is imported before it has set up the interpreter."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""Start-up makes many objects that stay; looking through them for garbage would cost a tenth of it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code of `fullmarks` with these arguments, by default those of the process."""
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS, *gc.get_threshold()[1:])
    from fullmarks.cli.run import run

    return run(list(sys.argv[1:] if arguments is None else arguments))
