"""`fullmarks import`: logs of other evaluation tools as one table, with what was left out of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from fullmarks.cli.command_table import ENTRIES, EXIT_CODES
from fullmarks.cli.options.max_size import max_size_option
from fullmarks.cli.options.protocol_options import FILE
from fullmarks.cli.options.spreadsheet import check_spreadsheet, spreadsheet_option
from fullmarks.cli.output.messages import tell
from fullmarks.cli.output.streams import emit, out_file_option, warn
from fullmarks.errors import UsageError

if TYPE_CHECKING:
    from fullmarks.readers.logs.imported import ImportedLogs

STANDARD_OUTPUT = "-"
_AT_ONCE = 1 << 12


def _run(context: click.Context) -> None:
    from fullmarks.cli.options.places import check_places, named
    from fullmarks.readers.logs.imported import import_logs

    given = context.params
    out_file = None if given["out_file"] in (None, STANDARD_OUTPUT) else given["out_file"]
    logs: tuple[str, ...] = given["logs"]
    if logs.count("-") > 1:
        raise UsageError("standard input can be read only once. Name '-' once")
    check_places(named("log", *logs), named("--out-file", out_file))
    _check_format(out_file, given["spreadsheet"])
    found = import_logs(
        list(logs), only=_only(given["only"]), prefix=given["prefix"], allow_failed=given["allow_failed"]
    )
    with _written(out_file, found, spreadsheet=given["spreadsheet"]) as write:
        part: list[dict[str, Any]] = []
        for record in found:
            part.append(record)
            if len(part) == _AT_ONCE:
                write(part)
                part = []
        write(part)
    if not given["quiet"]:
        _tell_outcome(found, out_file)


def _check_format(out_file: str | None, spreadsheet: bool) -> None:
    if out_file is None:
        check_spreadsheet(spreadsheet, is_csv=False)
        return
    from fullmarks.report.per_example import check_record_path, is_delimited

    check_record_path(out_file)
    check_spreadsheet(spreadsheet, is_csv=is_delimited(out_file))


@contextmanager
def _written(
    out_file: str | None, found: ImportedLogs, *, spreadsheet: bool
) -> Iterator[Callable[[Sequence[dict[str, Any]]], None]]:
    """What writes records to the file or, as JSON lines, to standard output."""
    if out_file is None:
        for _ in found:  # an error at the last of them leaves nothing on standard output
            pass
        yield _print
        return
    from fullmarks.readers.source import JSON_LINES, ending_of
    from fullmarks.report.per_example import record_file

    if ending_of(out_file) in JSON_LINES:
        with record_file(out_file) as write:
            yield write
        return
    columns = found.columns()  # of all logs: other tools, other columns, and a table of cells has one header
    with record_file(out_file, spreadsheet=spreadsheet) as write:
        yield lambda records: write([{name: record.get(name) for name in columns} for record in records])


def _print(records: Sequence[dict[str, Any]]) -> None:
    from fullmarks.analysis.compact_json import compact_json

    if records:
        emit(b"\n".join(compact_json(record) for record in records).decode("utf-8"))


def _only(given: tuple[str, ...]) -> dict[str, str]:
    """The columns and values that were asked for."""
    only: dict[str, str] = {}
    for text in given:
        name, separator, value = text.partition("=")
        if not name or not separator:
            raise UsageError(f"--only {text}: expected COLUMN=VALUE, as in filter=strict-match")
        if name in only:
            raise UsageError(f"--only gives '{name}' two values")
        only[name] = value
    return only


def _tell_outcome(found: ImportedLogs, out_file: str | None) -> None:
    """What was written and what was left out, on standard error."""
    warn(found.audit)
    for finding in found.audit.at_level("note"):
        tell(f"note: {finding}")
    if out_file is not None and sys.stderr.isatty():
        tell(f"{found.audit.predictions} samples written to {out_file}")


command = click.Command(
    "import",
    callback=click.pass_context(lambda context, **_: _run(context)),
    params=[
        click.Argument(["logs"], type=FILE, nargs=-1, required=True, metavar="LOG..."),
        out_file_option("Write the table there: .jsonl, .csv or .tsv, also with .gz or .zst, or .parquet."),
        click.Option(
            ["only", "--only"],
            multiple=True,
            metavar="COLUMN=VALUE",
            help="Take only samples with this value, as in filter=strict-match or run=1. Repeat it.",
        ),
        click.Option(
            ["prefix", "--prefix"],
            metavar="COLUMN",
            help="Put this column before every id, where logs share ids: task gives gsm8k/12.",
        ),
        click.Option(
            ["allow_failed", "--allow-failed/--no-allow-failed"],
            default=False,
            help="Take the log of a run that did not succeed: what failed is missing.",
        ),
        spreadsheet_option(),
        click.Option(["quiet", "--quiet", "-q"], is_flag=True, help="No warnings, no notes."),
        max_size_option(),
    ],
    short_help=ENTRIES["import"].summary,
    help=f"{ENTRIES['import'].summary}\n\n\b\nLOG  a log of lm-evaluation-harness, lmms-eval, Inspect, lighteval, HELM "
    "or VLMEvalKit,\n     or a table; a folder or a pattern of such. - is standard input.",
    epilog=EXIT_CODES,
)
