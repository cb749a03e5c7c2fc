"""How processes can be started here: by fork where that is safe, and so that no signal gets between."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any

ENDING_SIGNALS = {getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)}
"""What asks a program to end. They often reach the parent and its workers at once, and then the parent decides."""


def can_fork() -> bool:
    """Fork where it is safe: it starts at once and needs no guard in the caller's script."""
    return "fork" in multiprocessing.get_all_start_methods() and threading.active_count() == 1


def can_start_unasked() -> bool:
    """Whether processes can be started without the caller's having prepared for it.

    Not from a worker of a pool, and not where they begin by running the caller's script again.
    """
    if multiprocessing.current_process().daemon:
        return False
    main = sys.modules["__main__"]
    script = getattr(main, "__file__", None)
    is_module = getattr(main, "__spec__", None) is not None
    return can_fork() or is_module or script is None or "fullmarks" in PurePath(script).parts[-2:]


def start_tracker() -> None:
    """Start the process that spawning needs beside the workers now: its start lets go of signals that are held back."""
    if sys.platform != "win32":
        from multiprocessing.resource_tracker import ensure_running

        ensure_running()


@contextmanager
def signals_held_back() -> Iterator[None]:
    """Let signals wait until every process that was started is known, and has left them to its parent.

    Another thread may still take one, and Python's handler then runs in this one: it is put off as well.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)
    came: list[int] = []
    put_off = _handlers_put_off(came) if threading.current_thread() is threading.main_thread() else {}
    try:
        yield
    finally:
        for number, handler in put_off.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for number in dict.fromkeys(came):
            signal.raise_signal(number)


def _handlers_put_off(came: list[int]) -> dict[int, Any]:
    """The handlers of Python's, each replaced by one that only notes that its signal came."""

    def note(number: int, _: Any) -> None:
        came.append(number)

    handlers = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
    return {number: signal.signal(number, note) for number, handler in handlers.items() if callable(handler)}
