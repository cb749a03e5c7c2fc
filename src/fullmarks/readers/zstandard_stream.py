"""Zstandard files as a stream that ends only where the data does: every frame is read, a cut one is an error."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator

_PIECE = 1 << 18


class ZstandardStream(io.RawIOBase):
    """The decompressed bytes. `zstandard.open` would end quietly in the middle of a file that was cut off."""

    def __init__(self, path: str) -> None:
        self._file: BinaryIO = open(path, "rb")  # noqa: PTH123, SIM115 - closed by close
        self._pieces = self._decompressed()
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill what can be filled from the piece at hand; 0 at the end of the data."""
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = memoryview(piece)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size

    def close(self) -> None:
        """Close the file as well."""
        self._file.close()
        super().close()

    def _decompressed(self) -> Iterator[bytes]:
        import zstandard

        decompressor = zstandard.ZstdDecompressor()
        frame = None
        while data := self._file.read(_PIECE):
            while data:
                frame = frame or decompressor.decompressobj()
                yield frame.decompress(data)
                data = frame.unused_data if frame.eof else b""
                frame = None if frame.eof else frame
        if frame is not None:
            raise EOFError("the data ends inside a frame")


def open_zstandard(path: str) -> io.BufferedReader:
    """The file as a stream of decompressed bytes."""
    return io.BufferedReader(ZstandardStream(path), _PIECE)
