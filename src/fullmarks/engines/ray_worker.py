"""What a Ray worker does with a task, and what it says of it besides the result."""

from __future__ import annotations

import os
import pickle
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fullmarks.engines.engine import Done, Work
from fullmarks.engines.facts import WorkerFacts, facts
from fullmarks.engines.packing import Packed, packed
from fullmarks.engines.worker import Answer, told
from fullmarks.errors import WorkerError
from fullmarks.optional import require


class Parcel(NamedTuple):
    """A parcel in the object store: the task that made it, at which attempt (the first is 0), and its content."""

    task: str
    attempt: int
    content: Any


class Served(NamedTuple):
    """What comes back for a task: who did it and how it came about, and its answer, the large buffers apart."""

    facts: WorkerFacts
    attempt: int
    made_again: Sequence[tuple[str, int]]
    """The tasks whose parcels were used and had been lost in between, with the attempt that made them."""
    answer: Packed


SETTINGS = ("FULLMARKS_MAX_SIZE",)
"""The variables of the caller's environment that hold for its work, too: a node has an environment of its own."""


def settings_here() -> dict[str, str | None]:
    """What these variables are; None where one is not set."""
    return {name: os.environ.get(name) for name in SETTINGS}


class WithSettings(NamedTuple):
    """A work that is done under the settings of its caller."""

    work: Work
    settings: dict[str, str | None]

    def __call__(self, about: Any, inputs: Sequence[Any]) -> tuple[Any, Sequence[Any]]:
        """Do it."""
        for name, value in self.settings.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        return self.work(about, inputs)


class _Kept:
    """The work of the last task of this process: unpickled once for all tasks of a run."""

    run: str = ""
    work: Work


def serve(names: tuple[str, str], work: Any, about: bytes, inputs: Sequence[Parcel], parcels: int) -> tuple[Any, ...]:
    """What was served, then the parcels that were made; `work` and `about` are pickled.

    The first of the names tells the work from all others, the second is that of the task.
    """
    run, task = names
    attempt = _attempt()
    made: Sequence[Any]
    try:
        if _Kept.run != run:
            _Kept.work, _Kept.run = _loaded(work), run
        result, made = _Kept.work(_loaded(about), [memoryview(parcel.content) for parcel in inputs])
        if parcels and len(made) != parcels:
            raise WorkerError(f"a task made {len(made)} parcels, {parcels} were announced")
        answer = _sendable(result)
    except Exception as error:  # noqa: BLE001 - whatever it is, the driver raises it
        answer, made = told(error), [b""] * parcels
    made_again = [(parcel.task, parcel.attempt) for parcel in inputs if parcel.attempt]
    head, buffers = answer
    served = Served(facts(), attempt, made_again, Packed(head, [_stored(buffer) for buffer in buffers]))
    return served, *(Parcel(task, attempt, _stored(parcel)) for parcel in made[:parcels])


def _loaded(pickled: Any) -> Any:
    try:
        return pickle.loads(pickled)  # noqa: S301 - made by our own driver
    except ImportError as error:
        raise WorkerError(
            f"a worker of the Ray cluster cannot load its work ({error}). Install that package on every node, "
            "or name it in the runtime environment of the job"
        ) from error


def _sendable(result: Any) -> Packed:
    """A result as an answer; one of a class that only the caller's script holds is sent by value."""
    answer = Answer(Done(result))
    try:
        return packed(answer)
    except (pickle.PicklingError, AttributeError, TypeError):
        return Packed(require("ray.cloudpickle", needed_by="the engine 'ray'", extra="ray").dumps(answer), [])


def _stored(buffer: Any) -> Any:
    """A buffer as what Ray copies once, into the object store, and gives out without a copy."""
    return np.frombuffer(buffer, np.uint8) if memoryview(buffer).nbytes else np.empty(0, np.uint8)


def _attempt() -> int:
    """How often this task was begun before: Ray begins it again where its worker, its node or its result was lost."""
    worker = require("ray._private.worker", needed_by="the engine 'ray'", extra="ray").global_worker
    ask = getattr(worker.core_worker, "get_current_task_attempt_number", None)
    return 0 if ask is None else int(ask())
