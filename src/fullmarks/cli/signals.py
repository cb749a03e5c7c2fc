"""What the command does when it is told to end: it unwinds, so that nothing half-done is left behind.

Signals that the command was started to ignore, as `nohup` does, stay ignored, and so do handlers of a program that
calls `main` itself.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

ENDING_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
MOST_SECONDS = 1.5
"""How long the unwinding may take; then the process ends where it is."""
SOON = 0.01
FROM_SIGNAL = 128
"""The exit code of a process that a signal ended, less the number of the signal, as shells have it."""


class EndedBySignal(KeyboardInterrupt):
    """The command was told to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    @property
    def code(self) -> int:
        """The exit code of a command that ends so."""
        return FROM_SIGNAL + self.number

    def __str__(self) -> str:
        return "interrupted" if self.number == signal.SIGINT else f"ended by {signal.Signals(self.number).name}"


@contextmanager
def signals_unwind() -> Iterator[None]:
    """Let the first signal raise `EndedBySignal`; one more, or too slow an end, is the end at once."""
    if threading.current_thread() is not threading.main_thread():  # Python lets only that one have handlers
        yield
        return
    ours = (signal.SIG_DFL, signal.default_int_handler)
    before = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
    changed = {number: handler for number, handler in before.items() if handler in ours}
    told = False

    def end(number: int, _: Any) -> None:
        nonlocal told
        if told:
            _end_at_once(number)
        told = True
        _not_for_long(number)
        raise EndedBySignal(number)

    def not_swallowed(found: Any) -> None:
        if isinstance(found.exc_value, EndedBySignal) and hasattr(signal, "setitimer"):
            _raise_again(found.exc_value.number)
        else:
            hook(found)

    hook, sys.unraisablehook = sys.unraisablehook, not_swallowed
    for number in changed:
        signal.signal(number, end)
    try:
        yield
    finally:
        sys.unraisablehook = hook
        if told and hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in changed.items():
            signal.signal(number, handler)


def _raise_again(number: int) -> None:
    """Raise it a moment later: it came within a callback of the interpreter's, where errors are only reported."""

    def end(*_: Any) -> None:
        _not_for_long(number)
        raise EndedBySignal(number)

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, SOON)


def _not_for_long(number: int) -> None:
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, lambda *_: _end_at_once(number))
        signal.setitimer(signal.ITIMER_REAL, MOST_SECONDS)


def _end_at_once(number: int) -> NoReturn:
    """Remove what is half-written and go; workers notice it themselves."""
    remove_half_written()
    os._exit(FROM_SIGNAL + number)


def remove_half_written() -> None:
    """Remove the files that this process has begun to write; without the means to write there are none."""
    writing = sys.modules.get("fullmarks.atomic_file")
    if writing is not None:
        writing.remove_unfinished()
