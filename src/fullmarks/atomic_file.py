"""Files that appear whole or not at all: written beside their place, and moved there at the end.

A name that ends in .gz or .zst says that the file is compressed, and so it is: readers go by the name.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from fullmarks.errors import UsageError

COMPRESSIONS = (".gz", ".zst")
"""The endings of compressed files."""


def write_whole(path: Path, data: bytes) -> None:
    """Make this the content of a file."""
    with written_whole(path, size=len(data)) as stream:
        stream.write(data)


@contextmanager
def written_whole(path: Path, *, size: int = -1) -> Iterator[BinaryIO]:
    """A file object for the new content of a path; after an error the path is as it was before.

    Where the number of bytes is known beforehand, a .zst file says it in its head. Devices and pipes are written to
    directly.
    """
    try:
        if path.is_dir():
            raise UsageError(f"{path}: cannot be written, this is a directory. Name a file")
        if path.exists() and not path.is_file():
            with path.open("wb") as raw, _compressing(raw, path, size) as stream:
                yield stream
            return
        target = path.resolve()
        part = target.with_name(f".{target.name}.{os.getpid()}.part")
        try:
            with part.open("wb") as raw, _compressing(raw, path, size) as stream:
                yield stream
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            f"{path}: cannot be written ({reason}). Check the folder, its permissions and the disk"
        ) from error


@contextmanager
def _compressing(raw: BinaryIO, path: Path, size: int) -> Iterator[Any]:
    """What writes to the raw file as its name says. The same content gives the same bytes, whenever it is written."""
    compression = path.suffix.lower()
    if compression == ".gz":
        import gzip

        with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as stream:
            yield stream
    elif compression == ".zst":
        import zstandard

        writer: Any = zstandard.ZstdCompressor().stream_writer(raw, size=size, closefd=False)
        yield writer
        writer.close()  # not after an error: the frame would be incomplete, and that another error
    else:
        yield raw
