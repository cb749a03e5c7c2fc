"""What a worker process does: takes tasks from its pipe, answers with what came of them, and ends with its parent."""

from __future__ import annotations

import gc
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
from typing import Any, NamedTuple

from fullmarks.engines.answers import send
from fullmarks.engines.engine import Done, Work
from fullmarks.engines.facts import facts
from fullmarks.engines.packing import Packed, packed
from fullmarks.engines.parcels import put_parcels, read_parcel
from fullmarks.engines.starting import ENDING_SIGNALS
from fullmarks.errors import WorkerError

DIE_WITH_PARENT = 1
"""Linux's number for the wish to get a signal when the parent dies (PR_SET_PDEATHSIG of prctl)."""


class Errand(NamedTuple):
    """What a worker gets once: the work, and the folder of parcels, if any are made."""

    work: Work
    folder: str | None


class NamedTask(NamedTuple):
    """A task as a worker gets it, with the name under which its parcels are kept."""

    name: str
    about: Any
    inputs: Sequence[Any]


class Answer(NamedTuple):
    """What came of a task: it is done, or this error was raised there."""

    done: Done | None
    error: BaseException | None = None
    trace: str = ""


def serve(pipe: Connection, strangers: Sequence[Connection], errand: bytes, parent: int) -> None:
    """Say what this worker is, then answer every task, until the pipe ends.

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
    gc.freeze()  # looking through what a fork has inherited would copy it all
    tasks: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_collect, args=(pipe, tasks), daemon=True).start()
    try:
        send(pipe, packed(facts()))
        unpacked = None
        while True:
            task = tasks.get()
            try:
                unpacked = unpacked or pickle.loads(errand)  # noqa: S301 - made by our own parent process a moment ago
                answer = packed(Answer(_done(unpacked, pickle.loads(task))))  # noqa: S301 - likewise
            except BaseException as error:  # noqa: BLE001 - whatever it is, the parent raises it
                answer = told(error)
            send(pipe, answer)
            del answer
    except OSError:
        os._exit(1)


def _collect(pipe: Connection, tasks: SimpleQueue[bytes]) -> None:
    """Take what comes at once: the parent never waits for a worker that waits for it, and its end is always noticed."""
    try:
        while True:
            tasks.put(pipe.recv_bytes())
    except (EOFError, OSError):
        os._exit(1)


def _done(errand: Errand, task: NamedTask) -> Done:
    result, parcels = errand.work(task.about, [read_parcel(parcel) for parcel in task.inputs])
    return Done(result, put_parcels(errand.folder, task.name, parcels) if errand.folder is not None else ())


def told(error: BaseException) -> Packed:
    """An error as an answer; one that does not survive being sent is told in words."""
    trace = "".join(traceback.format_exception(error))
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - made on this line
        return packed(Answer(None, error, trace))
    except Exception:  # noqa: BLE001 - the classes of other packages may fail in any way
        return packed(Answer(None, WorkerError(f"a worker failed: {type(error).__name__}: {error}"), trace))


def _die_with(parent: int) -> None:
    """Let the system end this process when its parent dies, even in the middle of a long computation."""
    if sys.platform != "linux":
        return
    with suppress(ImportError, OSError, AttributeError):  # the thread that reads the pipe notices too, only later
        import ctypes

        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:  # it died before that
        os._exit(1)
