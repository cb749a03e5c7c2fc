"""Embeddings kept on disk by model and content, in one SQLite file that several processes may share.

Invariant: an entry is found only under the same model identity, kind and content digest; what is stored is the
float64 unit vector itself, so a cached score has the digits of the first one.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fullmarks.checks import check_local
from fullmarks.errors import InputError


@dataclass(frozen=True)
class Entry:
    """A unit vector, and whether its text was cut at the model's limit."""

    vector: NDArray[np.float64]
    truncated: bool


class EmbeddingCache(Protocol):
    """A store of entries by model, kind and digest."""

    def get(self, model: str, kind: str, digests: Sequence[str]) -> dict[str, Entry]:
        """The entries that are known."""

    def put(self, model: str, kind: str, entries: Mapping[str, Entry]) -> None:
        """Keep the entries."""


class NoCache:
    """Keeps nothing."""

    def get(self, model: str, kind: str, digests: Sequence[str]) -> dict[str, Entry]:  # noqa: ARG002
        """Nothing is known."""
        return {}

    def put(self, model: str, kind: str, entries: Mapping[str, Entry]) -> None:
        """Nothing is kept."""


class DiskCache:
    """A cache in one SQLite file, made when it is absent."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        check_local("a cache of embeddings", path)
        self._path = Path(path)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unusable(error) from error
        columns = "model TEXT, kind TEXT, digest TEXT, truncated INTEGER, vector BLOB"
        with closing(self._connect()) as connection:
            self._run(
                connection,
                f"CREATE TABLE IF NOT EXISTS embedding ({columns}, PRIMARY KEY (model, kind, digest))",
            )

    def get(self, model: str, kind: str, digests: Sequence[str]) -> dict[str, Entry]:
        """The entries that are known, in no particular order."""
        found: dict[str, Entry] = {}
        query = "SELECT truncated, vector FROM embedding WHERE model = ? AND kind = ? AND digest = ?"
        with closing(self._connect()) as connection:
            for digest in dict.fromkeys(digests):
                for truncated, vector in self._run(connection, query, (model, kind, digest)):
                    found[digest] = Entry(np.frombuffer(vector, dtype="<f8"), bool(truncated))
        return found

    def put(self, model: str, kind: str, entries: Mapping[str, Entry]) -> None:
        """Keep the entries, all or none of them."""
        rows = [
            (model, kind, digest, int(entry.truncated), entry.vector.astype("<f8").tobytes())
            for digest, entry in entries.items()
        ]
        with closing(self._connect()) as connection, connection:
            for row in rows:
                self._run(connection, "INSERT OR REPLACE INTO embedding VALUES (?, ?, ?, ?, ?)", row)

    def _connect(self) -> sqlite3.Connection:
        try:
            return sqlite3.connect(self._path, timeout=60)
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def _run(
        self, connection: sqlite3.Connection, statement: str, values: tuple[str | int | bytes, ...] = ()
    ) -> sqlite3.Cursor:
        try:
            return connection.execute(statement, values)
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> InputError:
        return InputError(
            str(self._path), f"cannot be used as an embedding cache ({error})", "Remove it or name another file"
        )
