"""`fullmarks compare`: systems against a baseline, from prediction files or from saved runs."""

from __future__ import annotations

from itertools import chain
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import click

from fullmarks.checks import is_address
from fullmarks.cli.command_table import ENTRIES, EXIT_CODES
from fullmarks.cli.options.baseline_options import baseline_options
from fullmarks.cli.options.by_option import by_option, chosen_columns
from fullmarks.cli.options.confidence import LEVEL, chosen_sampling, interval_option, is_given, sampling_options
from fullmarks.cli.options.spreadsheet import check_spreadsheet, spreadsheet_option
from fullmarks.cli.output.messages import tell
from fullmarks.cli.output.progress import progress
from fullmarks.cli.output.streams import chosen_format, emit, format_option, out_file_option, output_page, write_text
from fullmarks.cli.protocol_group import ProtocolGroup
from fullmarks.errors import UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from fullmarks.analysis.comparison import Comparison
    from fullmarks.protocols.protocol import Protocol
    from fullmarks.result import Result

FORMATS = ("text", "json", "markdown", "csv")
SEVERAL_RUNS = (
    "A system is called by its file's name, or as in bert=run-17.json. Files with commas between them are several runs "
    "of one system: a1.json,a2.json bert=b1.json,b2.json."
)


def _general() -> list[click.Option]:
    return [
        format_option(*FORMATS),
        out_file_option("Write the comparison there instead of showing it; json unless --format says otherwise."),
        *baseline_options(),
        by_option("Look for differences by this column; by default by those that the protocol has."),
        click.Option(
            ["examples", "--examples"],
            type=click.IntRange(min=0),
            default=5,
            show_default=True,
            help="How many fixed and how many broken examples to show.",
        ),
        click.Option(
            ["equivalence", "--equivalence"],
            type=click.FloatRange(min=0, min_open=True),
            metavar="MARGIN",
            help="Also test whether each system is within this margin of the baseline, in the official scale.",
        ),
        interval_option(),
        *sampling_options(),
        spreadsheet_option(),
    ]


class CompareGroup(ProtocolGroup):
    """The same for every protocol with any number of prediction files, and for saved runs without a protocol."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The protocol's command, or that for saved runs where the first word is a folder, a file or looks like one."""
        from fullmarks.analysis.system_files import has_name
        from fullmarks.protocols import PROTOCOLS

        word = args[0]
        if has_name(word):
            return "RUN", _runs_command(), args
        is_folder = Path(word).is_dir() or word.endswith("/") or (is_address(word) and not PurePath(word).suffix)
        if word not in PROTOCOLS.built_in and is_folder:
            from fullmarks.cli.commands.compare_folder import folder_command

            return "FOLDER", folder_command(), args
        if word not in PROTOCOLS.built_in and (Path(word).is_file() or Path(word).suffix):
            return "RUN", _runs_command(), args
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Protocols and options; where no name begins so, files, for saved runs may stand there."""
        from click.shell_completion import CompletionItem

        return super().shell_complete(ctx, incomplete) or [CompletionItem(incomplete, type="file")]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command for one protocol."""
        from dataclasses import fields

        from fullmarks.cli.options.protocol_options import FILE
        from fullmarks.protocols import PROTOCOLS

        made = super().get_command(ctx, cmd_name)
        if made is not None:
            options = fields(PROTOCOLS.get(cmd_name))
            without_use = {field.name for field in options if field.metadata.get("is_of_one_system")}
            made.params = [each for each in made.params if each.name not in {"predictions", *without_use}]
            made.params.insert(1, click.Argument(["predictions"], type=FILE, nargs=-1))
            made.help = f"{made.help}\n\n{SEVERAL_RUNS}"
        return made


def _runs_command() -> click.Command:
    from fullmarks.cli.options.protocol_options import FILE

    return click.Command(
        "runs",
        callback=click.pass_context(lambda context, **_: _run_saved(context)),
        params=[click.Argument(["runs"], type=FILE, nargs=-1, metavar="RUN..."), *_general()],
        help=f"{ENTRIES['compare'].summary}\n\n{SEVERAL_RUNS}",
        epilog=EXIT_CODES,
    )


def _run(context: click.Context, protocol: type[Protocol]) -> None:
    from dataclasses import fields

    from fullmarks.analysis.system_files import named_system, system_files
    from fullmarks.cli.options.places import check_places, named, protocol_places
    from fullmarks.cli.options.protocol_options import chosen_options
    from fullmarks.evaluate import score_all, split_runs

    given = context.params
    kind = _kind(context)
    files: tuple[str, ...] = given["predictions"]
    if len(files) < 2:
        raise UsageError(f"compare needs at least two files of predictions after the gold file, found {len(files)}")
    if given["gold"] == "-":
        raise UsageError("standard input can be read only once, and every system needs the gold. Pass a file")
    options = chosen_options(protocol, context)
    read, written = protocol_places(options, fields(protocol))
    asked = system_files(files)
    paths = chain.from_iterable(each.paths for each in asked.values())
    inputs = [*named("gold", given["gold"]), *named("predictions", *paths), *read]
    check_places(inputs, [*named("--out-file", given["out_file"]), *written])
    by = chosen_columns(given)
    also = (given["cluster"],) if given["cluster"] else ()
    with progress(quiet=False) as shown:
        watch = shown.watch if shown else None
        systems = {
            (name, number): run
            for name, own in asked.items()
            for number, run in enumerate(
                run for path in own.paths for run in split_runs(protocol.name, path, **options)
            )
        }
        scored = score_all(protocol.name, given["gold"], systems, by=by, also=also, watch=watch, **options)
        runs = {name: [run for (system, _), run in scored.items() if system == name] for name in asked}
        comparison = _compared(runs, named_system(asked, given["baseline"]), given)
    _deliver(comparison, kind, given)


def _run_saved(context: click.Context) -> None:
    from fullmarks.analysis.given_runs import run_files
    from fullmarks.analysis.saved import load_run
    from fullmarks.analysis.system_files import named_system, system_files
    from fullmarks.cli.options.places import check_places, named

    given = context.params
    kind = _kind(context)
    files: tuple[str, ...] = given["runs"]
    if len(files) < 2:
        raise UsageError("compare needs at least two saved runs, or: fullmarks compare PROTOCOL GOLD PRED PRED ...")
    asked = system_files(files)
    paths = {name: run_files(each.paths) for name, each in asked.items()}
    check_places(named("saved run", *chain.from_iterable(paths.values())), named("--out-file", given["out_file"]))
    with progress(quiet=False):
        runs = {name: [load_run(path) for path in own] for name, own in paths.items()}
        comparison = _compared(runs, named_system(asked, given["baseline"]), given)
    _deliver(comparison, kind, given)


def _compared(runs: dict[str, list[Result]], baseline: str | None, given: dict[str, Any]) -> Comparison:
    from fullmarks.analysis.compare import compare
    from fullmarks.analysis.intervals import DEFAULT

    return compare(
        runs,
        baseline=baseline,
        main_score=given["main_score"],
        by=chosen_columns(given) or None,
        sampling=chosen_sampling(given, given["ci"] or LEVEL) or DEFAULT,
        equivalence=given["equivalence"],
    )


def _kind(context: click.Context) -> str:
    """The format: as asked for, or what suits the place the comparison goes to; an error without room for the rest."""
    given = context.params
    kind: str = given["output_format"] or (chosen_format(None) if given["out_file"] is None else "json")
    check_spreadsheet(given["spreadsheet"], is_csv=kind == "csv")
    if kind == "csv" and given["examples"] and is_given(context, "examples"):
        raise UsageError("csv has one line per difference and no place for examples: write -f json, markdown or text")
    return kind


def _deliver(comparison: Comparison, kind: str, given: dict[str, Any]) -> None:
    for system, warnings in comparison.warnings.items():
        for warning in warnings:
            tell(f"warning: {system}: {warning}")
    out_file: str | None = given["out_file"]
    if out_file is None:
        emit(_rendered(comparison, kind, given))
    else:
        write_text(out_file, _rendered(comparison, kind, given))


def _rendered(comparison: Comparison, kind: str, given: dict[str, Any]) -> str:
    examples: int = given["examples"]
    from fullmarks.report import comparison_tables as tables

    if kind == "json":
        from fullmarks.report.documents import plain_json

        return plain_json(comparison.to_dict(examples))
    if kind == "markdown":
        return tables.comparison_markdown(comparison, examples)
    if kind == "csv":
        return tables.comparison_csv(comparison, spreadsheet=given["spreadsheet"])
    from fullmarks.report.comparison_text import comparison_text
    from fullmarks.report.drawing import Page

    return comparison_text(comparison, output_page() if given["out_file"] is None else Page(), examples)


command = CompareGroup("compare", ENTRIES["compare"].summary, _run, general=_general)
command.subcommand_metavar = "PROTOCOL GOLD PREDICTIONS PREDICTIONS... | RUN RUN... | FOLDER [OPTIONS]"
