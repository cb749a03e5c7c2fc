"""`fullmarks compare FOLDER`: systems on several benchmarks, from a folder of saved runs."""

from __future__ import annotations

import click

from fullmarks.cli.command_table import EXIT_CODES
from fullmarks.cli.options.baseline_options import baseline_options
from fullmarks.cli.options.confidence import LEVEL, chosen_sampling, interval_option, sampling_options
from fullmarks.cli.options.local_path import LOCAL_PATH
from fullmarks.cli.options.spreadsheet import check_spreadsheet, spreadsheet_option
from fullmarks.cli.output.messages import tell
from fullmarks.cli.output.progress import progress
from fullmarks.cli.output.streams import chosen_format, emit, format_option, out_file_option, output_page, write_text

FORMATS = ("text", "json", "markdown", "latex", "csv")


def folder_command() -> click.Command:
    """The command for a folder that holds a folder of saved runs for each system."""
    return click.Command(
        "folder",
        callback=click.pass_context(lambda context, **_: _run(context)),
        params=[
            click.Argument(["folder"], type=LOCAL_PATH),
            format_option(*FORMATS),
            out_file_option("Write the comparison there instead of showing it; json unless --format says otherwise."),
            *baseline_options(),
            interval_option(),
            *sampling_options(),
            spreadsheet_option(),
        ],
        help="Compare systems over several benchmarks: FOLDER/SYSTEM/NAME.run.json, saved by score -f full -o FILE.",
        epilog=EXIT_CODES,
    )


def _run(context: click.Context) -> None:
    from fullmarks.analysis.across import across_folder
    from fullmarks.analysis.intervals import DEFAULT
    from fullmarks.analysis.run_folder import json_files
    from fullmarks.cli.options.places import check_places, named

    given = context.params
    out_file: str | None = given["out_file"]
    kind: str = given["output_format"] or (chosen_format(None) if out_file is None else "json")
    check_spreadsheet(given["spreadsheet"], is_csv=kind == "csv")
    check_places(named("saved run", *json_files(given["folder"])), named("--out-file", out_file))
    with progress(quiet=False):
        found = across_folder(
            given["folder"],
            baseline=given["baseline"],
            main_score=given["main_score"],
            sampling=chosen_sampling(given, given["ci"] or LEVEL) or DEFAULT,
        )
    for warning in found.warnings:
        tell(f"warning: {warning}")
    if kind == "json":
        from fullmarks.report.documents import plain_json

        text = plain_json(found.to_dict())
    elif kind == "text":
        from fullmarks.report.across_tables import across_text
        from fullmarks.report.terminal import Page

        text = across_text(found, output_page() if out_file is None else Page())
    else:
        from fullmarks.report import paper_tables
        from fullmarks.report.across_tables import across_paper

        table = across_paper(found)
        if kind == "csv":
            text = paper_tables.paper_csv(table, spreadsheet=given["spreadsheet"])
        else:
            text = (paper_tables.paper_markdown if kind == "markdown" else paper_tables.paper_latex)(table)
    if out_file is None:
        emit(text)
    else:
        write_text(out_file, text)
