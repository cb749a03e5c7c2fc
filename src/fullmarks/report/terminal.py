"""Results, audits and explanations as text for a terminal: plain tables, colour only where it is wanted.

Every function returns a string; texts from files are never read as markup.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fullmarks.report.documents import official_rows, shown_number, slice_rows
from fullmarks.types import Audit, Explanation, Finding, Level

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

    from fullmarks.result import Result

LEVEL_STYLES = {"error": "red", "warning": "yellow", "note": "dim"}
LEVELS: tuple[Level, ...] = ("error", "warning", "note")


@dataclass(frozen=True)
class Page:
    """What the text is drawn on."""

    width: int = 80
    colour: bool = False
    ascii_only: bool = False


def draw(page: Page, *parts: RenderableType) -> str:
    """The parts one below the other."""
    text = io.StringIO()
    console = _console(text, page)
    for part in parts:
        console.print(part)
    lines = [line.rstrip() for line in text.getvalue().rstrip().split("\n")]
    kept = [line for before, line in zip(["", *lines], lines, strict=False) if line or before]
    return "\n".join(kept) + "\n"


def result_text(result: Result, page: Page, *, by: Sequence[str] = (), levels: Sequence[Level] = LEVELS) -> str:
    """The official numbers, the slices asked for, the signature and what the audit found at these levels."""
    plain = [(key, value) for key, value in result.official.items() if not isinstance(value, dict)]
    nested = {key: value for key, value in result.official.items() if isinstance(value, dict)}
    rows = [row for row in official_rows(result) if row[0] in dict(plain)]
    parts: list[RenderableType] = [table(page, [result.protocol, ""], rows)]
    for key, values in nested.items():
        if values:
            parts.append(table(page, [key, ""], [[str(name), _shown(value)] for name, value in values.items()]))
    for column in by:
        parts.append(table(page, *slice_rows(result, column)))
    parts.extend([_plain(f" {result.signature}", "dim"), *_audit_lines(result.audit, levels)])
    return draw(page, *parts)


def audit_text(audit: Audit, page: Page, verdict: str) -> str:
    """Counts, every finding with its first ids, and the verdict."""
    return draw(page, *_audit_lines(audit, LEVELS), _plain(f" {verdict}", "bold"))


def explanation_text(explanation: Explanation, page: Page) -> str:
    """Scores, facts and tables of one example."""
    scores = [[name, shown_number(value)] for name, value in explanation.scores.items()]
    parts: list[RenderableType] = [table(page, [f"id {explanation.id}", ""], scores)]
    facts = [[name, _shown(value)] for name, value in explanation.facts.items()]
    if facts:
        parts.append(table(page, ["", ""], facts, numbers=False))
    for name, records in explanation.tables.items():
        if records:
            parts.extend([_plain(f" {name}", "bold"), *_record_tables(page, records)])
    return draw(page, *parts)


def table(page: Page, header: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = True) -> Table:
    """A table of texts; with `numbers` all columns but the first stand at the right."""
    from rich import box
    from rich.table import Table

    grid = Table(
        box=box.ASCII2 if page.ascii_only else box.SIMPLE_HEAD,
        show_header=any(header),
        header_style="bold",
        pad_edge=True,
    )
    for position, title in enumerate(header):
        right = numbers and position > 0
        grid.add_column(_plain(title), justify="right" if right else "left", overflow="fold")
    for row in rows:
        grid.add_row(*map(_plain, row))
    return grid


def _record_tables(page: Page, records: Sequence[dict[str, Any]]) -> list[RenderableType]:
    """One table of all records where its columns have room, otherwise one upright table per record."""
    names = list(records[0])
    cells = [[_shown(record.get(name)) for name in names] for record in records]
    widths = [max(len(name), *(len(row[at]) for row in cells)) for at, name in enumerate(names)]
    if sum(widths) + 3 * len(widths) <= page.width:
        return [table(page, names, cells, numbers=False)]
    return [table(page, ["", ""], list(zip(names, row, strict=True)), numbers=False) for row in cells]


def _audit_lines(audit: Audit, levels: Sequence[Level]) -> list[RenderableType]:
    lines = [_plain(f" {audit.gold} questions, {audit.predictions} predictions, {audit.scored} scored")]
    for finding in _in_order(audit, levels):
        lines.append(_plain(f" {finding.level}: {finding}", LEVEL_STYLES[finding.level]))
    return list(lines)


def _in_order(audit: Audit, levels: Sequence[Level]) -> list[Finding]:
    return [finding for level in levels for finding in audit.at_level(level)]


def _shown(value: object) -> str:
    if isinstance(value, float):
        return shown_number(value)
    if isinstance(value, (list, tuple)):
        return " ".join(f"[{_shown(item)}]" for item in value) or "(none)"
    return repr(value) if value == "" else str(value)


def _plain(text: str, style: str = "") -> Any:
    """Text that is shown as it is, whatever brackets it holds; control characters are made visible."""
    from rich.text import Text

    visible = "".join(character if character.isprintable() else _escaped(character) for character in text)
    return Text(visible, style=style)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def _console(text: io.StringIO, page: Page) -> Console:
    from rich.console import Console

    return Console(
        file=text,
        width=page.width,
        force_terminal=page.colour,
        color_system="standard" if page.colour else None,
        no_color=not page.colour,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
