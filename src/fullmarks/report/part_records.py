"""One record per example in a folder of files, one for each shard: part-00000.jsonl, part-00001.jsonl and so on.

Each is written whole by whoever scores the shard; `_SUCCESS` comes last, and a folder without it is not finished.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from fullmarks.atomic_file import PART_NAMES, write_whole
from fullmarks.checks import is_address, shown_path
from fullmarks.errors import UsageError
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Rows, Tally
from fullmarks.report.per_example import check_record_path, record_file
from fullmarks.result import PerExample
from fullmarks.types import Examples

SUCCESS = "_SUCCESS"
CHECKPOINT = "_checkpoint"
OURS = ("part-", "_", ".")
"""How the names of files in such a folder begin."""
USUAL_ENDING = ".jsonl"
RECORDS_AT_ONCE = 1 << 14


@dataclass(frozen=True)
class PartRecords:
    """Writes the examples of a shard as a file in a folder, whose name says the format: scores.parquet/ or scores/."""

    folder: str
    spreadsheet: bool = False

    @property
    def checkpoint(self) -> str:
        """Where finished shards are kept until all are."""
        return f"{self.folder}/{CHECKPOINT}"

    def __call__(self, number: int, metrics: Sequence[Metric], examples: Examples, rows: Rows) -> None:
        """Write the examples of the shard of this number, with their rows."""
        tally = Tally(metrics, keep=True)
        tally.add(examples, rows)
        records = PerExample(tally)
        with record_file(self.path(number), spreadsheet=self.spreadsheet) as write:
            for start in range(0, len(records), RECORDS_AT_ONCE):
                write(records[start : start + RECORDS_AT_ONCE])

    def is_there(self, number: int) -> bool:
        """Whether the shard of this number has been written."""
        return _exists(self.path(number))

    def path(self, number: int) -> str:
        """The file of a shard."""
        name = self.folder.rpartition("/")[2]
        _, dot, ending = name.partition(".")
        return f"{self.folder}/part-{number:05}{dot + ending if ending else USUAL_ENDING}"

    def begin(self, *, resume: bool) -> None:
        """See that the folder is new, or that of a run that was cut short and goes on."""
        check_record_path(self.path(0))
        shown = shown_path(self.folder)
        if _exists(f"{self.folder}/{SUCCESS}"):
            raise UsageError(f"{shown}/: this folder is finished, it has {SUCCESS}. Name another one, or remove it")
        if not resume and (_exists(f"{self.folder}/{CHECKPOINT}/plan.json") or self.is_there(0)):
            raise UsageError(
                f"{shown}/: a run that was cut short has left this folder. Add --resume to go on, or name another one"
            )
        if is_address(self.folder):
            return
        folder = Path(self.folder)
        try:
            found = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
            strange = next((name for name in found if not name.startswith(OURS)), None)
            if strange is not None:
                raise UsageError(f"{shown}/: there is something else in this folder, '{strange}'. Name another one")
            Path(self.checkpoint).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{shown}/: cannot be written to ({error.strerror}). Name another folder") from None

    def finish(self) -> None:
        """Say that the folder is complete, and remove what was kept for a run that goes on or left by one killed."""
        write_whole(f"{self.folder}/{SUCCESS}", b"")
        if is_address(self.folder):
            from fullmarks.remote_file import RemoteError, remove_folder

            with suppress(RemoteError):  # who may write need not be one who may remove, and the records are complete
                remove_folder(self.checkpoint)
            return
        shutil.rmtree(self.checkpoint, ignore_errors=True)
        for left in Path(self.folder).glob(PART_NAMES):
            left.unlink(missing_ok=True)


def parts_of(path: str | None, *, spreadsheet: bool = False) -> PartRecords | None:
    """What writes parts into a folder; None for the path of a file. A folder's ends in a slash."""
    if path is None or not path.endswith("/"):
        return None
    return PartRecords(path.rstrip("/"), spreadsheet)


def _exists(path: str) -> bool:
    if not is_address(path):
        return Path(path).exists()
    from fullmarks.remote_file import status

    return status(path) is not None
