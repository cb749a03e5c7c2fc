"""Opening files that somebody else named: plain files only, their size known before a byte is read.

A pipe would block for ever, a device never end.
"""

from __future__ import annotations

import os
import stat
from typing import BinaryIO

NO_SUCH_FILE = "there is no such file"


class UnusableFileError(OSError):
    """A file that is not opened, with the reason as its text."""


def open_regular(path: str | os.PathLike[str], most_bytes: int) -> BinaryIO:
    """The file, open for reading; an UnusableFileError if it is absent, no plain file, or larger than `most_bytes`."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError as error:
        raise UnusableFileError(NO_SUCH_FILE) from error
    except OSError as error:
        raise UnusableFileError(f"cannot be opened ({error.strerror or error})") from error
    except ValueError as error:  # a NUL, or half a character: no file can have this name
        raise UnusableFileError(NO_SUCH_FILE) from error
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode):
        os.close(handle)
        raise UnusableFileError("is no plain file but a folder, a pipe or a device")
    if found.st_size > most_bytes:
        os.close(handle)
        raise UnusableFileError(f"is too large: {found.st_size:,} bytes, at most {most_bytes:,} are read")
    return os.fdopen(handle, "rb")
