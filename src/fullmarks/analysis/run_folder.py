"""A folder of saved runs: in it a folder for each system, and in that its runs at any depth, one per benchmark."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

from fullmarks.analysis.saved import load_run
from fullmarks.atomic_file import COMPRESSIONS
from fullmarks.checks import check_local
from fullmarks.errors import InputError
from fullmarks.readers.saved_run import FORMAT
from fullmarks.readers.source import Source
from fullmarks.result import Result

_ENDINGS = (".json", *(f".json{ending}" for ending in COMPRESSIONS))
_HEAD = 200
_ADVICE = "Lay it out as FOLDER/SYSTEM/NAME.run.json, each written by: fullmarks score ... -f full -o FILE."


class FoundRun(NamedTuple):
    """A saved run, its file, and the file's name inside the system's folder, without endings."""

    path: str
    name: str
    result: Result


class FoundRuns(NamedTuple):
    """The runs of every system, by name, and the files of JSON that are none."""

    systems: dict[str, list[FoundRun]]
    others: list[str]


def read_folder(folder: str | os.PathLike[str]) -> FoundRuns:
    """Every saved run below a folder; an error where there is none, or one that belongs to no system."""
    check_local("a folder of saved runs", folder)
    root = Path(folder)
    if not root.is_dir():
        raise InputError(os.fspath(folder), "this is no folder", _ADVICE)
    systems: dict[str, list[FoundRun]] = {}
    others: list[str] = []
    for path in json_files(root):
        if not is_run(path):
            others.append(os.fspath(path))
            continue
        system, *inside = path.relative_to(root).parts
        if not inside:
            raise InputError(os.fspath(path), "this run lies in no folder of a system", _ADVICE)
        found = FoundRun(os.fspath(path), _without_endings("/".join(inside)), load_run(path))
        systems.setdefault(system, []).append(found)
    if not systems:
        raise InputError(os.fspath(folder), "there is no saved run below it", _ADVICE)
    return FoundRuns(systems, others)


def json_files(root: Path) -> list[Path]:
    """Files of JSON below the folder in the order of their names; hidden files and folders are passed by."""
    found = (path for path in root.rglob("*") if path.name.lower().endswith(_ENDINGS) and path.is_file())
    return sorted(path for path in found if not any(part.startswith(".") for part in path.relative_to(root).parts))


def is_run(path: Path) -> bool:
    """Whether the beginning of the file says that it is a saved run."""
    head: Any = next(Source(path, "saved run").blocks(may_be_document=True), b"")
    return f'"{FORMAT}"'.encode() in head[:_HEAD]


def _without_endings(name: str) -> str:
    while name.lower().endswith((".run", ".json", *COMPRESSIONS)):
        name = name.rpartition(".")[0]
    return name
