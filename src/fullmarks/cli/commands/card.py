"""`fullmarks card`: what a protocol scores and how, its files, its keys, where it differs from its program."""

from __future__ import annotations

import click

from fullmarks.cli.command_table import ENTRIES
from fullmarks.cli.output.streams import chosen_format, emit, format_option, output_page


def _run(name: str, output_format: str | None) -> None:
    from fullmarks.protocols.folder import read_card

    card = read_card(name)
    if chosen_format(output_format, "markdown") == "markdown":
        emit(card)
        return
    from rich.markdown import Markdown

    from fullmarks.report.terminal import draw

    emit(draw(output_page(), Markdown(card)))


command = click.Command(
    "card",
    callback=_run,
    params=[click.Argument(["name"], metavar="PROTOCOL"), format_option("text", "markdown", elsewhere="markdown")],
    help=ENTRIES["card"].summary,
)
