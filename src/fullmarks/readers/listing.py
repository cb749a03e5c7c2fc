"""The files that a folder, a pattern or a single path stands for, here and behind an address alike.

They come in the order of their names. Hidden files, those that begin with an underscore (such as _SUCCESS), folders
and, beside others, empty files are left out: they hold no records.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import NamedTuple

from fullmarks.checks import is_address
from fullmarks.errors import InputError
from fullmarks.readers.source import ending_of, reported

_FAMILIES = {".ndjson": ".jsonl"}
"""Endings of the same kind of file."""
_MAGIC = re.compile(r"[*?]|\[.[^/\]]*\]")


class File(NamedTuple):
    """A file by its path or address, and what tells whether it has changed."""

    path: str
    size: int
    stamp: str
    """An entity tag, or the time of the last change in ns; empty where neither is told."""


def files_of(path: str) -> list[File]:
    """The files, at least one; an error where there is none, or where they are of different kinds.

    A file whose own name looks like a pattern is itself.
    """
    found = files_below(path)
    if found is None:
        raise InputError(_shown(path), "there is no such file", "Check the path.")
    return found


def files_below(path: str) -> list[File] | None:
    """The same; None where nothing stands at a path that is no pattern."""
    entry = _status(path)
    if isinstance(entry, File):
        return [entry]
    if entry is not None:
        return _checked(path, _entries(path), "there is no file in this folder")
    if has_magic(path):
        return _checked(path, _matching(path), "no file fits this pattern")
    return None


def entries_of(folder: str) -> list[File]:
    """The files in a folder but the hidden ones, whatever they are."""
    return sorted(file for file in _entries(folder) if not _name(file.path).startswith("."))


def stands_for_many(path: str) -> bool:
    """Whether this is a folder or a pattern, not a file: of a pattern nobody looks whether files fit it."""
    if not is_address(path) and not has_magic(path):
        return os.path.isdir(path)
    entry = _status(path)
    return has_magic(path) if entry is None else not isinstance(entry, File)


def is_folder(path: str) -> bool:
    """Whether there is a folder at a path."""
    entry = _status(path)
    return entry is not None and not isinstance(entry, File)


def has_magic(path: str) -> bool:
    """Whether the characters of patterns are in a path, where they mean something."""
    return _MAGIC.search(_key(path)) is not None


def _key(path: str) -> str:
    """The part of a path that can be a pattern."""
    if not is_address(path):
        return path
    from fullmarks.remote_file import parts_of

    return parts_of(path).path


def _status(path: str) -> File | str | None:
    """The file at a path, the path itself for a folder, None for nothing."""
    if not is_address(path):
        try:
            facts = os.stat(path)
        except (OSError, ValueError):  # who opens it will say what is wrong
            return None
        return path if os.path.isdir(path) else File(path, facts.st_size, str(facts.st_mtime_ns))
    from fullmarks.remote_file import status

    with reported(_shown(path), path):
        entry = status(path)
    if entry is None or entry.is_folder:
        return None if entry is None else path
    return File(path, entry.size, entry.stamp)


def _entries(folder: str) -> list[File]:
    """The files in a folder, in any order."""
    if not is_address(folder):
        with reported(folder, folder), os.scandir(folder) as found:
            return [_local(os.path.join(folder, entry.name)) for entry in found if entry.is_file()]
    from fullmarks.remote_file import entries

    with reported(_shown(folder), folder):
        return [File(each.address, each.size, each.stamp) for each in entries(folder) if not each.is_folder]


def _local(path: str) -> File:
    facts = os.stat(path)
    return File(path, facts.st_size, str(facts.st_mtime_ns))


def _matching(pattern: str) -> list[File]:
    """The files that fit a pattern, in any order; what is hidden, or begins with an underscore, has to be named."""
    key = _key(pattern)
    fixed = _MAGIC.split(key, maxsplit=1)[0].rpartition("/")[0]
    named = set(key.split("/"))
    with reported(_shown(pattern), pattern):
        found = _fitting(pattern, key, fixed) if is_address(pattern) else _globbed(pattern)
    return [
        file for file in found if all(part[:1] not in ("", ".", "_") or part in named for part in _below(file, fixed))
    ]


def _below(file: File, folder: str) -> list[str]:
    """The names on the way from a folder to a file."""
    return _key(file.path)[len(folder) :].lstrip("/").split("/")


def _globbed(pattern: str) -> list[File]:
    import glob

    return [_local(path) for path in glob.glob(pattern, recursive=True) if os.path.isfile(path)]


def _fitting(address: str, key: str, fixed: str) -> list[File]:
    from fullmarks.remote_file import at_path, entries

    fits = re.compile("".join(map(_expression, key.split("/"))).removesuffix("/"))
    found = entries(at_path(address, fixed), recursive="/" in key[len(fixed) + 1 :])
    files = [File(each.address, each.size, each.stamp) for each in found if not each.is_folder]
    return [file for file in files if fits.fullmatch(_key(file.path))]


def _expression(segment: str) -> str:
    """One segment of a pattern as a regular expression: `**` goes beyond slashes, other wildcards do not."""
    if segment == "**":
        return "(?:[^/]+/)*"
    pieces = re.findall(r"\*|\?|\[!?\]?[^\]]*\]|.", segment)
    return "".join(map(_piece, pieces)) + "/"


def _piece(piece: str) -> str:
    if piece in ("*", "?"):
        return "[^/]*" if piece == "*" else "[^/]"
    if len(piece) == 1:
        return re.escape(piece)
    inner = re.sub(r"([\\\[\]^])", r"\\\1", piece[1:-1])
    return f"[^{inner[1:]}]" if inner[0] == "!" else f"[{inner}]"


def _checked(path: str, found: Iterable[File], nothing: str) -> list[File]:
    files = sorted(file for file in found if _name(file.path)[:1] not in (".", "_"))
    files = [file for file in files if file.size] or files[:1]
    if not files:
        raise InputError(_shown(path), nothing, "Check the path.")
    kinds: dict[str, str] = {}
    for file in files:
        ending = ending_of(_name(file.path))
        kinds.setdefault(_FAMILIES.get(ending, ending), _name(file.path))
    if len(kinds) > 1:
        first, second = list(kinds.values())[:2]
        problem = f"its files are of different kinds, such as {first} and {second}; expected the parts of one table"
        raise InputError(_shown(path), problem, "Name those that are meant by a pattern, as in 'runs/*.parquet'.")
    return files


def _name(path: str) -> str:
    return os.path.basename(_key(path))


def _shown(path: str) -> str:
    if not is_address(path):
        return path
    from fullmarks.remote_file import shown

    return shown(path)
