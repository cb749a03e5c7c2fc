"""`fullmarks ppi`: what a person would say of all answers, from a judge's opinion of all and the person's of some."""

from __future__ import annotations

import click

from fullmarks.cli.command_table import ENTRIES, EXIT_CODES
from fullmarks.cli.options.confidence import LEVEL, interval_option
from fullmarks.cli.options.protocol_options import FILE
from fullmarks.cli.output.messages import tell
from fullmarks.cli.output.streams import chosen_format, emit, format_option, output_page


def _run(table: str, judge: str, human: str, ci: float | None, output_format: str | None) -> None:
    from fullmarks.analysis.judged import ppi

    found = ppi(table, judge=judge, human=human, level=ci or LEVEL)
    for warning in found.warnings:
        tell(f"warning: {warning}")
    if chosen_format(output_format) == "json":
        from fullmarks.report.documents import plain_json

        emit(plain_json(found.to_dict()))
        return
    from fullmarks.report.judged_tables import judged_text

    emit(judged_text(found, output_page()))


command = click.Command(
    "ppi",
    callback=_run,
    params=[
        click.Argument(["table"], type=FILE),
        click.Option(["judge", "--judge"], metavar="COLUMN", required=True, help="The judge's 0 or 1 of every row."),
        click.Option(
            ["human", "--human"],
            metavar="COLUMN",
            required=True,
            help="The person's of some rows, a random part of all; empty where nobody looked.",
        ),
        interval_option(),
        format_option("text", "json"),
    ],
    help=ENTRIES["ppi"].summary,
    epilog=EXIT_CODES,
)
