"""`fullmarks validate`: what is odd about the files, and whether they can be scored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from fullmarks.cli.command_table import ENTRIES
from fullmarks.cli.output.streams import emit, format_option, output_page
from fullmarks.cli.protocol_group import ProtocolGroup

if TYPE_CHECKING:
    from fullmarks.protocols.protocol import Protocol
    from fullmarks.types import Audit

CAN, CANNOT = 0, 2


def _general() -> list[click.Option]:
    return [format_option("text", "json", elsewhere="text")]


def _run(context: click.Context, protocol: type[Protocol]) -> int:
    from fullmarks.cli.options.protocol_options import chosen_options
    from fullmarks.errors import InputError
    from fullmarks.evaluate import validate
    from fullmarks.types import Audit

    given = context.params
    problem = ""
    try:
        audit = validate(protocol.name, given["gold"], given["predictions"], **chosen_options(protocol, context))
    except InputError as error:
        audit, problem = Audit(), str(error)
    else:
        if audit.scored == 0 and not audit.at_level("error"):
            problem = "no question is left to score. Check --on-missing and --limit"
    usable = not problem and not audit.at_level("error")
    emit(_rendered(audit, problem, usable, given["output_format"]))
    return CAN if usable else CANNOT


def _rendered(audit: Audit, problem: str, usable: bool, form: str | None) -> str:
    if form == "json":
        from fullmarks.report.documents import plain_json

        document: dict[str, Any] = {"can_be_scored": usable, "problem": problem or None, **audit.to_dict()}
        return plain_json(document)
    from fullmarks.report.terminal import audit_text

    verdict = "can be scored" if usable else "cannot be scored" + (f": {problem}" if problem else "")
    return audit_text(audit, output_page(), verdict)


command = ProtocolGroup("validate", ENTRIES["validate"].summary, _run, general=_general)
