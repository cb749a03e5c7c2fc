"""What a worker process does: takes parts from its pipe, answers with their rows, and ends when its parent does."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import traceback
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from queue import SimpleQueue

from fullmarks.errors import WorkerError
from fullmarks.metrics.tally import chunk_rows

ENDING_SIGNALS = {getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)}
"""What asks a program to end. They often reach the parent and its workers at once, and then the parent decides."""
DIE_WITH_PARENT = 1
"""Linux's number for the wish to get a signal when the parent dies (PR_SET_PDEATHSIG of prctl)."""


def serve(pipe: Connection, strangers: Sequence[Connection], metrics: bytes, parent: int) -> None:
    """Answer every part with its rows, its error and where that was raised, until the pipe ends.

    `strangers` are the parent's ends of pipes, which a fork has copied and nobody else may hold. `parent` is the
    process to die with, 0 where only the end of the pipe can tell.
    """
    for number in ENDING_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING_SIGNALS)
    for stranger in strangers:
        stranger.close()
    if parent:
        _die_with(parent)
    parts: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_collect, args=(pipe, parts), daemon=True).start()
    work = None
    while True:
        part = parts.get()
        try:
            if work is None:
                work = pickle.loads(metrics)  # noqa: S301 - made by our own parent process a moment ago
            answer = pickle.dumps((chunk_rows(work, pickle.loads(part)), None, ""), pickle.HIGHEST_PROTOCOL)  # noqa: S301
        except Exception as error:  # noqa: BLE001 - whatever it is, the parent raises it
            answer = _told(error)
        try:
            pipe.send_bytes(answer)
        except OSError:
            os._exit(1)


def _collect(pipe: Connection, parts: SimpleQueue[bytes]) -> None:
    """Take what comes at once: the parent never waits for a worker that waits for it, and its end is always noticed."""
    try:
        while True:
            parts.put(pipe.recv_bytes())
    except (EOFError, OSError):
        os._exit(1)


def _told(error: Exception) -> bytes:
    """An error as an answer; one that does not survive being sent is told in words."""
    trace = "".join(traceback.format_exception(error))
    try:
        answer = pickle.dumps((None, error, trace))
        pickle.loads(answer)  # noqa: S301 - made a line above
    except Exception:  # noqa: BLE001 - the classes of other packages may fail in any way
        answer = pickle.dumps((None, WorkerError(f"a worker failed: {type(error).__name__}: {error}"), trace))
    return answer


def _die_with(parent: int) -> None:
    """Let the system end this process when its parent dies, even in the middle of a long computation."""
    if sys.platform != "linux":
        return
    with suppress(ImportError, OSError, AttributeError):  # the thread that reads the pipe notices too, only later
        import ctypes

        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:  # it died before that
        os._exit(1)
