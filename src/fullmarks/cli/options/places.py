"""What a command reads and what it writes are different files, and no two things are written to one.

Files are told apart by what they are, not by how they are named: a link to an input is that input.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fullmarks.checks import is_address, shown_path
from fullmarks.errors import FullmarksError, UsageError

WRITTEN_OPTIONS = ("save_stats", "clip_cache")
"""Options of protocols that name a file to be written."""
PLOT_ENDINGS = (".png", ".svg")

Place = tuple[str, str]
"""What a file is for, as its user named it, and its path."""


def check_places(inputs: Iterable[Place], outputs: Iterable[Place], *, plots: Path | None = None) -> None:
    """An error if something would be written over an input, or over something else that is written.

    `plots` is a folder that gets pictures under names of their own. Devices and pipes may be named as often as wanted.
    """
    read = {_identity(path): (role, path) for role, given in inputs for path in _files(given)}
    read.pop(None, None)
    written: dict[Any, Place] = {}
    for role, path in outputs:
        key = _identity(path)
        if key is None:
            continue
        if key in read:
            other, name = read[key]
            raise UsageError(
                f"{role} {shown_path(path)}: this is the same file as the {other} '{shown_path(name)}', "
                "which would be overwritten. Name another file"
            )
        if key in written:
            raise UsageError(
                f"{role} {shown_path(path)}: this is the same file as that of {written[key][0]}, "
                "and only one would be kept. Name another file"
            )
        if plots is not None and path.lower().endswith(PLOT_ENDINGS) and _is_in(path, plots):
            raise UsageError(
                f"{role} {path}: the folder {plots} is for plots, which have such names. Name another file"
            )
        written[key] = (role, path)


def protocol_places(options: Mapping[str, Any], fields: Iterable[Any]) -> tuple[list[Place], list[Place]]:
    """The files that a protocol's options name: those that are read, and those that are written."""
    from fullmarks.readers.source import Source

    read: list[Place] = []
    written: list[Place] = []
    for field in fields:
        value = options.get(field.name)
        if field.metadata.get("kind") in (Source, Path) and isinstance(value, (str, os.PathLike)):
            place = (f"--{field.name.replace('_', '-')}", os.fspath(value))
            (written if field.name in WRITTEN_OPTIONS else read).append(place)
    return read, written


def named(role: str, *paths: str | Path | None) -> list[Place]:
    """Places of one kind, those left out left out."""
    return [(role, os.fspath(path)) for path in paths if path is not None]


def is_among(path: str, words: Iterable[str]) -> bool:
    """Whether one of the words, or a beginning of it that ends before a colon, is this file by any name."""
    key = _identity(path)
    if key is None:
        return False
    for word in words:
        pieces = word.partition("=")[2].split(":") if word.startswith("-") and "=" in word else word.split(":")
        if any(_identity(":".join(pieces[:end])) == key for end in range(1, len(pieces) + 1)):
            return True
    return False


def _files(path: str) -> list[str]:
    """What is read of a path: itself, or the files that it stands for; nothing where there is nothing."""
    from fullmarks.readers.source import Source

    try:
        source = Source(path, "input")
        if source.is_many:
            return [part.path or "" for part in source.parts()]
    except FullmarksError:  # who opens it will say what is wrong
        return [path]
    path = path if source.sheet is None else source.path or path
    return [path] if path == "-" or is_address(path) or os.path.exists(path) else []  # noqa: PTH110 - any text


def _identity(path: str) -> Any:
    """What makes a plain file itself: its place on the disk, or where it would come to stand. None for all others."""
    if is_address(path):
        from fullmarks.remote_file import same_place

        return same_place(path)
    try:
        status = os.fstat(sys.stdin.fileno()) if path == "-" else os.stat(path)  # noqa: PTH116 - any text
    except FileNotFoundError:
        return os.path.realpath(path)
    except (OSError, ValueError, AttributeError):  # who opens it will say what is wrong
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _is_in(path: str, folder: Path) -> bool:
    return os.path.realpath(os.path.dirname(path) or ".") == os.path.realpath(folder)  # noqa: PTH120 - any text
