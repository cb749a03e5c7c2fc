"""How far a long computation has come, told to whoever listens; without a listener nothing happens.

A metric is a value and has no place for a callback, so the listener belongs to the context of the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""

_listener: ContextVar[Listener | None] = ContextVar("fullmarks_progress", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Tell the listener of all progress made inside the block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def reporter(what: str) -> Callable[[int, int], None] | None:
    """A function to call with (done, total), or None when nobody listens."""
    listener = _listener.get()
    return None if listener is None else lambda done, total: listener(what, done, total)
