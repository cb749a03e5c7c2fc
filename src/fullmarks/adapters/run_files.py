"""What a tracker keeps of a run besides its numbers: the saved run, and the page that explores it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from fullmarks.adapters.lists import as_floats
from fullmarks.analysis.saved import save_run

if TYPE_CHECKING:
    from fullmarks.result import Result

_ODD = re.compile(r"[^\w\-. :/]|[^\x00-\x7f]")


def tracked_numbers(result: Result, prefix: str = "") -> dict[str, float]:
    """The official numbers under names that every tracker takes.

    Other characters than ASCII letters, digits, `_`, `-`, `.`, `:`, `/` and blanks become `_`; of names that become
    one, the second has `_2` at its end, and so on.
    """
    named: dict[str, float] = {}
    for name, value in as_floats(result.official).items():
        allowed = free = prefix + _ODD.sub("_", name)
        times = 1
        while free in named:
            times += 1
            free = f"{allowed}_{times}"
        named[free] = value
    return named


def write_run_files(result: Result, folder: Path) -> list[Path]:
    """The saved run and the page in this folder."""
    from fullmarks.analysis.standings import standings
    from fullmarks.atomic_file import written_whole
    from fullmarks.report.html_page import html_page
    from fullmarks.report.page_content import page_content

    run, page = folder / f"{result.protocol}.run.json.gz", folder / f"{result.protocol}.html"
    save_run(result, run)
    content = page_content(standings({result.protocol: result}), title=f"fullmarks: {result.protocol}")
    with written_whole(str(page)) as stream:
        for piece in html_page(content):
            stream.write(piece)
    return [run, page]
