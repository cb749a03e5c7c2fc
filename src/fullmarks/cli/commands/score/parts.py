"""`--per-example FOLDER/` and `--resume`: records in parts, and a run that goes on where it was cut short."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from fullmarks.checks import is_address, shown_path
from fullmarks.errors import UsageError

if TYPE_CHECKING:
    from fullmarks.report.part_records import PartRecords


class Parts(NamedTuple):
    """What writes the parts, and what `score` is asked for."""

    records: PartRecords
    asked: dict[str, Any]


def chosen_parts(given: dict[str, Any], *, keep: bool) -> Parts | None:
    """The parts that were asked for, their folder ready; None without them."""
    if given["per_example"] is None or not given["per_example"].endswith("/"):
        if given["resume"]:
            raise UsageError(
                "--resume goes on with a folder of records: add --per-example FOLDER/, with a slash at its end"
            )
        return None
    from fullmarks.report.part_records import parts_of

    records = parts_of(given["per_example"], spreadsheet=given["spreadsheet"])
    if records is None:
        return None
    if given["resume"] and (keep or given["predictions"] is not None):
        raise UsageError(
            "--resume is for one table of predictions and references, and for results without examples: leave it out"
        )
    for role in ("gold", "predictions"):
        _check_apart(records.folder, given[role], role)
    records.begin(resume=given["resume"])
    has_shards = given["predictions"] is None and not keep
    return Parts(records, {"write": records, "checkpoint": records.checkpoint if has_shards else None})


def _check_apart(folder: str, path: str | None, role: str) -> None:
    """An error if an input lies in the folder that is written to."""
    if path is None or path == "-":
        return
    from fullmarks.readers.listing import files_below

    for file in files_below(path) or ():
        if _place(file.path).startswith(f"{_place(folder)}/"):
            raise UsageError(
                f"--per-example {shown_path(folder)}/: the {role} '{shown_path(file.path)}' lies in this folder and "
                "might be overwritten. Name another one"
            )


def _place(path: str) -> str:
    """Where a path leads, however it is written."""
    if not is_address(path):
        return os.path.realpath(path)
    from fullmarks.remote_file import same_place

    return same_place(path)
