"""`fullmarks crosscheck`: the same predictions under other rules, and the examples that make the numbers differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fullmarks.cli.command_table import ENTRIES
from fullmarks.cli.output.progress import progress
from fullmarks.cli.output.streams import chosen_format, emit, format_option, output_page, warn
from fullmarks.cli.protocol_group import ProtocolGroup

if TYPE_CHECKING:
    from fullmarks.protocols.protocol import Protocol


def _general() -> list[click.Option]:
    return [
        format_option("text", "json", "markdown"),
        click.Option(
            ["examples", "--examples"],
            type=click.IntRange(min=0),
            default=2,
            show_default=True,
            help="How many examples to show for each rule.",
        ),
    ]


def _run(context: click.Context, protocol: type[Protocol]) -> None:
    from fullmarks.analysis.crosscheck import crosscheck
    from fullmarks.cli.options.protocol_options import chosen_options

    given = context.params
    options = chosen_options(protocol, context)
    with progress(quiet=False):
        check = crosscheck(protocol.name, given["gold"], given["predictions"], **options)
    warn(check.audit)
    kind, examples = chosen_format(given["output_format"]), given["examples"]
    if kind == "json":
        from fullmarks.report.documents import plain_json

        emit(plain_json(check.to_dict(examples)))
        return
    from fullmarks.report.crosscheck_tables import crosscheck_markdown, crosscheck_text

    emit(
        crosscheck_markdown(check, examples) if kind == "markdown" else crosscheck_text(check, output_page(), examples)
    )


command = ProtocolGroup("crosscheck", ENTRIES["crosscheck"].summary, _run, general=_general)
