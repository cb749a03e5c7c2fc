"""Runs a command, and turns every way it can end into an exit code and at most one message.

Exit codes: 0 done; 1 a condition of the user is not met; 2 wrong use or unusable input; 130 interrupted; 141 the reader
of the output went away.
"""

from __future__ import annotations

import os
import sys

from fullmarks.cli.direct import direct_words, score_directly
from fullmarks.errors import FullmarksError

DONE, UNUSABLE, INTERRUPTED, NO_READER = 0, 2, 130, 141
COMPLETION_VARIABLE = "_FULLMARKS_COMPLETE"


def run(words: list[str]) -> int:
    """The exit code of `fullmarks` with these words after it; none ask for help."""
    _never_fail_to_print()
    instruction = os.environ.get(COMPLETION_VARIABLE)
    if instruction:
        from click.shell_completion import shell_complete

        from fullmarks.cli.commands import commands

        return shell_complete(commands, {}, "fullmarks", COMPLETION_VARIABLE, instruction)
    if sys.stdout is None:
        _complain("standard output is closed. Direct it to a file, or to /dev/null")
        return UNUSABLE
    try:
        code = _run(words or ["--help"])
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()
        return NO_READER
    except OSError as error:
        if error.filename is not None:  # a file of ours that no room has put into words: a defect, to be seen whole
            raise
        _drop_output()
        _complain(f"standard output cannot be written ({error.strerror}). Check where it is directed to")
        return UNUSABLE
    return code


def _run(words: list[str]) -> int:
    try:
        direct = direct_words(words)
        if direct is not None:
            score_directly(*direct)
            return DONE
        from fullmarks.cli.commands import run_command

        if words[0] != "score":
            return run_command(words)
        from fullmarks.cli.gate import errors_in_junit

        with errors_in_junit(words):
            return run_command(words)
    except KeyboardInterrupt:
        _complain("interrupted")
        return INTERRUPTED
    except FullmarksError as error:
        _complain(str(error))
    except MemoryError:
        _complain("the input does not fit into memory. Score a part of it with --limit, or use a larger machine")
    except RecursionError:
        _complain("the input is nested too deeply to be one of our formats. Check the files")
    return UNUSABLE


def _complain(message: str) -> None:
    from fullmarks.cli.messages import tell

    tell(f"error: {message}")


def _never_fail_to_print() -> None:
    """Let characters that the terminal's encoding lacks be shown escaped instead of ending the run."""
    for stream in (sys.stdout, sys.stderr):
        encoding = (getattr(stream, "encoding", None) or "").lower().replace("-", "")
        if encoding != "utf8" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """Give what is still buffered a place to go, so that the interpreter's last flush stays quiet."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
