"""`fullmarks report`: saved runs as one page to explore, or as a table for a paper."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fullmarks.cli.command_table import ENTRIES, EXIT_CODES
from fullmarks.cli.options.baseline_options import baseline_options
from fullmarks.cli.options.by_option import by_option, chosen_columns
from fullmarks.cli.options.confidence import LEVEL, chosen_sampling, interval_option, is_given, sampling_options
from fullmarks.cli.options.local_path import LOCAL_PATH
from fullmarks.cli.options.protocol_options import FILE
from fullmarks.cli.options.spreadsheet import check_spreadsheet, spreadsheet_option
from fullmarks.cli.output.messages import tell
from fullmarks.cli.output.streams import emit, out_file_option, write_text
from fullmarks.errors import UsageError

if TYPE_CHECKING:
    from fullmarks.analysis.standings import Standings
    from fullmarks.analysis.system_files import SystemFiles

FORMATS = ("html", "markdown", "latex", "csv")


def _run(context: click.Context) -> None:
    from fullmarks.analysis.given_runs import run_files
    from fullmarks.analysis.intervals import DEFAULT
    from fullmarks.analysis.saved import load_run
    from fullmarks.analysis.standings import standings
    from fullmarks.analysis.system_files import named_system, system_files
    from fullmarks.cli.options.places import check_places, named
    from fullmarks.report.written_report import one_run_each

    given = context.params
    form, out_file = _format(given["output_format"], given["out_file"]), given["out_file"]
    if form == "html" and out_file is None:
        raise UsageError("a page needs a file to stand in: add -o report.html (or choose a table: -f markdown)")
    _check_room(context, form)
    asked = system_files(given["runs"])
    paths = one_run_each({name: run_files(each.paths) for name, each in asked.items()})
    read = [*named("saved run", *paths.values()), *named("--context", given["paragraphs"])]
    check_places(read, named("--out-file", out_file), plots=given["plots"])
    if given["plots"] is not None:
        from fullmarks.report.figures import check_plots

        check_plots(given["plots"])
    elif given["sizes"]:
        raise UsageError("--size is for the scaling plot: add --plots FOLDER")
    runs = {name: load_run(path) for name, path in paths.items()}
    sizes = _sizes(given["sizes"], asked)
    by = chosen_columns(given) or None
    found = standings(
        runs,
        baseline=named_system(asked, given["baseline"]),
        main_score=given["main_score"],
        by=by if form == "html" else (),  # a table has no slices
        sampling=chosen_sampling(given, given["ci"] or LEVEL) or DEFAULT,
    )
    if given["plots"] is not None:
        _plot(found, given["plots"], sizes, given["size_name"])
    _deliver(found, form, given)


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
    from fullmarks.report.written_report import format_of

    try:
        return format_of(out_file)
    except UsageError as error:
        raise UsageError(f"{error}, or add -f {'|'.join(FORMATS)}") from None


def _deliver(found: Standings, form: str, given: dict[str, Any]) -> None:
    from fullmarks.report.written_report import table_text, write_page

    for doubt in found.rule_doubts:
        tell(f"warning: {doubt}")
    if form == "html":
        write_page(found, given["out_file"], title=given["title"], images=given["images"], context=given["paragraphs"])
        return
    text = table_text(found, form, intervals=given["intervals"], spreadsheet=given["spreadsheet"])
    if given["out_file"] is None:
        emit(text)
        return
    write_text(given["out_file"], text)


def _sizes(given: tuple[str, ...], systems: dict[str, SystemFiles]) -> dict[str, float]:
    """The sizes by system; each is named by its name or its file."""
    from fullmarks.analysis.system_files import named_system

    sizes: dict[str, float] = {}
    for text in given:
        system, _, number = text.rpartition("=")
        name = named_system(systems, system)
        if name is None or name not in systems:
            known = ", ".join(f"'{known}'" for known in systems)
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
            type=click.Choice(FORMATS),
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
    help=f"{ENTRIES['report'].summary}\n\n\b\nRUN  a run saved by: fullmarks score ... -f full -o run.json\n\n"
    "A system is called by its file's name, or as in bert=run-17.json.",
    epilog=EXIT_CODES,
)
