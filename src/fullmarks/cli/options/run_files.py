"""Words of `compare` that name a system's files: one, or several runs of it with commas between them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import takewhile

from fullmarks.checks import shown_path
from fullmarks.errors import UsageError


def run_files(words: Sequence[str]) -> list[tuple[str, ...]]:
    """The files of each system; a word that is itself the name of a file stays one."""
    groups = [_files(word) for word in words]
    every = [path for group in groups for path in group]
    repeated = sorted({path for path in every if every.count(path) > 1})
    if repeated:
        found = shown_path(repeated[0])
        raise UsageError(f"'{found}' is given twice; a system is compared with others, and a run counts once")
    return groups


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


def group_name(names: Sequence[str]) -> str:
    """What the names of a system's runs begin with alike, else all of them.

    >>> group_name(["bert-s1", "bert-s2"])
    'bert-s'
    >>> group_name(["one", "two"])
    'one,two'
    """
    shared = "".join(letters[0] for letters in takewhile(lambda each: len(set(each)) == 1, zip(*names, strict=False)))
    return shared.rstrip("-_. ") or ",".join(names)
