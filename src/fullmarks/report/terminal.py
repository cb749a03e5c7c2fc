"""Results, audits and explanations as text for a terminal: plain tables, colour only where it is wanted.

Every function returns a string; texts from files are never read as markup.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from fullmarks.report.documents import UNDEFINED, audit_counts, official_rows, shown_number, slice_rows
from fullmarks.report.visible import visible
from fullmarks.types import Audit, Explanation, Level

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

    from fullmarks.result import Result

LEVEL_STYLES = {"error": "red", "warning": "yellow", "note": "dim"}
LEVELS: tuple[Level, ...] = ("error", "warning", "note")
UNBROKEN = ("id", "change")
"""The headings of columns without numbers that are not broken into lines."""
LITTLE = 12
"""How much too wide a table of texts may be to be folded rather than set upright."""
LONGEST_SHOWN = 160
"""How much of a prediction is shown beside what was taken out of it."""
LEAST_WIDTH = 10
"""How narrow a column of texts may become before numbers are broken into lines too."""


MOST_SLICES = 50
"""How many values of a column are shown: of more, the largest."""


class Page(NamedTuple):
    """What the text is drawn on."""

    width: int = 80
    colour: bool = False
    ascii_only: bool = False


def draw(page: Page, *parts: RenderableType) -> str:
    """The parts one below the other."""
    from rich.text import Text

    text = io.StringIO()
    console = _console(text, page)
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, Text))  # lines stay whole, to be copied
    drawn = [row.rstrip() for row in text.getvalue().rstrip().split("\n")]
    kept = [row for before, row in zip(["", *drawn], drawn, strict=False) if row or before]
    return "\n".join(kept) + "\n"


def result_text(result: Result, page: Page, *, by: Sequence[str] = (), levels: Sequence[Level] = LEVELS) -> str:
    """The official numbers, the slices asked for, the signature and what the audit found at these levels."""
    plain = [(key, value) for key, value in result.official.items() if not isinstance(value, dict)]
    nested = {key: value for key, value in result.official.items() if isinstance(value, dict)}
    rows = [row for row in official_rows(result) if row[0] in dict(plain)]
    parts: list[RenderableType] = [table(page, [result.protocol, ""], rows)] if rows else []
    parts.extend(_nested_tables(page, nested, corner="" if rows else result.protocol))
    for column in by:
        parts.extend(_slices(page, result, column))
    parts.extend([line(f" {result.signature}", "dim"), *_audit_lines(result.audit, levels)])
    return draw(page, *parts)


def _slices(page: Page, result: Result, column: str) -> list[RenderableType]:
    """The breakdown by a column; of very many values the largest, and how many there are."""
    header, rows = slice_rows(result, column, MOST_SLICES)
    shown: list[RenderableType] = [_slice_table(page, header, rows)]
    count = len(result.tally.by(column))
    if count > len(rows):
        shown.append(line(f" {column}: the {len(rows)} largest of {count:,} values; all of them: -f csv or -f full"))
    return shown


def audit_text(audit: Audit, page: Page, verdict: str) -> str:
    """Counts, every finding with its first ids and what to do about it, and the verdict."""
    changes = [[str(each.id), *map(_shortened, (each.before, each.after))] for each in audit.extracted]
    table_of_changes = [table(page, ["id", "before", "extracted"], changes, numbers=())] if changes else []
    lines_found = _audit_lines(audit, LEVELS, "to score", is_full=True)
    return draw(page, *lines_found, *table_of_changes, line(f" {verdict}", "bold"))


def explanation_text(explanation: Explanation, page: Page) -> str:
    """Scores, facts and tables of one example."""
    scores = [[name, shown_number(value)] for name, value in explanation.scores.items()]
    parts: list[RenderableType] = [table(page, [f"id {explanation.id}", ""], scores)]
    facts = [[name, _shown(value)] for name, value in explanation.facts.items()]
    if facts:
        parts.append(table(page, ["", ""], facts, numbers=()))
    for name, records in explanation.tables.items():
        if records:
            parts.extend([line(f" {name}", "bold"), *_record_tables(page, records)])
    return draw(page, *parts)


def table(
    page: Page, header: Sequence[str], rows: Iterable[Sequence[str | Text]], *, numbers: Collection[int] | None = None
) -> Table:
    """A table of texts; the columns of numbers, by default all but the first, stand at the right."""
    from rich import box
    from rich.table import Table

    grid = Table(
        box=box.ASCII2 if page.ascii_only else box.SIMPLE_HEAD,
        show_header=any(header),
        header_style="bold",
        collapse_padding=True,
    )
    cells = [[line(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    right = {place for place in range(len(header)) if (place > 0 if numbers is None else place in numbers)}
    whole = _whole_columns(page, header, cells, right)
    for place, title in enumerate(header):
        justify: Literal["left", "right"] = "right" if place in right else "left"
        grid.add_column(lines(title.split("\n")), justify=justify, overflow="fold", no_wrap=place in whole)
    for row in cells:
        grid.add_row(*row)
    return grid


def _whole_columns(page: Page, header: Sequence[str], rows: Sequence[Sequence[Text]], right: set[int]) -> set[int]:
    """The columns whose cells stay on one line: ids, which are there to be copied, and numbers where there is room."""
    widths = [
        max((part.cell_len for cell in (lines(title.split("\n")), *column) for part in cell.split("\n")), default=0)
        for title, *column in zip(header, *rows, strict=True)
    ]
    whole = {place for place, title in enumerate(header) if place in right or title in UNBROKEN}
    needed = sum(widths[place] if place in whole else min(widths[place], LEAST_WIDTH) for place in range(len(header)))
    if needed + 2 * len(header) + 2 <= page.width:
        return whole
    return {place for place in whole if header[place] == "id"}


def line(text: str, style: str = "") -> Text:
    """Text that is shown as it is, whatever brackets it holds; control characters are made visible."""
    from rich.text import Text

    return Text(visible(text), style=style)


def lines(texts: Iterable[str]) -> Text:
    """Several lines, to stand in one cell."""
    from rich.text import Text

    return Text("\n").join(map(line, texts))


def _nested_tables(page: Page, nested: dict[str, dict[Any, Any]], corner: str) -> list[Table]:
    """Parts that count examples of their own in one table where it has room; every other in a table of its own."""
    counted = {key: values for key, values in nested.items() if "n" in values}
    names = list(dict.fromkeys(name for values in counted.values() for name in values))
    rows = [
        [key, *(_shown(values[name]) if name in values else "" for name in names)] for key, values in counted.items()
    ]
    together = len(counted) > 1 and _fits(page, [corner, *names], rows)
    tables = [table(page, [corner, *names], rows)] if together else []
    for key, values in nested.items():
        if values and not (together and key in counted):
            cells = [[str(name), _shown(value)] for name, value in values.items()]
            tables.append(table(page, [key, ""], cells))
    return tables


def _slice_table(page: Page, header: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """Values down and scores across where there is room; otherwise one line per value and score."""
    if _fits(page, header, rows):
        return table(page, header, rows)
    column, *names = header
    long_rows = [
        [value if at == 0 else "", name, number]
        for value, *numbers in rows
        for at, (name, number) in enumerate(zip(names, numbers, strict=True))
        if number != UNDEFINED
    ]
    return table(page, [column, "score", ""], long_rows, numbers=(2,))


def _fits(page: Page, header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    return sum(widths) + 2 * len(widths) + 2 <= page.width


def _record_tables(page: Page, records: Sequence[dict[str, Any]]) -> list[RenderableType]:
    """One table of all records where its columns have room, otherwise one upright table per record."""
    names = list(records[0])
    cells = [[_shown(record.get(name)) for name in names] for record in records]
    numbers = [place for place, name in enumerate(names) if type(records[0][name]) in (int, float)]
    if _fits(page._replace(width=page.width + LITTLE), names, cells):
        return [table(page, names, cells, numbers=numbers)]
    return [table(page, ["", ""], list(zip(names, row, strict=True)), numbers=()) for row in cells]


def _audit_lines(
    audit: Audit, levels: Sequence[Level], done: str = "scored", *, is_full: bool = False
) -> list[RenderableType]:
    """Counts and findings; in full, notes have their ids and every finding its advice."""
    told: list[RenderableType] = [line(f" {audit_counts(audit, done)}")]
    for level in levels:
        for each in audit.at_level(level):
            shown = each.brief if level == "note" and not is_full else each
            told.append(line(f" {level}: {shown}", LEVEL_STYLES[level]))
            if is_full and each.advice:
                told.append(line(f"   {each.advice}", "dim"))
    return told


def _shown(value: object) -> str:
    if isinstance(value, float):
        return shown_number(value)
    if isinstance(value, (list, tuple)):
        return " ".join(f"[{_shown(item)}]" for item in value) or "(none)"
    return repr(value) if value == "" else str(value)


def _shortened(text: str) -> str:
    """A long text by its beginning and its end, where answers stand."""
    if len(text) <= LONGEST_SHOWN:
        return _shown(text)
    return f"{text[: LONGEST_SHOWN // 3]} ... {text[-LONGEST_SHOWN // 2 :]}"


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
