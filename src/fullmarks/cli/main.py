"""The entry point of the command. Nothing heavy is imported before it has set up the interpreter."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""Start-up makes many objects that stay; looking through them for garbage would cost a tenth of it."""
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code of `fullmarks` with these arguments, by default those of the process."""
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS, *gc.get_threshold()[1:])
    try:
        from fullmarks.cli.run import run

        return run(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt as end:  # before there was anything to tell, or after all was told
        return getattr(end, "code", INTERRUPTED)


def command() -> None:
    """The process `fullmarks`: ends with the exit code of `main`.

    Where not even the library of commands was needed, or a signal ended the work, it ends at once: nothing then waits
    for the interpreter to take itself apart, which would cost a tenth of the time.
    """
    code = main()
    if "click" not in sys.modules or code >= INTERRUPTED - 1:
        if sys.stderr is not None:
            sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
