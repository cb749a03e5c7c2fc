"""The engine that does everything in this process, one task after the other."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import ClassVar

from fullmarks.engines.engine import Done, Engine, Task, Work
from fullmarks.engines.parcels import ParcelFolder, put_parcels, read_parcel
from fullmarks.errors import UsageError


class Here(Engine):
    """Runs tasks in this process; parcels lie in a folder, so that memory does not grow with them."""

    name: ClassVar[str] = "here"
    works_elsewhere: ClassVar[bool] = False

    def __init__(self, spill: str | None = None) -> None:
        self._folder = ParcelFolder(spill)
        self._runs = 0

    @classmethod
    def from_text(cls, argument: str) -> Here:
        """The engine; it takes no argument."""
        if argument:
            raise UsageError(f"the engine 'here' takes no argument, found '{argument}'")
        return cls()

    def spill_into(self, folder: str) -> None:
        """Let parcels lie in this folder."""
        self._folder = ParcelFolder(folder)

    @property
    def at_once(self) -> int:
        """One."""
        return 1

    def run(self, work: Work, tasks: Iterable[Task], parcels: int = 0) -> Generator[Done, None, None]:
        """What comes of every task, in order."""
        self._runs += 1
        run = self._runs
        for number, task in enumerate(tasks):
            result, made = work(task.about, [read_parcel(parcel) for parcel in task.inputs])
            yield Done(result, put_parcels(self._folder.path, f"{run}-{number}", made) if parcels else ())

    def close(self) -> None:
        """Remove all parcels."""
        self._folder.remove()
