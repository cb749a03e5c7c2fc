"""What a tracker keeps of a run besides its numbers: the saved run, and the page that explores it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fullmarks.analysis.saved import save_run

if TYPE_CHECKING:
    from fullmarks.result import Result


def tracked_numbers(result: Result, prefix: str = "") -> dict[str, float]:
    """The official numbers under the names of `Result.numbers`, which every tracker takes, each behind the prefix."""
    return {f"{prefix}{name}": value for name, value in result.numbers.items()}


def write_run_files(result: Result, folder: Path) -> list[Path]:
    """The saved run and the page in this folder."""
    run, page = folder / f"{result.protocol}.run.json.gz", folder / f"{result.protocol}.html"
    save_run(result, run)
    result.report(page, name=result.protocol, title=f"fullmarks: {result.protocol}")
    return [run, page]
