"""Streams of lines: in blocks of whole ones, and the lines that begin within a range of bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from fullmarks.readers.limits import current_limits, too_large_document, too_long_record
from fullmarks.readers.source import BYTE_ORDER_MARK

_PIECE = 1 << 16


def line_blocks(stream: Any, size: int, name: str, may_be_document: bool) -> Iterator[bytes]:
    """The content in blocks of whole lines of about so many bytes; a line that is too long is an error."""
    unfinished: list[bytes] = []
    limits = current_limits()
    longest, length, too_long = limits.record, 0, too_long_record
    first = True
    while piece := stream.read(size):
        if isinstance(piece, str):
            piece = piece.encode("utf-8", "surrogatepass")
        if first and piece.startswith(BYTE_ORDER_MARK):
            piece = piece[len(BYTE_ORDER_MARK) :]
        if first and may_be_document and not piece.lstrip().startswith(b"{"):
            longest, too_long = limits.document, too_large_document
        first = False
        cut = piece.rfind(b"\n") + 1
        if cut:
            block = b"".join([*unfinished, piece[:cut]])
            if longest < size and max(map(len, block.split(b"\n"))) > longest:
                raise too_long(name, longest)
            yield block
            unfinished, length = [], 0
        unfinished.append(piece[cut:])
        length += len(piece) - cut
        if length > longest:
            raise too_long(name, longest)
    if any(unfinished):
        yield b"".join(unfinished)


class LineRange:
    """The lines of a stream that begin within a range of its bytes, as a file object."""

    def __init__(self, stream: IO[bytes], start: int, stop: int) -> None:
        self.start = line_start(stream, start)
        """Where its first line begins."""
        self._left = max(line_start(stream, stop) - self.start, 0)
        self._stream = stream
        stream.seek(self.start)

    def read(self, size: int) -> bytes:
        """The next bytes, no more than so many; none at the end."""
        piece = self._stream.read(min(size, self._left))
        self._left -= len(piece)
        return piece


def line_start(stream: IO[bytes], offset: int) -> int:
    """Where the first line begins that does not begin before the offset; the end of the stream if there is none."""
    if offset == 0:
        return 0
    at = offset - 1
    stream.seek(at)
    while piece := stream.read(_PIECE):
        found = piece.find(b"\n")
        if found >= 0:
            return at + found + 1
        at += len(piece)
    return at
