"""Parcels in files, for engines whose workers share a disk: one file for all parcels of a task."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from fullmarks.engines.engine import Buffer
from fullmarks.errors import UsageError


class FileParcel(NamedTuple):
    """Where a parcel lies."""

    path: str
    start: int
    size: int


class ParcelFolder:
    """A folder of its own for the parcels of one engine, made when the first one is put there."""

    def __init__(self, place: str | None = None) -> None:
        self._place = place
        self._folder: str | None = None

    @property
    def path(self) -> str:
        """The folder; it is made if it is not there yet."""
        if self._folder is None:
            try:
                if self._place is not None:
                    Path(self._place).mkdir(parents=True, exist_ok=True)
                self._folder = tempfile.mkdtemp(prefix="fullmarks-", dir=self._place)
            except OSError as error:
                where = self._place or tempfile.gettempdir()
                reason = error.strerror or str(error)
                raise UsageError(f"{where}: nothing can be put there ({reason}). Name another folder") from error
        return self._folder

    def remove(self) -> None:
        """Remove the folder with all parcels."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


def put_parcels(folder: str, name: str, parcels: Sequence[Buffer]) -> list[FileParcel]:
    """Write the parcels of a task into one file of that name; a task that is done again writes the same."""
    path = Path(folder, name)
    handles, start = [], 0
    part = path.with_name(f"{name}.{os.getpid()}")
    with part.open("wb") as file:
        for parcel in parcels:
            size = memoryview(parcel).nbytes
            handles.append(FileParcel(str(path), start, size))
            file.write(parcel)
            start += size
    part.replace(path)
    return handles


def read_parcel(parcel: FileParcel) -> bytes:
    """The content of a parcel."""
    with Path(parcel.path).open("rb") as file:
        file.seek(parcel.start)
        return file.read(parcel.size)
