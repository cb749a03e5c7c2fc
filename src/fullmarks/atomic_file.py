"""Files that appear whole or not at all: written beside their place, and moved there at the end.

What goes to an address is written to a file on this machine first, and uploaded in one piece of work.

What is being written has a name that nobody can foresee and that did not exist before, so that neither another run nor
a link that was laid there is written to. A name that ends in .gz or .zst says that the file is compressed, and so it
is: readers go by the name.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EEXIST
from pathlib import Path, PurePath
from typing import Any, BinaryIO

from fullmarks.checks import is_address, shown_path
from fullmarks.errors import UsageError

COMPRESSIONS = (".gz", ".zst")
"""The endings of compressed files."""
PART_NAMES = ".fullmarks-*.part"
"""How files are named that are being written, or were when their program was killed."""
_unfinished: set[Path] = set()
"""What this process is writing, for a program that is told to end and has no time to unwind."""


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Make this the content of a file."""
    with written_whole(path, size=len(data)) as stream:
        stream.write(data)


@contextmanager
def written_whole(path: str | os.PathLike[str], *, size: int = -1) -> Iterator[BinaryIO]:
    """A file object for the new content of a path or an address; after an error it is as it was before.

    A file that is there keeps its permissions, and its owner where that can be. Where the number of bytes is known
    beforehand, a .zst file says it in its head. Devices and pipes are written to directly.
    """
    if is_address(path):
        with _uploaded(os.fspath(path), size) as stream:
            yield stream
        return
    path = Path(path)
    try:
        before = _status(path)
        if before is not None and stat.S_ISDIR(before.st_mode):
            raise UsageError(f"{path}: cannot be written, this is a directory. Name a file")
        if before is not None and not stat.S_ISREG(before.st_mode):
            with path.open("wb") as device, _compressing(device, path, size) as stream:
                yield stream
            return
        with _moved_into(Path(os.path.realpath(path)), before) as raw, _compressing(raw, path, size) as stream:
            yield stream
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            f"{path}: cannot be written ({reason}). Check the folder, its permissions and the disk"
        ) from error


@contextmanager
def _uploaded(address: str, size: int) -> Iterator[BinaryIO]:
    """A new file of this machine that becomes the content of an address at the end, and is removed in any case."""
    from tempfile import mkstemp

    from fullmarks.remote_file import RemoteError, check_place, upload

    part: Path | None = None
    try:
        check_place(address)
        handle, name = mkstemp(prefix="fullmarks-", suffix=".part")
        part = Path(name)
        _unfinished.add(part)
        with os.fdopen(handle, "wb") as raw, _compressing(raw, PurePath(shown_path(address)), size) as stream:
            yield stream
        upload(part, address)
    except RemoteError as error:
        raise UsageError(f"{shown_path(address)}: cannot be written: {error.problem}. {error.advice}") from None
    finally:
        if part is not None:
            part.unlink(missing_ok=True)
            _unfinished.discard(part)


def remove_unfinished() -> None:
    """Remove what this process has begun to write and not moved into its place; nothing of other processes."""
    for part in tuple(_unfinished):
        with suppress(OSError):
            part.unlink()


def _status(path: Path) -> os.stat_result | None:
    """What stands at the path, links followed; None for nothing. A file that may not be written to is an error."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    except ValueError:  # a NUL, or a character that file names cannot have
        raise UsageError(f"{str(path)!r}: cannot be written, this is not a path. Name a file") from None
    if stat.S_ISREG(found.st_mode) and not os.access(path, os.W_OK):
        raise UsageError(f"{path}: cannot be written, for it is write-protected. Name another file")
    return found


@contextmanager
def _moved_into(target: Path, before: os.stat_result | None) -> Iterator[BinaryIO]:
    """A new file beside the target that takes its place at the end, or is removed after an error."""
    part = target.with_name(f".fullmarks-{os.urandom(16).hex()}.part")
    if os.path.lexists(part):  # of somebody else, who keeps it
        raise FileExistsError(EEXIST, os.strerror(EEXIST))
    _unfinished.add(part)
    try:
        with open(part, "xb", opener=_for_all if before is None else _for_owner) as raw:
            if before is not None:
                _keep_permissions(raw.fileno(), before)
            yield raw
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
        _unfinished.discard(part)


def _for_all(part: str, flags: int) -> int:
    return os.open(part, flags, 0o666)


def _for_owner(part: str, flags: int) -> int:
    return os.open(part, flags, 0o600)


def _keep_permissions(descriptor: int, before: os.stat_result) -> None:
    if not hasattr(os, "fchmod"):
        return
    made = os.fstat(descriptor)
    if (made.st_uid, made.st_gid) != (before.st_uid, before.st_gid):
        with suppress(OSError):  # only the superuser can give files away
            os.fchown(descriptor, before.st_uid, before.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(before.st_mode))


@contextmanager
def _compressing(raw: BinaryIO, path: PurePath, size: int) -> Iterator[Any]:
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
