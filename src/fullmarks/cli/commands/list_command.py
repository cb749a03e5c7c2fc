"""`fullmarks list`: every protocol and metric there is, those of other packages included, and what each needs."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any

import click

from fullmarks.cli.command_table import ENTRIES
from fullmarks.cli.output.streams import emit, format_option, output_page
from fullmarks.errors import UsageError

if TYPE_CHECKING:
    from rich.text import Text

    from fullmarks.registry import Registry
    from fullmarks.report.terminal import Page

Record = dict[str, Any]
Lists = dict[str, dict[str, Record]]

SORTS = ("protocols", "metrics")
HEADINGS = {"text": "text", "visual": "images and text", "generic": "any questions"}
"""The kinds of protocols in the order in which they are listed."""
HINT = "\n One of them in full: fullmarks list NAME; what it scores and how: fullmarks card NAME\n"
FEW = 3
"""So many entries are shown with everything that is known of them."""


def protocol_record(protocol: Any) -> Record:
    """What a protocol says about itself."""
    return {
        "title": protocol.title,
        "kind": protocol.kind,
        "also_known_as": list(protocol.also_known_as),
        "gold": protocol.gold_format,
        "predictions": protocol.prediction_format,
        "variants": dict(protocol.variants),
        "slices": list(protocol.slices),
        "other_columns": list(protocol.other_columns),
        "denominator": protocol.denominator,
        "needs": protocol.needs or None,
        "needs_more": protocol.needs_more or None,
    }


def metric_record(metric: Any) -> Record:
    """What a metric says about itself."""
    options = {
        field.name: None if field.default is MISSING else field.default
        for field in fields(metric)
        if not field.name.startswith("_")
    }
    return {"summary": metric.summary, "options": options, "needs": metric.needs or None}


def _records(registry: Registry, describe: Any) -> dict[str, Record]:
    """One record by name; what cannot be loaded says so instead of hiding the rest."""
    found: dict[str, Record] = {}
    for name in registry.names():
        try:
            found[name] = describe(registry.get(name))
        except UsageError as error:
            found[name] = {"problem": str(error)}
    return found


def _lists(words: tuple[str, ...]) -> Lists:
    """The protocols and metrics that have all the words, in their names or in what is said of them."""
    from fullmarks.metrics import METRICS
    from fullmarks.protocols import PROTOCOLS

    every = {"protocols": (PROTOCOLS, protocol_record), "metrics": (METRICS, metric_record)}
    sorts = [word for word in words if word in SORTS] or SORTS
    wanted = [word.lower() for word in words if word not in SORTS]
    known = {sort: _records(*every[sort]) for sort in sorts}
    exact = {
        sort: {name: record for name, record in records.items() if [name.lower()] == wanted}
        for sort, records in known.items()
    }
    if any(exact.values()):
        return {sort: records for sort, records in exact.items() if records}
    found = {sort: _with_words(records, wanted) for sort, records in known.items()}
    if wanted and not any(found.values()):
        raise UsageError(
            f"no protocol and no metric has {' and '.join(map(repr, wanted))}. All of them: fullmarks list"
        )
    return found


def _with_words(records: dict[str, Record], words: list[str]) -> dict[str, Record]:
    return {name: record for name, record in records.items() if all(word in _said(name, record) for word in words)}


def _said(name: str, record: Record) -> str:
    told = [name, record.get("title", ""), record.get("summary", ""), record.get("kind", "")]
    return " ".join([*told, *record.get("also_known_as", ())]).lower()


def _text(lists: Lists, page: Page) -> str:
    from fullmarks.report.terminal import draw, lines, table

    in_full = sum(map(len, lists.values())) <= FEW
    parts = []
    for heading, records, describe in _sections(lists):
        rows: list[list[str | Text]] = [
            [name, lines(describe(record) if in_full else _brief(record))] for name, record in records.items()
        ]
        if rows:
            parts.append(table(page, ["", heading], rows, numbers=()))
    hint = (
        "" if in_full else "\n One of them in full: fullmarks list NAME; what it scores and how: fullmarks card NAME\n"
    )
    return draw(page, *parts) + hint


def _sections(lists: Lists) -> list[tuple[str, dict[str, Record], Any]]:
    """What stands under each heading: the protocols by kind, then the metrics."""
    protocols = lists.get("protocols", {})
    of_kind = {
        heading: {name: record for name, record in protocols.items() if record.get("kind") == kind}
        for kind, heading in HEADINGS.items()
    }
    broken = {name: record for name, record in protocols.items() if "problem" in record}
    return [
        *((f"protocols: {heading}", records, _protocol_lines) for heading, records in of_kind.items()),
        ("protocols that cannot be used", broken, _protocol_lines),
        ("metrics", lists.get("metrics", {}), _metric_lines),
    ]


def _brief(record: Record) -> list[str]:
    """One line, and what has to be installed first."""
    if "problem" in record:
        return [record["problem"]]
    return [record.get("title") or record["summary"], *(_needs(record) if not _is_ready(record) else [])]


def _protocol_lines(record: Record) -> list[str]:
    if "problem" in record:
        return [record["problem"]]
    told = [record["title"], f"gold: {record['gold']}", f"predictions: {record['predictions']}"]
    if record["also_known_as"]:
        told.append(f"also known as: {', '.join(record['also_known_as'])}")
    told.append(f"means over: {record['denominator']}")
    told.extend(f"--variant {name}: {meaning}" for name, meaning in record["variants"].items())
    columns = [*record["slices"], *record["other_columns"]]
    if columns:
        told.append(f"--by, --cluster: {', '.join(columns)}")
    return [*told, *_needs(record), ""]


def _metric_lines(record: Record) -> list[str]:
    if "problem" in record:
        return [record["problem"]]
    options = ", ".join(f"{name}={value!r}" for name, value in record["options"].items())
    return [record["summary"], *([f"options: {options}"] if options else []), *_needs(record)]


def _needs(record: Record) -> list[str]:
    state = " (installed)" if _is_ready(record) else ""
    told = [f"needs: pip install 'fullmarks[{record['needs']}]'{state}"] if record["needs"] else []
    return [*told, *([record["needs_more"]] if record.get("needs_more") else [])]


def _is_ready(record: Record) -> bool:
    """Whether the extra that it needs is installed; where that cannot be told, it is not."""
    if not record["needs"]:
        return not record.get("needs_more")
    from fullmarks.cli.commands.doctor import missing_extras

    return record["needs"] not in missing_extras()


def _run(words: tuple[str, ...], output_format: str | None) -> None:
    lists = _lists(words)
    if output_format == "json":
        from fullmarks.report.documents import plain_json

        emit(plain_json(lists))
    else:
        emit(_text(lists, output_page()))


command = click.Command(
    "list",
    callback=_run,
    params=[
        click.Argument(["words"], nargs=-1, metavar="[protocols|metrics] [WORD]..."),
        format_option("text", "json", elsewhere="text"),
    ],
    help=ENTRIES["list"].summary,
)
