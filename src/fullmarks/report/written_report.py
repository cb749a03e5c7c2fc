"""Reports as files: a page to explore, or a table for a paper, as the ending of the file's name says."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from logging import getLogger
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from fullmarks.analysis.comparison import Comparison
from fullmarks.analysis.given_results import check_result
from fullmarks.analysis.given_runs import named_runs
from fullmarks.analysis.intervals import DEFAULT, Sampling, check_sampling
from fullmarks.analysis.standings import standings
from fullmarks.atomic_file import COMPRESSIONS, write_whole, written_whole
from fullmarks.checks import check_kind, check_local, shown_path, wrong_value
from fullmarks.errors import UsageError

if TYPE_CHECKING:
    from fullmarks.analysis.given_runs import Run
    from fullmarks.analysis.standings import Standings

PAGE = "html"
FORMATS = {PAGE: (".html", ".htm"), "markdown": (".md",), "latex": (".tex",), "csv": (".csv",)}
"""The endings of every format."""


def report(
    runs: Run | Mapping[str, Run] | Sequence[Run],
    path: str | os.PathLike[str],
    *,
    title: str = "",
    baseline: str | None = None,
    main_score: str | None = None,
    by: str | Sequence[str] | None = None,
    images: str | os.PathLike[str] | None = None,
    context: Any = None,
    intervals: bool = True,
    spreadsheet: bool = False,
    sampling: Sampling = DEFAULT,
) -> None:
    """Write runs as a page to explore (.html), or as a table for a paper (.md, .tex, .csv).

    `runs` are results, or paths of saved runs: one, a list, or a dictionary by name. Without names, files are called
    by their own or as in "bert=run.json", and results by numbers. Others are compared with the `baseline`, by default
    the first. `main_score` is the score that slices, examples and ranks are judged by, `sampling` how intervals are
    made. For pages are `title`, `by` (the columns of slices, by default those that the protocol has), `images` (the
    folder of the examples' pictures) and `context` (the gold, to show the questions' paragraphs of it); for tables
    `intervals`, and for CSV `spreadsheet`, which lets no name begin like a formula. The file appears whole or not at
    all.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise wrong_value("path", "the path of a file", path)
    form = format_of(path)
    for name, value in (("intervals", intervals), ("spreadsheet", spreadsheet)):
        check_kind(name, value, bool)
    check_kind("title", title, str)
    check_sampling(sampling)
    only_on_pages = {"title": bool(title), "by": by is not None, "images": images is not None}
    only_on_pages["context"] = context is not None
    _check_room(form, only_on_pages, {"intervals": not intervals}, spreadsheet=spreadsheet)
    each = one_run_each(_named(runs))
    for name, run in each.items():
        check_result(f"the run '{name}'", run)
    found = standings(
        each,
        baseline=baseline,
        main_score=main_score,
        by=by if form == PAGE else (),  # a table has no slices
        sampling=sampling,
    )
    for doubt in found.rule_doubts:
        getLogger("fullmarks").warning("report: %s", doubt)
    if form == PAGE:
        write_page(found, path, title=title, images=images, context=context)
    else:
        write_whole(path, table_text(found, form, intervals=intervals, spreadsheet=spreadsheet).encode())


def format_of(path: str | os.PathLike[str]) -> str:
    """The format that the ending of a file's name says; an error where it says none."""
    name = PurePath(shown_path(path).lower())
    ending = (PurePath(name.stem) if name.suffix in COMPRESSIONS else name).suffix
    for form, endings in FORMATS.items():
        if ending in endings:
            return form
    known = ", ".join(end for endings in FORMATS.values() for end in endings)
    raise UsageError(f"{shown_path(path)}: the name says no known format; end it in {known}")


def one_run_each(runs: Mapping[str, Any]) -> dict[str, Any]:
    """The run of every system; an error where one has several."""
    for name, run in runs.items():
        if isinstance(run, (list, tuple)) and len(run) != 1:
            raise UsageError(
                f"a report shows one run of each system, and '{name}' has {len(run)}; compare takes several"
            )
    return {name: run[0] if isinstance(run, (list, tuple)) else run for name, run in runs.items()}


def write_page(
    found: Standings,
    path: str | os.PathLike[str],
    *,
    title: str = "",
    images: str | os.PathLike[str] | None = None,
    context: Any = None,
) -> None:
    """Write the page, pictures being taken from the folder `images`, paragraphs from the gold `context`."""
    from fullmarks.report.html_page import html_page
    from fullmarks.report.page_content import page_content

    if images is not None:
        check_local("images", images)
    content = page_content(found, title=title, images=None if images is None else Path(images), context=context)
    with written_whole(path) as stream:
        for piece in html_page(content):
            stream.write(piece)


def table_text(found: Standings, form: str, *, intervals: bool = True, spreadsheet: bool = False) -> str:
    """The scores as a table in Markdown, LaTeX or CSV."""
    from fullmarks.report import paper_tables

    table = paper_tables.paper_table(found)
    if form == "csv":
        return paper_tables.paper_csv(table, intervals=intervals, spreadsheet=spreadsheet)
    render = paper_tables.paper_markdown if form == "markdown" else paper_tables.paper_latex
    return render(table, intervals=intervals)


def _named(runs: Any) -> dict[str, Any]:
    if isinstance(runs, Comparison):
        raise UsageError("a Comparison holds no examples to show: give the results that it was made of")
    return named_runs(runs)


def _check_room(
    form: str, only_on_pages: Mapping[str, bool], only_in_tables: Mapping[str, bool], *, spreadsheet: bool
) -> None:
    """An error where something is asked for that this format has no place for."""
    for name, is_asked in only_in_tables.items() if form == PAGE else ():
        if is_asked:
            raise UsageError(f"{name} is for tables: a page always shows intervals")
    for name, is_asked in only_on_pages.items() if form != PAGE else ():
        if is_asked:
            raise UsageError(f"{form} is a table of the scores and has no place for {name}: write a page, as .html")
    if spreadsheet and form != "csv":
        raise UsageError("spreadsheet is for csv: nothing runs the cells of other formats")
