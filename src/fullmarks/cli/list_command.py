"""`fullmarks list`: every protocol and metric there is, those of other packages included, and what each needs."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any

import click

from fullmarks.cli.commands import ENTRIES
from fullmarks.cli.output import chosen_format, emit, format_option, output_page
from fullmarks.errors import UsageError

if TYPE_CHECKING:
    from rich.text import Text

    from fullmarks.registry import Registry
    from fullmarks.report.terminal import Page

KINDS = ("protocols", "metrics")


def protocol_record(protocol: Any) -> dict[str, Any]:
    """What a protocol says about itself."""
    return {
        "title": protocol.title,
        "also_known_as": list(protocol.also_known_as),
        "gold": protocol.gold_format,
        "predictions": protocol.prediction_format,
        "variants": dict(protocol.variants),
        "slices": list(protocol.slices),
        "other_columns": list(protocol.other_columns),
        "needs": protocol.needs or None,
        "needs_more": protocol.needs_more or None,
    }


def metric_record(metric: Any) -> dict[str, Any]:
    """What a metric says about itself."""
    options = {
        field.name: None if field.default is MISSING else field.default
        for field in fields(metric)
        if not field.name.startswith("_")
    }
    return {"summary": metric.summary, "options": options, "needs": metric.needs or None}


def _records(registry: Registry, describe: Any) -> dict[str, dict[str, Any]]:
    """One record by name; what cannot be loaded says so instead of hiding the rest."""
    found: dict[str, dict[str, Any]] = {}
    for name in registry.names():
        try:
            found[name] = describe(registry.get(name))
        except UsageError as error:
            found[name] = {"problem": str(error)}
    return found


def _lists(kinds: tuple[str, ...]) -> dict[str, dict[str, dict[str, Any]]]:
    from fullmarks.metrics import METRICS
    from fullmarks.protocols import PROTOCOLS

    every = {"protocols": (PROTOCOLS, protocol_record), "metrics": (METRICS, metric_record)}
    return {kind: _records(*every[kind]) for kind in kinds}


def _text(lists: dict[str, dict[str, dict[str, Any]]], page: Page) -> str:
    from fullmarks.report.terminal import draw, lines, table

    describe = {"protocols": _protocol_lines, "metrics": _metric_lines}
    parts = []
    for kind, records in lists.items():
        rows: list[list[str | Text]] = [[name, lines(describe[kind](record))] for name, record in records.items()]
        parts.append(table(page, [kind, ""], rows, numbers=()))
    return draw(page, *parts)


def _protocol_lines(record: dict[str, Any]) -> list[str]:
    if "problem" in record:
        return [record["problem"]]
    others = [f"also known as: {', '.join(record['also_known_as'])}"] if record["also_known_as"] else []
    told = [record["title"], *others, f"gold: {record['gold']}", f"predictions: {record['predictions']}"]
    told.extend(f"--variant {name}: {meaning}" for name, meaning in record["variants"].items())
    columns = [*record["slices"], *record["other_columns"]]
    if columns:
        told.append(f"--by, --cluster: {', '.join(columns)}")
    return [*told, *_needs(record), ""]


def _metric_lines(record: dict[str, Any]) -> list[str]:
    if "problem" in record:
        return [record["problem"]]
    options = ", ".join(f"{name}={value!r}" for name, value in record["options"].items())
    return [record["summary"], *([f"options: {options}"] if options else []), *_needs(record)]


def _needs(record: dict[str, Any]) -> list[str]:
    told = [f"needs: pip install 'fullmarks[{record['needs']}]'"] if record["needs"] else []
    return [*told, *([record["needs_more"]] if record.get("needs_more") else [])]


def _run(kind: str | None, output_format: str | None) -> None:
    lists = _lists((kind,) if kind else KINDS)
    if chosen_format(output_format) == "json":
        from fullmarks.report.documents import plain_json

        emit(plain_json(lists))
    else:
        emit(_text(lists, output_page()))


command = click.Command(
    "list",
    callback=_run,
    params=[click.Argument(["kind"], type=click.Choice(KINDS), required=False), format_option("text", "json")],
    help=ENTRIES["list"].summary,
)
