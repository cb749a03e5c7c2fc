"""`fullmarks score`: the official result of a protocol, in the format asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fullmarks.cli.commands import ENTRIES
from fullmarks.cli.output import chosen_format, emit, format_option, output_page, warn
from fullmarks.cli.protocol_group import ProtocolGroup

if TYPE_CHECKING:
    from fullmarks.evaluate import Watcher
    from fullmarks.protocols.protocol import Protocol
    from fullmarks.result import Result

FORMATS = ("text", "json", "full", "markdown", "csv")


def _general() -> list[click.Option]:
    return [
        format_option(*FORMATS),
        click.Option(
            ["out_file", "--out-file", "-o"],
            type=click.Path(path_type=Path),
            help="Write the result there instead of showing it; json unless --format says otherwise.",
        ),
        click.Option(
            ["per_example", "--per-example"],
            type=click.Path(path_type=Path),
            help="Write one record per example: .jsonl, .csv, .tsv (also .gz, .zst) or .parquet.",
        ),
        click.Option(
            ["by", "--by"],
            multiple=True,
            metavar="COLUMN",
            help="Add the scores for each value of a column; repeat it or separate columns by commas.",
        ),
        click.Option(
            ["workers", "--workers"],
            type=int,
            help="How many processes to use; by default several only where that pays.",
        ),
        click.Option(["quiet", "--quiet", "-q"], is_flag=True, help="Show neither warnings nor progress."),
    ]


def _special(protocol: type[Protocol]) -> Sequence[click.Option]:
    if not hasattr(protocol, "curves"):
        return ()
    return [
        click.Option(
            ["out_image_dir", "--out-image-dir", "-p"],
            type=click.Path(path_type=Path),
            help="Write the precision-recall curves and histograms there (needs --na-prob-file).",
        )
    ]


def _run(context: click.Context, protocol: type[Protocol]) -> None:
    from fullmarks.cli.protocol_options import chosen_options
    from fullmarks.evaluate import score

    given = context.params
    options = chosen_options(protocol, context)
    folder: Path | None = given.get("out_image_dir")
    if folder is not None:
        from fullmarks.report.plots import check_plots

        check_plots(folder)
        options["precision_recall"] = True
    by = tuple(dict.fromkeys(column.strip() for names in given["by"] for column in names.split(",")))
    with _watching(protocol.name, options, given["per_example"], given["quiet"]) as watch:
        result = score(
            protocol.name,
            given["gold"],
            given["predictions"],
            by=by,
            keep=False,
            workers=given["workers"],
            watch=watch,
            **options,
        )
    if not given["quiet"]:
        warn(result.audit)
    if folder is not None:
        _plot(result, options, folder)
    _deliver(result, by, given["output_format"], given["out_file"])


@contextmanager
def _watching(
    protocol: str, options: dict[str, Any], per_example: Path | None, quiet: bool
) -> Iterator[Watcher | None]:
    """What looks at every chunk as it is scored: the progress display, the file of records, both or nothing."""
    from contextlib import ExitStack

    from fullmarks.cli.progress import progress

    with ExitStack() as stack:
        watchers: list[Watcher] = []
        if per_example is not None:
            from fullmarks.cli.per_example import written_records

            watchers.append(stack.enter_context(written_records(protocol, options, per_example)))
        shown = stack.enter_context(progress(quiet))
        if shown is not None:
            watchers.append(shown.watch)
        yield _together(watchers)


def _together(watchers: list[Watcher]) -> Watcher | None:
    if len(watchers) < 2:
        return watchers[0] if watchers else None

    def watch(*chunk: Any) -> None:
        for watcher in watchers:
            watcher(*chunk)

    return watch


def _plot(result: Result, options: dict[str, Any], folder: Path) -> None:
    from fullmarks.evaluate import make_protocol
    from fullmarks.report.plots import write_plots

    rules: Any = make_protocol(result.protocol, options)
    examples = result.tally.examples
    write_plots(
        folder,
        rules.curves(examples),
        examples.columns["no_answer_probability"],
        examples.columns["has_answer"],
    )


def _deliver(result: Result, by: Sequence[str], wanted: str | None, out_file: Path | None) -> None:
    if out_file is None:
        emit(_rendered(result, by, chosen_format(wanted)))
        return
    from fullmarks.report.atomic_file import written_whole

    text = _rendered(result, by, wanted or "json", in_file=True)
    with written_whole(out_file) as stream:
        stream.write(text.encode("utf-8", "backslashreplace"))


def _rendered(result: Result, by: Sequence[str], kind: str, *, in_file: bool = False) -> str:
    from fullmarks.report import documents

    if kind == "text":
        from fullmarks.report.terminal import LEVELS, Page, result_text

        page = Page() if in_file else output_page()
        return result_text(result, page, by=by, levels=LEVELS if in_file else ("note",))
    sliced: dict[str, Callable[[Result, Sequence[str]], str]] = {
        "markdown": documents.markdown,
        "csv": documents.comma_separated,
    }
    if kind in sliced:
        return sliced[kind](result, by)
    return documents.full_json(result) if kind == "full" else documents.official_json(result)


command = ProtocolGroup("score", ENTRIES["score"].summary, _run, general=_general, special=_special)
