"""Runs a command, and turns every way it can end into an exit code and at most one message.

Exit codes: 0 done; 1 a condition of the user is not met; 2 wrong use or unusable input; 70 a defect of ours; 128 and
the number of a signal where one ended it (130 interrupted, 143 TERM, 129 HUP); 141 the reader of the output went away.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from fullmarks.cli.direct import direct_work
from fullmarks.cli.output.messages import complain, drop
from fullmarks.errors import FullmarksError

DONE, UNUSABLE, DEFECT, INTERRUPTED, NO_READER = 0, 2, 70, 130, 141
COMPLETION_VARIABLE = "_FULLMARKS_COMPLETE"
TRACEBACK_VARIABLE = "FULLMARKS_TRACEBACK"
MOST_CHARACTERS = 300
"""How much of a defect's own message is shown."""


def run(words: list[str]) -> int:
    """The exit code of `fullmarks` with these words after it; none ask for help."""
    if sys.stdout is None:
        _open_what_is_closed()
        complain("standard output is closed. Direct it to a file, or to /dev/null")
        return UNUSABLE
    _open_what_is_closed()
    _never_fail_to_print()
    instruction = os.environ.get(COMPLETION_VARIABLE)
    if instruction:
        from click.shell_completion import shell_complete

        from fullmarks.cli.command_group import commands

        return shell_complete(commands, {}, "fullmarks", COMPLETION_VARIABLE, instruction)
    direct = direct_work(words)
    if direct is not None:  # nothing is written but standard output: a signal may end it as the system does
        return _ended(words, direct)
    from fullmarks.cli.signals import signals_unwind

    with signals_unwind():
        return _ended(words, None)


def _ended(words: list[str], direct: Callable[[], None] | None) -> int:
    """The exit code, once all that is to be said has been said."""
    try:
        code = _run(words, direct)
        sys.stdout.flush()
    except BrokenPipeError:
        drop(sys.stdout.fileno())
        return NO_READER
    except KeyboardInterrupt as end:
        return _interrupted(end)
    except OSError as error:
        if error.filename is not None:  # a file of ours that no room has put into words
            return _defect(error)
        drop(sys.stdout.fileno())
        complain(f"standard output cannot be written ({error.strerror}). Check where it is directed to")
        return UNUSABLE
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a defect, to be told from every other end
        return _defect(error)
    return code


def _run(words: list[str], direct: Callable[[], None] | None) -> int:
    try:
        if direct is not None:
            direct()
            return DONE
        from fullmarks.cli.command_group import run_command

        if words[0] != "score":
            return run_command(words)
        from fullmarks.cli.commands.score.gate import errors_in_junit

        with errors_in_junit(words):
            return run_command(words)
    except FullmarksError as error:
        complain(str(error))
    except MemoryError:
        complain("the input does not fit into memory. Score a part of it with --limit, or use a larger machine")
    except RecursionError:
        complain("the input is nested too deeply to be one of our formats. Check the files")
    return UNUSABLE


def _interrupted(end: KeyboardInterrupt) -> int:
    """What was half-written is gone by now, unless the signal came just when it was begun."""
    from fullmarks.cli.signals import EndedBySignal, remove_half_written

    remove_half_written()
    complain(str(end) or "interrupted")
    return end.code if isinstance(end, EndedBySignal) else INTERRUPTED


def _defect(error: BaseException) -> int:
    """Ask for a report in one line; those who want to look for themselves get all of it."""
    if os.environ.get(TRACEBACK_VARIABLE):
        import traceback

        try:
            traceback.print_exception(error)
        except OSError:
            drop(2)
    told = f"{type(error).__name__}: {error}"
    if len(told) > MOST_CHARACTERS:
        told = f"{told[: MOST_CHARACTERS - 4]} ..."
    complain(
        f"a defect of fullmarks or of a package that extends it, not of your input ({told}). "
        f"Please report it with the command and what it shows with {TRACEBACK_VARIABLE}=1"
    )
    return DEFECT


def _open_what_is_closed() -> None:
    """Let nothing that is opened later take the place of a standard stream, to be written to by mistake."""
    if None not in (sys.stdin, sys.stdout, sys.stderr):
        return
    opened = os.open(os.devnull, os.O_RDWR)
    while opened <= 2:
        os.set_inheritable(opened, True)
        opened = os.open(os.devnull, os.O_RDWR)
    os.close(opened)
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123 - it stays open
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8", errors="replace")  # noqa: SIM115, PTH123


def _never_fail_to_print() -> None:
    """Let characters that the terminal's encoding lacks be shown escaped instead of ending the run."""
    for stream in (sys.stdout, sys.stderr):
        encoding = (getattr(stream, "encoding", None) or "").lower().replace("-", "")
        if encoding != "utf8" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
