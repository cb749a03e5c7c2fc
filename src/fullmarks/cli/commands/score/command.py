"""`fullmarks score`: the official result of a protocol, in the format asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fullmarks.cli.command_table import ENTRIES
from fullmarks.cli.commands.score.gate import (
    SUMMARY_VARIABLE,
    chosen_conditions,
    gate_options,
    judged,
    verdict_last,
    write_verdict,
)
from fullmarks.cli.commands.score.outcome import Outcome
from fullmarks.cli.commands.score.parts import chosen_parts
from fullmarks.cli.options.by_option import by_option, chosen_columns
from fullmarks.cli.options.confidence import chosen_sampling, interval_option, sampling_options
from fullmarks.cli.options.engine_options import engine_options, given_engine
from fullmarks.cli.options.local_path import LOCAL_PATH
from fullmarks.cli.options.spreadsheet import check_spreadsheet, spreadsheet_option
from fullmarks.cli.output.streams import (
    chosen_format,
    emit,
    format_option,
    out_file_option,
    output_page,
    warn,
    write_text,
)
from fullmarks.cli.protocol_group import ProtocolGroup
from fullmarks.errors import UsageError

if TYPE_CHECKING:
    from fullmarks.analysis.gate import Condition
    from fullmarks.protocols.protocol import Protocol
    from fullmarks.result import Result

FORMATS = ("text", "json", "full", "markdown", "csv")


def _general() -> list[click.Option]:
    return [
        format_option(*FORMATS),
        out_file_option("Write the result there instead of showing it; json unless --format says otherwise."),
        click.Option(
            ["per_example", "--per-example"],
            type=click.Path(),
            help="Write one record per example: .jsonl, .csv, .tsv (also .gz, .zst) or .parquet. A path that ends in a "
            "slash, as in scores.parquet/, is a folder with a file for each shard, and _SUCCESS at the end.",
        ),
        click.Option(
            ["resume", "--resume"],
            is_flag=True,
            help="Go on with a run that was cut short: only shards that --per-example FOLDER/ lacks are scored.",
        ),
        by_option(
            "Add the scores for each value of a column (with text, full, markdown and csv); repeat it or use commas."
        ),
        *engine_options(),
        interval_option(
            "Add confidence intervals of this level, 0.95 where none is given (with text, full, markdown and csv)."
        ),
        *sampling_options(),
        *gate_options(),
        spreadsheet_option(),
        click.Option(
            ["quiet", "--quiet", "-q"], is_flag=True, help="Show no warnings, no progress, and no gate that is met."
        ),
    ]


def _special(protocol: type[Protocol]) -> Sequence[click.Option]:
    options = []
    if protocol.has_curves:
        options.append(
            click.Option(
                ["out_image_dir", "--out-image-dir", "-p"],
                type=LOCAL_PATH,
                help="Write the precision-recall curves and histograms there (needs --na-prob-file).",
            )
        )
    if protocol.idle_flags:
        words = "Taken because the published program takes it; changes nothing."
        options.append(click.Option(["idle", *protocol.idle_flags], is_flag=True, expose_value=False, help=words))
    return options


def _run(context: click.Context, protocol: type[Protocol]) -> int:
    from fullmarks.cli.options.protocol_options import chosen_options
    from fullmarks.evaluate import score

    given = context.params
    options = chosen_options(protocol, context)
    sampling = chosen_sampling(given, given["ci"])
    conditions = chosen_conditions(given)
    by = chosen_columns(given)
    form = _form(given, {"intervals": sampling is not None, "slices": bool(by)})
    check_spreadsheet(given["spreadsheet"], is_csv=form == "csv" or _has_cells(given["per_example"]))
    folder: Path | None = given.get("out_image_dir")
    _check_places(given, protocol, options, conditions)
    if folder is not None:
        from fullmarks.report.figures import check_plots

        check_plots(folder)
        options["precision_recall"] = True
    keep = (form == "full" and given["out_file"] is not None) or _needs_pairs(given)
    parts = chosen_parts(given, keep=keep)
    with _watching(protocol.name, options, given) as watching, given_engine(given) as engine:
        result = score(
            protocol.name,
            given["gold"],
            given["predictions"],
            by=by,
            keep=keep,
            intervals=sampling is not None,
            cluster=sampling.cluster if sampling else None,
            engine=engine,
            spill=given["spill"],
            **watching,
            **({} if parts is None else parts.asked),
            **options,
        )
    if parts is not None:
        parts.records.finish()
    if not given["quiet"]:
        warn(result.audit)
    if folder is not None:
        _plot(result, folder)
    outcome = Outcome(result, by, sampling, judged(result, conditions), spreadsheet=given["spreadsheet"])
    with verdict_last(outcome.verdict, quiet=given["quiet"]):
        code = write_verdict(outcome, given)
        _deliver(outcome, form, given["out_file"])
    return code


def _needs_pairs(given: dict[str, Any]) -> bool:
    """Whether the run is compared with another example by example."""
    return bool(given["fail_if_worse"]) and given["worse_by"] != "points"


def _has_cells(per_example: str | None) -> bool:
    """Whether the records of examples are written as CSV or TSV."""
    if per_example is None:
        return False
    from fullmarks.report.part_records import parts_of
    from fullmarks.report.per_example import is_delimited

    parts = parts_of(per_example)
    return is_delimited(per_example if parts is None else parts.path(0))


def _check_places(
    given: dict[str, Any], protocol: type[Protocol], options: dict[str, Any], conditions: list[Condition]
) -> None:
    """Before any work: nothing that is written may take the place of something else."""
    from dataclasses import fields

    from fullmarks.cli.options.places import check_places, named, protocol_places

    read, written = protocol_places(options, fields(protocol))
    summary = os.environ.get(SUMMARY_VARIABLE) if given["github_summary"] else None
    check_places(
        [
            *named("gold", given["gold"]),
            *named("predictions", given["predictions"]),
            *named("--fail-if-worse", *(getattr(condition, "path", None) for condition in conditions)),
            *read,
        ],
        [
            *named("--out-file", given["out_file"]),
            *named("--per-example", given["per_example"]),
            *named("--junit", given["junit"]),
            *named(f"${SUMMARY_VARIABLE}", summary),
            *written,
        ],
        plots=given.get("out_image_dir"),
    )


def _form(given: dict[str, Any], asked: dict[str, bool]) -> str:
    """The format: as asked for, or what suits the place the result goes to and has room for what is asked for."""
    wanted: str | None = given["output_format"]
    without_room = [what for what, is_asked in asked.items() if is_asked]
    if without_room and wanted == "json":
        raise UsageError(
            f"json is the official result alone and has no place for {' and '.join(without_room)}: write -f full"
        )
    form = wanted or (chosen_format(None) if given["out_file"] is None else "json")
    return "full" if without_room and form == "json" else form


@contextmanager
def _watching(protocol: str, options: dict[str, Any], given: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What looks at every chunk as it is scored, the file of records, and what shows how far the work has come."""
    from contextlib import ExitStack

    from fullmarks.cli.output.progress import progress

    with ExitStack() as stack:
        watch = None
        if given["per_example"] is not None and not given["per_example"].endswith("/"):
            from fullmarks.cli.commands.score.per_example import written_records

            records = written_records(protocol, options, given["per_example"], spreadsheet=given["spreadsheet"])
            watch = stack.enter_context(records)
        shown = stack.enter_context(progress(given["quiet"]))
        yield {"watch": watch, "advance": None if shown is None else shown.advance}


def _plot(result: Result, folder: Path) -> None:
    from fullmarks.metrics.squad import NO_ANSWER
    from fullmarks.report.plots import write_plots

    examples = result.tally.examples
    write_plots(folder, result.rules.curves(result.tally), examples.columns[NO_ANSWER], examples.columns["has_answer"])


def _deliver(outcome: Outcome, form: str, out_file: str | None) -> None:
    from fullmarks.readers.documents import collector_paused

    if out_file is None:
        with collector_paused():  # slices can be a million
            text = outcome.rendered(form, output_page() if form == "text" else None)
        emit(text)
    elif form == "full":
        from fullmarks.analysis.saved import save_run

        save_run(outcome.result, out_file, extra=outcome.extra())
    else:
        write_text(out_file, outcome.rendered(form, None, is_file=True))


command = ProtocolGroup("score", ENTRIES["score"].summary, _run, general=_general, special=_special)
