"""Files that appear whole or not at all: written beside their place, and moved there at the end."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from fullmarks.errors import UsageError


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """A file object for the new content of a path; after an error the path is as it was before.

    Devices and pipes are written to directly.
    """
    try:
        if path.is_dir():
            raise UsageError(f"{path}: cannot be written, this is a directory. Name a file")
        if path.exists() and not path.is_file():
            with path.open("wb") as stream:
                yield stream
            return
        target = path.resolve()
        part = target.with_name(f".{target.name}.{os.getpid()}.part")
        try:
            with part.open("wb") as stream:
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
