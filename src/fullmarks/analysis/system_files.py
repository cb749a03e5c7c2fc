"""Words that say which systems are compared: a file, several runs with commas between them, and a name before them.

    bidaf.json    bert=run-17.json    bert=run-17.json,run-18.json    bert=runs/bert/

A word that is itself the path of a file or folder stays one, and so does one with a slash before its first `=`: a file
of that form which does not exist yet, or stands in this folder, is written ./a=b.json.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import takewhile
from pathlib import PurePath
from typing import NamedTuple

from fullmarks.checks import is_address, shown_path
from fullmarks.errors import UsageError


class SystemFiles(NamedTuple):
    """A system's files as they were asked for."""

    word: str
    name: str
    """Empty where none was given."""
    paths: tuple[str, ...]


def system_files(words: Sequence[str | os.PathLike[str]]) -> dict[str, SystemFiles]:
    """The files of every system by its name, in order: the one given, else one made of the files' own names.

    A path that is no text is one file, whatever it looks like.
    """
    found = [_parted(word) for word in words]
    _check_files([path for each in found for path in each.paths])
    given = [each.name for each in found if each.name]
    short = [each.name or _short_name(each.paths) for each in found]
    systems: dict[str, SystemFiles] = {}
    for each, name in zip(found, short, strict=True):
        own = name if each.name or short.count(name) == 1 else ",".join(map(shown_path, each.paths))
        if own in systems:
            advice = "Join the runs of one system by commas: name=a1.json,a2.json" if own in given else "Give names"
            raise UsageError(f"two systems are called '{own}'; {advice}")
        systems[own] = each
    return systems


def named_system(systems: dict[str, SystemFiles], asked: str | None) -> str | None:
    """The name of the system that is asked for by its name, its word, or the files in it; as it is where none is so."""
    for name, each in systems.items():
        if asked in (name, each.word, ",".join(each.paths)):
            return name
    return asked


def has_name(word: str) -> bool:
    """Whether the word begins with a name, or with what should be one.

    >>> has_name("bert=runs/"), has_name("./a=b.json"), has_name("a.json")
    (True, False, False)
    """
    if os.path.exists(word) or is_address(word):  # noqa: PTH110 - any text
        return False
    name, equals, _ = word.partition("=")
    return bool(equals) and not any(mark in name for mark in "/\\,")  # part of a path, or of the first of several


def own_name(path: str) -> str:
    """A file's own name without what says how it is written: qwen2.5.run.json.gz is qwen2.5."""
    from fullmarks.atomic_file import COMPRESSIONS
    from fullmarks.readers.tables.table import ENDINGS

    name = PurePath(shown_path(path)).name
    while name.lower().endswith((".run", ".json", *ENDINGS, *COMPRESSIONS)):
        name = name.rpartition(".")[0]
    return name or path


def group_name(names: Sequence[str]) -> str:
    """What the names of a system's runs begin with alike, else all of them.

    >>> group_name(["bert-s1", "bert-s2"])
    'bert-s'
    >>> group_name(["one", "two"])
    'one,two'
    """
    shared = "".join(letters[0] for letters in takewhile(lambda each: len(set(each)) == 1, zip(*names, strict=False)))
    return shared.rstrip("-_. ") or ",".join(names)


def _short_name(paths: Sequence[str]) -> str:
    return group_name([own_name(path) for path in paths])


def _parted(word: str | os.PathLike[str]) -> SystemFiles:
    if not isinstance(word, str):
        path = os.fspath(word)
        return SystemFiles(path, "", (path,))
    if not has_name(word):
        return SystemFiles(word, "", _files(word))
    name, _, files = word.partition("=")
    if not name.strip() or not files:
        missing = "name before" if not name.strip() else "file after"
        raise UsageError(
            f"'{shown_path(word)}' has no {missing} the '='; write NAME=FILE as in bert=run.json, "
            f"or ./{shown_path(word)} for a file of that name"
        )
    return SystemFiles(word, name.strip(), _files(files))


def _files(word: str) -> tuple[str, ...]:
    if "," not in word or os.path.exists(word):  # noqa: PTH110 - any text
        return (word,)
    files = tuple(word.split(","))
    if not all(files):
        raise UsageError(
            f"'{shown_path(word)}' has a comma without a file beside it; "
            "write the runs of one system as in a1.json,a2.json"
        )
    return files


def _check_files(paths: Iterable[str]) -> None:
    every = list(paths)
    repeated = sorted({path for path in every if every.count(path) > 1})
    if repeated:
        found = shown_path(repeated[0])
        raise UsageError(f"'{found}' is given twice; a system is compared with others, and a run counts once")
