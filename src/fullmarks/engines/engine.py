"""The contract of an engine: it runs one work over ordered tasks, wherever that is, and gives what comes back in order.

Work is called with what a task is about and with the parcels that the task names; it returns a result and, if others
are to go on with something large, parcels. A result comes to the caller. A parcel stays where it was made, or on a
disk: the caller holds a handle of it, which a later task of the same engine may name.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar, NamedTuple

from fullmarks.errors import UsageError

Buffer = bytes | bytearray | memoryview
Work = Callable[[Any, Sequence[Buffer]], tuple[Any, Sequence[Buffer]]]
"""From what a task is about and its parcels to a result and new parcels. It must pickle, and give the same whenever and
wherever it is called: a task whose worker was lost is run again."""


class Task(NamedTuple):
    """One piece of work: what it is about, which must pickle, and the handles of the parcels that it needs."""

    about: Any
    inputs: Sequence[Any] = ()


class Done(NamedTuple):
    """What came of a task: its result, and the handles of its parcels."""

    result: Any
    parcels: Sequence[Any] = ()


def warned(text: str) -> None:
    """Say something to whoever runs a program of their own."""
    warnings.warn(text, RuntimeWarning, stacklevel=2)


class Engine(ABC):
    """Where tasks run. An error that work raises is raised by `run`, as it was, and ends the run."""

    name: ClassVar[str]
    """The name under which it is registered."""
    has_models: ClassVar[bool] = False
    """Whether `models` lets neural models run elsewhere, so that what asks them had better stay here."""
    works_elsewhere: ClassVar[bool] = True
    """Whether tasks run in other processes, so that it pays to cut the work into pieces."""

    tell: Callable[[str], None] = staticmethod(warned)
    """How to say what was lost and is done again; whoever owns a terminal sets it."""

    @classmethod
    @abstractmethod
    def from_text(cls, argument: str) -> Engine:
        """The engine that `name:argument` asks for; the argument is empty where only the name was given."""

    def spill_into(self, folder: str) -> None:
        """Let parcels lie in this folder; an error where the engine keeps them elsewhere."""
        raise UsageError(f"the engine '{self.name}' keeps what is spilled itself: leave the folder {folder} out")

    @property
    @abstractmethod
    def at_once(self) -> int:
        """How many tasks may run at the same time: work is cut into no fewer pieces than that, if it can be."""

    @abstractmethod
    def run(self, work: Work, tasks: Iterable[Task], parcels: int = 0) -> Generator[Done, None, None]:
        """What comes of every task, in the order of the tasks; `parcels` says how many each one makes.

        Tasks are taken from the iterable as they are needed, a bounded number ahead. Closing the generator ends all
        work at once. Handles stay good until the engine is closed.
        """

    def models(self) -> AbstractContextManager[Any]:
        """A context in which neural models run where this engine has them: here, unless it says otherwise."""
        return nullcontext()

    @abstractmethod
    def close(self) -> None:
        """Let go of all parcels and of what was started. The engine can be used again afterwards."""

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
