"""ZIP archives, entry by entry: what an entry holds is counted while it is decompressed and refused at a limit.

What the archive says of its sizes is not believed. Entries may be stored, deflated or compressed by Zstandard, which
Python's own reader knows since 3.14 only. Of entries with one name the last counts, as in a log that was appended to.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from fullmarks.errors import InputError
from fullmarks.readers.limits import LIFT, current_limits, read_whole, shown_size, too_large_document
from fullmarks.readers.source import Source

if TYPE_CHECKING:
    from zipfile import ZipInfo

_STORED, _DEFLATED, _ZSTANDARD = 0, 8, 93
_PIECE = 1 << 16
_HEAD = struct.Struct("<4s22xHH")
_HEAD_MARK = b"PK\x03\x04"
_ENCRYPTED = 1
_CUT = "It seems to be cut off or damaged; write it again."


@contextmanager
def opened_archive(source: Source) -> Iterator[Archive]:
    """The archive that a source is; an error if it is none."""
    with source.stream(ranged=True) as stream:
        file: Any = stream
        if source.is_compressed or not stream.seekable():
            file = io.BytesIO(read_whole(stream, source.name))
        yield Archive(file, source.name)


class Archive:
    """The entries of an archive by name."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        import zipfile

        self.name = name
        self._file = file
        self._stored = self._held = 0
        try:
            self._entries = {entry.filename: entry for entry in zipfile.ZipFile(file).infolist()}
        except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error, OverflowError) as error:
            reason = str(error).removesuffix(".")
            raise InputError(name, f"not a readable ZIP archive ({reason})", _CUT) from None

    @property
    def names(self) -> list[str]:
        """The names of all entries, in the order of their first appearance."""
        return list(self._entries)

    def read(self, name: str) -> bytes:
        """What an entry holds; an error names it."""
        entry = self._entries[name]
        where = f"{self.name}: entry '{name}'"
        if entry.flag_bits & _ENCRYPTED:
            raise InputError(where, "it is encrypted", "Write the archive without a password.")
        largest, held, pieces, check = current_limits().document, 0, [], 0
        try:
            for piece in self._decompressed(entry, where):
                held += len(piece)
                if held > largest:
                    raise too_large_document(where, largest)
                self._count(len(piece))
                check = zlib.crc32(piece, check)
                pieces.append(piece)
        except (zlib.error, EOFError, struct.error) as error:
            raise InputError(where, f"it cannot be decompressed ({error})", _CUT) from None
        if check != entry.CRC or held != entry.file_size:
            raise InputError(where, "its content is not what the archive says of it", _CUT)
        return b"".join(pieces)

    def _count(self, size: int) -> None:
        """Add to what was decompressed in all; an error where that is more than an honest archive holds."""
        limits = current_limits()
        self._held += size
        if self._held > limits.total or (self._held > limits.free and self._held > limits.ratio * self._stored):
            found = f"{shown_size(self._stored)} of it hold {shown_size(self._held)} when decompressed"
            raise InputError(self.name, found, f"No log or workbook is packed so tightly. {LIFT}")

    def _decompressed(self, entry: ZipInfo, where: str) -> Iterator[bytes]:
        stored = _Stored(self, entry)
        if entry.compress_type == _STORED:
            while piece := stored.read(_PIECE):
                yield piece
        elif entry.compress_type == _DEFLATED:
            yield from _inflated(stored)
        elif entry.compress_type == _ZSTANDARD:
            from fullmarks.readers.zstandard_stream import ZstandardStream

            yield from _zstandard(ZstandardStream(stored, where))  # type: ignore[arg-type]
        else:
            found = f"it is compressed in a way that is not read (method {entry.compress_type})"
            raise InputError(where, found, "Write the archive with deflate or Zstandard.")

    def piece(self, at: int, size: int) -> bytes:
        """Some bytes of the file, counted."""
        self._file.seek(at)
        data = self._file.read(size)
        self._stored += len(data)
        return data


class _Stored:
    """The bytes of an entry as they stand in the file."""

    def __init__(self, archive: Archive, entry: ZipInfo) -> None:
        mark, name, extra = _HEAD.unpack(archive.piece(entry.header_offset, _HEAD.size))
        if mark != _HEAD_MARK:
            raise EOFError("there is no such entry in its place")
        self._at = entry.header_offset + _HEAD.size + name + extra
        self._left = entry.compress_size
        self._archive = archive

    def read(self, size: int) -> bytes:
        """The next bytes; none at the entry's end."""
        data = self._archive.piece(self._at, min(size, self._left))
        if self._left and not data:
            raise EOFError("the file ends inside of it")
        self._at += len(data)
        self._left -= len(data)
        return data


def _inflated(stored: _Stored) -> Iterator[bytes]:
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    while not inflate.eof:
        data = inflate.unconsumed_tail or stored.read(_PIECE)
        piece = inflate.decompress(data, _PIECE << 4)
        if not data and not piece and not inflate.eof:
            raise EOFError("the data ends inside of it")
        yield piece


def _zstandard(stream: io.RawIOBase) -> Iterator[bytes]:
    import zstandard

    try:
        while piece := stream.read(_PIECE << 4):
            yield piece
    except zstandard.ZstdError as error:
        raise EOFError(str(error)) from None
