"""Compressed files (.gz, .zst) opened as what they hold, if they are what their names say."""

from __future__ import annotations

import io
from typing import Any

from fullmarks.errors import InputError
from fullmarks.readers.limits import CountedFile, Gauge
from fullmarks.readers.source import BLOCK, COMPRESSIONS, compression_of, naming_advice


def decompressed(file: Any, compression: str, name: str) -> io.BufferedReader:
    """What a compressed file holds, as a stream that raises at a limit; an error if its first bytes are not such."""
    try:
        _check(file.peek(4)[:4], name, compression)
    except BaseException:
        file.close()
        raise
    counted: Any = CountedFile(file)
    content: Any
    if compression == ".gz":
        import gzip

        content = gzip.GzipFile(fileobj=counted)
    else:
        from fullmarks.readers.zstandard_stream import ZstandardStream

        content = io.BufferedReader(ZstandardStream(counted, name), BLOCK)
    return _ClosingReader(Gauge(content, name, counted), file)


class _ClosingReader(io.BufferedReader):
    """A buffered stream that closes the file below as well."""

    def __init__(self, raw: Gauge, file: Any) -> None:
        super().__init__(raw, BLOCK)
        self._file = file

    def close(self) -> None:
        """Close both."""
        super().close()
        self._file.close()


def _check(head: bytes, path: str, ending: str) -> None:
    """An error if a file is not compressed as its name says; a file cut off in its head is for the reader to tell."""
    found = compression_of(head)
    if found == ending or len(head) < 4:
        return
    if found:
        problem = f"this is {COMPRESSIONS[found]} data, though its name ends in {ending}"
        raise InputError(path, problem, naming_advice(path[: -len(ending)], found))
    plain = path.rpartition("/")[2][: -len(ending)]
    problem = f"this is not {COMPRESSIONS[ending]} data, though its name ends in {ending}"
    raise InputError(path, problem, f"If it is not compressed, name it {plain}; if it was, write it anew.")
