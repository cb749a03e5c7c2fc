"""`fullmarks explain`: why one answer got its score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fullmarks.cli.command_table import ENTRIES
from fullmarks.cli.output.streams import emit, format_option, output_page
from fullmarks.cli.protocol_group import ProtocolGroup

if TYPE_CHECKING:
    from fullmarks.protocols.protocol import Protocol


def _general() -> list[click.Option]:
    return [
        click.Option(["identifier", "--id"], required=True, metavar="ID", help="The id of the question."),
        format_option("text", "json", elsewhere="text"),
    ]


def _run(context: click.Context, protocol: type[Protocol]) -> None:
    from fullmarks.cli.options.protocol_options import chosen_options
    from fullmarks.evaluate import explain

    given = context.params
    explanation = explain(
        protocol.name,
        given["gold"],
        given["predictions"],
        id=given["identifier"],
        **chosen_options(protocol, context),
    )
    if given["output_format"] == "json":
        from fullmarks.report.documents import plain_json

        emit(plain_json(explanation.to_dict()))
        return
    from fullmarks.report.terminal import explanation_text

    emit(explanation_text(explanation, output_page()))


command = ProtocolGroup("explain", ENTRIES["explain"].summary, _run, general=_general)
