"""The content of files and directories as SHA-256 digests: what a signature and a cache know them by."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import BinaryIO


def file_digest(path: str | os.PathLike[str]) -> str:
    """The SHA-256 of a file, read in blocks."""
    with Path(path).open("rb") as file:
        return stream_digest(file)


def stream_digest(file: BinaryIO) -> str:
    """The SHA-256 of what is left of an open file, read in blocks."""
    digest = hashlib.sha256()
    while block := file.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()


def directory_digest(folder: str | os.PathLike[str]) -> str:
    """A SHA-256 over names and contents of the directory's visible files."""
    digest = hashlib.sha256()
    for path in sorted(path for path in Path(folder).iterdir() if path.is_file() and path.name[0] != "."):
        digest.update(f"{path.name}\0{file_digest(path)}\0".encode())
    return digest.hexdigest()
