"""`fullmarks report`: saved runs as one page to explore, or as a table for a paper."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fullmarks.checks import shown_path
from fullmarks.cli.command_table import ENTRIES, EXIT_CODES
from fullmarks.cli.commands.compare import system_names
from fullmarks.cli.options.baseline_options import baseline_options
from fullmarks.cli.options.by_option import by_option, chosen_columns
from fullmarks.cli.options.confidence import LEVEL, chosen_sampling, interval_option, is_given, sampling_options
from fullmarks.cli.options.local_path import LOCAL_PATH
from fullmarks.cli.options.protocol_options import FILE
from fullmarks.cli.options.spreadsheet import check_spreadsheet, spreadsheet_option
from fullmarks.cli.output.streams import emit, out_file_option, write_text
from fullmarks.errors import UsageError
from fullmarks.readers.source import ending_of

if TYPE_CHECKING:
    from fullmarks.analysis.standings import Standings

FORMATS = {"html": (".html", ".htm"), "markdown": (".md",), "latex": (".tex",), "csv": (".csv",)}


def _run(context: click.Context) -> None:
    from fullmarks.analysis.intervals import DEFAULT
    from fullmarks.analysis.saved import load_run
    from fullmarks.analysis.standings import standings
    from fullmarks.cli.options.places import check_places, named

    given = context.params
    form, out_file = _format(given["output_format"], given["out_file"]), given["out_file"]
    if form == "html" and out_file is None:
        raise UsageError("a page needs a file to stand in: add -o report.html (or choose a table: -f markdown)")
    _check_room(context, form)
    files: tuple[str, ...] = given["runs"]
    read = [*named("saved run", *files), *named("--context", given["paragraphs"])]
    check_places(read, named("--out-file", out_file), plots=given["plots"])
    if given["plots"] is not None:
        from fullmarks.report.figures import check_plots

        check_plots(given["plots"])
    elif given["sizes"]:
        raise UsageError("--size is for the scaling plot: add --plots FOLDER")
    runs = {name: load_run(path) for name, path in zip(system_names(files), files, strict=True)}
    sizes = _sizes(given["sizes"], dict(zip(files, runs, strict=True)))
    by = chosen_columns(given) or None
    found = standings(
        runs,
        baseline=dict(zip(files, runs, strict=True)).get(given["baseline"], given["baseline"]),
        main_score=given["main_score"],
        by=by if form == "html" else (),  # a table has no slices
        sampling=chosen_sampling(given, given["ci"] or LEVEL) or DEFAULT,
    )
    if given["plots"] is not None:
        _plot(found, given["plots"], sizes, given["size_name"])
    if form == "html":
        _write_page(found, given)
    else:
        _deliver_table(found, form, given)


def _check_room(context: click.Context, form: str) -> None:
    """An error where something is asked for that this format has no place for."""
    check_spreadsheet(context.params["spreadsheet"], is_csv=form == "csv")
    if form == "html" and is_given(context, "intervals"):
        raise UsageError("--intervals and --no-intervals are for tables: a page always shows intervals")
    only_on_pages = () if form == "html" else ("by", "paragraphs", "images", "title")
    for name in only_on_pages:
        if is_given(context, name):
            option = "context" if name == "paragraphs" else name
            raise UsageError(f"{form} is a table of the scores and has no place for --{option}: write -f html")


def _format(wanted: str | None, out_file: str | None) -> str:
    """The format asked for, else that of the file's ending, else the page."""
    if wanted is not None or out_file is None:
        return wanted or "html"
    ending = ending_of(shown_path(out_file))
    for form, endings in FORMATS.items():
        if ending in endings:
            return form
    known = ", ".join(end for endings in FORMATS.values() for end in endings)
    raise UsageError(
        f"{shown_path(out_file)}: the name says no known format; end it in {known}, or add -f {'|'.join(FORMATS)}"
    )


def _write_page(found: Standings, given: dict[str, Any]) -> None:
    from fullmarks.atomic_file import written_whole
    from fullmarks.report.html_page import html_page
    from fullmarks.report.page_content import page_content

    content = page_content(found, title=given["title"], images=given["images"], context=given["paragraphs"])
    with written_whole(given["out_file"]) as stream:
        for piece in html_page(content):
            stream.write(piece)


def _deliver_table(found: Standings, form: str, given: dict[str, Any]) -> None:
    from fullmarks.report import paper_tables

    table, intervals = paper_tables.paper_table(found), given["intervals"]
    if form == "csv":
        text = paper_tables.paper_csv(table, intervals=intervals, spreadsheet=given["spreadsheet"])
    else:
        render = paper_tables.paper_markdown if form == "markdown" else paper_tables.paper_latex
        text = render(table, intervals=intervals)
    if given["out_file"] is None:
        emit(text)
        return
    write_text(given["out_file"], text)


def _sizes(given: tuple[str, ...], names: dict[str, str]) -> dict[str, float]:
    """The sizes by system; each is named by its name or its file."""
    sizes: dict[str, float] = {}
    for text in given:
        system, _, number = text.rpartition("=")
        name = names.get(system, system)
        if name not in names.values():
            known = ", ".join(f"'{known}'" for known in names.values())
            raise UsageError(f"--size {text}: expected NAME=NUMBER with one of the systems {known}")
        if name in sizes:
            raise UsageError(f"--size gives '{name}' two sizes")
        try:
            sizes[name] = float(number)
        except ValueError:
            sizes[name] = math.nan
        if not math.isfinite(sizes[name]):
            raise UsageError(f"--size {text}: '{number}' is no number; write it as in {system}=110e6")
    return sizes


def _plot(found: Standings, folder: Path, sizes: dict[str, float], size_name: str) -> None:
    from fullmarks.analysis.standings import example_scores
    from fullmarks.report.score_plots import write_distributions

    scores = {
        system: {found.score_names[name]: values for name, values in example_scores(run).items()}
        for system, run in found.runs.items()
    }
    if sizes:
        from fullmarks.report.scaling_plots import write_scaling

        write_scaling(folder, found, sizes, size_name)
    write_distributions(folder, scores, found.scale)


command = click.Command(
    "report",
    callback=click.pass_context(lambda context, **_: _run(context)),
    params=[
        click.Argument(["runs"], type=FILE, nargs=-1, required=True, metavar="RUN..."),
        out_file_option("Write there; .html, .md, .tex or .csv says the format."),
        click.Option(
            ["output_format", "--format", "-f"],
            type=click.Choice(list(FORMATS)),
            help="A page to explore, or a table for a paper; a page unless -o says otherwise.",
        ),
        click.Option(["title", "--title"], default="", help="The title of the page."),
        *baseline_options(),
        by_option("Break the page's scores down by this column; by default by those that the protocol has."),
        click.Option(
            ["images", "--images"],
            type=LOCAL_PATH,
            metavar="FOLDER",
            help="Put the examples' pictures into the page, taken from this folder.",
        ),
        click.Option(
            ["paragraphs", "--context"],
            type=FILE,
            metavar="GOLD",
            help="Put the paragraphs of the questions into the page, taken from this gold file; answers are marked.",
        ),
        click.Option(
            ["plots", "--plots"],
            type=LOCAL_PATH,
            metavar="FOLDER",
            help="Also write the distribution of every score there, as PNG and SVG.",
        ),
        click.Option(
            ["sizes", "--size"],
            multiple=True,
            metavar="NAME=NUMBER",
            help="The size of a system, as in bert=110e6: --plots then draws the scores over it. Repeat it.",
        ),
        click.Option(
            ["size_name", "--size-name"], default="size", show_default=True, help="What the sizes are, for the axis."
        ),
        click.Option(
            ["intervals", "--intervals/--no-intervals"],
            default=True,
            show_default=True,
            help="Show intervals in tables.",
        ),
        interval_option(),
        *sampling_options(),
        spreadsheet_option(),
    ],
    short_help=ENTRIES["report"].summary,
    help=f"{ENTRIES['report'].summary}\n\n\b\nRUN  a run saved by: fullmarks score ... -f full -o run.json",
    epilog=EXIT_CODES,
)
