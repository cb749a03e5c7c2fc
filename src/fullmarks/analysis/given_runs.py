"""Systems as callers give them: results, files of saved runs, or folders of these, under names or without."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from fullmarks.analysis.system_files import system_files
from fullmarks.checks import is_address, wrong_value
from fullmarks.errors import InputError, UsageError

if TYPE_CHECKING:
    from fullmarks.result import Result

Run: TypeAlias = Union["Result", str, "os.PathLike[str]"]
"""A result, or the path of a saved run."""

SYSTEM = "system"
"""What a result without a name is called; several are numbered."""


def loaded_runs(given: Mapping[str, Any]) -> dict[str, Any]:
    """The mapping with results in place of paths; what is neither stays as it is, for others to complain about."""
    return {name: _loaded(runs) for name, runs in given.items()}


def named_runs(given: Any) -> dict[str, Any]:
    """Every system's run, or list of runs, by name.

    Names are those of a mapping; of texts as in bert=run.json, else of the files' own names; of results, numbers.
    """
    from fullmarks.result import Result

    if isinstance(given, Mapping):
        return loaded_runs(given)
    each = [given] if isinstance(given, (Result, str, os.PathLike)) else given
    if not isinstance(each, (list, tuple)) or not all(isinstance(run, (Result, str, os.PathLike)) for run in each):
        raise wrong_value("runs", "a Result, the path of a saved run, a list of these, or a dictionary by name", given)
    files = system_files([run for run in each if not isinstance(run, Result)])
    rest = iter(files.items())
    found: dict[str, Any] = {}
    for number, run in enumerate(each, start=1):
        name, value = (SYSTEM if len(each) == 1 else f"{SYSTEM} {number}", run)
        if not isinstance(run, Result):
            name, own = next(rest)
            value = own.paths
        if name in found:
            raise UsageError(f"two systems are called '{name}'; give a dictionary by name")
        found[name] = _loaded(value)
    return found


def run_files(paths: Sequence[str]) -> list[str]:
    """The paths, with the saved runs in a folder in place of it."""
    found: list[str] = []
    for path in paths:
        found += _runs_below(path) if not is_address(path) and Path(path).is_dir() else [path]
    return found


def _runs_below(folder: str) -> list[str]:
    from fullmarks.analysis.run_folder import is_run, json_files

    found = [os.fspath(path) for path in json_files(Path(folder)) if is_run(path)]
    if not found:
        raise InputError(
            folder, "there is no saved run below it", "Write one with: fullmarks score ... -f full -o FILE."
        )
    return found


def _loaded(runs: Any) -> Any:
    from fullmarks.analysis.saved import load_run

    if isinstance(runs, (str, os.PathLike)):
        runs = (runs,)
    if not isinstance(runs, (list, tuple)) or not any(isinstance(run, (str, os.PathLike)) for run in runs):
        return runs
    found: list[Any] = []
    for run in runs:
        is_path = isinstance(run, (str, os.PathLike))
        found += map(load_run, run_files([os.fspath(run)])) if is_path else [run]
    return found[0] if len(found) == 1 else found
