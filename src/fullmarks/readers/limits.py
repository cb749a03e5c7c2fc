"""How much an input may take, and the stream that counts it while it is read: refused before the memory is taken.

The limits are listed in docs/limits.md. `--max-size`, or the variable FULLMARKS_MAX_SIZE, puts one size in their place.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterable
from typing import IO, Any, NamedTuple

from fullmarks.errors import InputError, UsageError

VARIABLE = "FULLMARKS_MAX_SIZE"
LIFT = "If it is meant to be so, raise the limit: --max-size SIZE or FULLMARKS_MAX_SIZE=SIZE, as in 40GiB or none."
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_PIECE = 1 << 20


class Limits(NamedTuple):
    """In bytes: a whole compressed input, a document held in memory, one record; and what compression may hide."""

    total: int = 16 << 30
    document: int = 2 << 30
    record: int = 32 << 20
    ratio: int = 100
    """How many times its compressed bytes an input may hold, once it is larger than `free`."""
    free: int = 64 << 20


def current_limits() -> Limits:
    """The limits that hold now: the usual ones, or the size that the environment gives for all of them."""
    wanted = os.environ.get(VARIABLE, "").strip()
    if not wanted:
        return Limits()
    size = parse_size(wanted, VARIABLE)
    return Limits(size, size, size, sys.maxsize)


def parse_size(text: str, name: str) -> int:
    """`500MB`, `40 GiB`, `1000` or `none` in bytes, every unit a power of 1024."""
    if text.strip().lower() in ("none", "unlimited"):
        return sys.maxsize
    parts = re.fullmatch(r"([0-9]{1,15})\s*([KMGT]?)(?:I?B)?", text.strip().upper())
    if parts is None or not int(parts[1]):
        raise UsageError(f"{name} must be a size such as 500MB or 40GiB, or none, found '{text}'")
    return min(int(parts[1]) * _UNITS[parts[2]], sys.maxsize)


def shown_size(size: int) -> str:
    """A size in the largest unit that it fills."""
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        factor = _UNITS[unit[0]]
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} bytes"


def too_long_record(where: str, limit: int) -> InputError:
    """The error about a record, a line or a cell that does not end."""
    found = f"one record is longer than {shown_size(limit)}"
    return InputError(where, found, f"Check that its records are separate lines. {LIFT}")


def too_large_document(where: str, limit: int) -> InputError:
    """The error about a document that would have to be held in memory."""
    found = f"the document is larger than {shown_size(limit)}, and it is read as a whole"
    return InputError(where, found, f"Write it as JSON lines, which are read in a stream. {LIFT}")


class CountedFile:
    """An open file that counts what is read of it: a pipe cannot tell."""

    def __init__(self, file: IO[bytes]) -> None:
        self.taken = 0
        self._file = file

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        data = self._file.read(size)
        self.taken += len(data)
        return data


class Gauge(io.RawIOBase):
    """A stream that counts what is read of it and raises at a limit.

    `compressed` is the file that is decompressed; without it the content is not compressed, and only
    the length of a record is looked at. Who reads records sets `finished` to `taken` after each of them.
    """

    def __init__(self, stream: IO[bytes], name: str, compressed: CountedFile | None = None) -> None:
        self.taken = 0
        self.finished: int | None = None
        """How much was taken when the last record ended; None where nobody reads records."""
        self._stream = stream
        self._name = name
        self._compressed = compressed
        self._limits = current_limits()

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer as far as the stream does, and check what was taken."""
        piece = self._stream.read(len(buffer))
        buffer[: len(piece)] = piece
        self.taken += len(piece)
        if self._compressed is not None:
            self._check_content(self._compressed.taken)
        if self.finished is not None and self.taken - self.finished > self._limits.record + 2 * len(buffer):
            raise too_long_record(self._name, self._limits.record)
        return len(piece)

    def _check_content(self, compressed: int) -> None:
        limits = self._limits
        if self.taken > limits.total:
            found = f"it holds more than {shown_size(limits.total)} when decompressed"
            raise InputError(self._name, found, LIFT)
        if self.taken > limits.free and self.taken > limits.ratio * compressed:
            packed, held = shown_size(compressed), shown_size(self.taken)
            found = f"its first {packed} hold {held}, more than {limits.ratio} times as much"
            raise InputError(self._name, found, f"No table or document is packed so tightly. {LIFT}")


def read_whole(stream: IO[Any], name: str) -> Any:
    """All that is left of a stream, bytes or text; an error before it is more than a document may be."""
    limit = current_limits().document
    size = _regular_size(stream)
    if size is not None:
        if size > limit:
            raise too_large_document(name, limit)
        return stream.read()
    pieces, taken = [], 0
    while piece := stream.read(_PIECE):
        taken += len(piece)
        if taken > limit:
            raise too_large_document(name, limit)
        pieces.append(piece)
    return (pieces[0][:0] if pieces else b"").join(pieces)


def join_blocks(blocks: Iterable[bytes], name: str) -> bytes:
    """The blocks as one document; an error before they are more than it may be."""
    limit = current_limits().document
    held, taken = [], 0
    for block in blocks:
        taken += len(block)
        if taken > limit:
            raise too_large_document(name, limit)
        held.append(block)
    return b"".join(held)


def _regular_size(stream: IO[Any]) -> int | None:
    """How large an open file on disk is; None for what may be longer than it says."""
    import stat

    if not isinstance(stream, (io.BufferedReader, io.TextIOWrapper)):
        return None
    try:
        facts = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return None
    return facts.st_size if stat.S_ISREG(facts.st_mode) and facts.st_size else None
