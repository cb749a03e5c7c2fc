"""Zstandard files as a stream that ends only where the data does: every frame is read, a cut one is an error."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, BinaryIO

from fullmarks.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

_PIECE = 1 << 16
_FED = 1 << 10
"""Bytes given to the decompressor at once: four of them can stand for 128 KiB, so 32 MiB is the most that comes."""
_TOO_LARGE_WINDOW = "requires too much memory"


class ZstandardStream(io.RawIOBase):
    """The decompressed bytes. `zstandard.open` would end quietly in the middle of a file that was cut off."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._name = name
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

    def _decompressed(self) -> Iterator[bytes]:
        import zstandard

        decompressor = zstandard.ZstdDecompressor()
        frame = None
        while piece := self._file.read(_PIECE):
            for start in range(0, len(piece), _FED):
                data = piece[start : start + _FED]
                while data:
                    frame = frame or decompressor.decompressobj()
                    yield self._checked(frame, data, zstandard.ZstdError)
                    data = frame.unused_data if frame.eof else b""
                    frame = None if frame.eof else frame
        if frame is not None:
            raise EOFError("the data ends inside a frame")

    def _checked(self, frame: Any, data: bytes, kind: type[Exception]) -> bytes:
        """The decompressed bytes; a frame that asks for too large a window is no damage."""
        try:
            content: bytes = frame.decompress(data)
        except kind as error:
            if _TOO_LARGE_WINDOW not in str(error):
                raise
            found = "this zstandard data needs a window of more than 128 MiB to decompress"
            raise InputError(self._name, found, "Compress it anew without --long or --ultra.") from None
        return content
