"""Results, audits and explanations as text for a terminal: plain tables, colour only where it is wanted.

Every function returns a string; texts from files are never read as markup.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from fullmarks.report.documents import UNDEFINED, audit_counts, official_rows, shown_number, slice_rows
from fullmarks.report.drawing import (
    BAD,
    DOUBTFUL,
    GOOD,
    QUIET,
    Page,
    beside,
    draw,
    fitted,
    has_room,
    left_out,
    line,
    lines,
    table,
)
from fullmarks.types import LEVELS, Audit, Explanation, Level

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from fullmarks.analysis.intervals import Confidence
    from fullmarks.result import Result

__all__ = ["LEVELS", "Page", "audit_text", "draw", "explanation_text", "line", "lines", "result_text", "table"]

LEVEL_STYLES = {"error": BAD, "warning": DOUBTFUL, "note": QUIET}
LITTLE = 12
"""How much too wide a table of texts may be to be folded rather than set upright."""
LONGEST_SHOWN = 160
"""How much of a prediction is shown beside what was taken out of it."""
MOST_SLICES = 50
"""How many values of a column are shown: of more, the largest."""


def result_text(
    result: Result,
    page: Page,
    *,
    by: Sequence[str] = (),
    levels: Sequence[Level] = LEVELS,
    confidence: Confidence | None = None,
) -> str:
    """The official numbers and the slices asked for, each with its interval where there is one, and the signature.

    Then what the audit found at these levels, and how the intervals were made.
    """
    slices = [_slice_table(page, result, column, confidence) for column in by]
    tables = [*_score_tables(page, result, confidence), *(drawn for drawn, _ in slices)]
    parts: list[RenderableType] = [*beside(page, tables)]
    parts += [note for column in by for note in _largest_alone(result, column)]
    parts += left_out(title for _, dropped in slices for title in dropped)
    parts += [line(f" {result.signature}", QUIET, to_copy=True), *_audit_lines(result.audit, levels)]
    if confidence is not None:
        from fullmarks.report.intervals import interval_lines

        how, *notes = interval_lines(confidence)
        parts += [line(f" intervals: {how}"), *(line(f" {note}") for note in notes)]
    return draw(page, *parts)


def _score_tables(page: Page, result: Result, confidence: Confidence | None) -> list[Table]:
    """The official numbers with their intervals, those that are parts of others, and scores that have no key."""
    nested = {key: value for key, value in result.official.items() if isinstance(value, dict)}
    rows = [row for row in official_rows(result) if row[0] in result.official]
    header = [result.protocol, ""]
    rest: list[list[str]] = []
    if confidence is not None:
        from fullmarks.report.intervals import score_intervals

        header, rows, rest = score_intervals(result, confidence, rows)
    tables = [table(page, header, rows)] if rows else []
    tables += _nested_tables(page, nested, corner="" if rows else result.protocol)
    return [*tables, table(page, ["score", *header[1:]], rest)] if rest else tables


def _largest_alone(result: Result, column: str) -> Iterator[Text]:
    """What is said where only the largest slices are shown."""
    count = len(result.tally.by(column))
    if count > MOST_SLICES:
        yield line(f" {column}: the {MOST_SLICES} largest of {count:,} values; all of them: -f csv or -f full")


def audit_text(audit: Audit, page: Page, verdict: str) -> str:
    """Counts, every finding with its first ids and what to do about it, and the verdict."""
    changes = [[str(each.id), *map(_shortened, (each.before, each.after))] for each in audit.extracted]
    table_of_changes = [table(page, ["id", "before", "extracted"], changes, numbers=())] if changes else []
    lines_found = _audit_lines(audit, LEVELS, "to score", is_full=True)
    style = f"bold {BAD if verdict.startswith('cannot') else GOOD}"
    return draw(page, *lines_found, *table_of_changes, line(f" {verdict}", style))


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


def _slice_table(page: Page, result: Result, column: str, confidence: Confidence | None) -> tuple[Table, list[str]]:
    """Values down and scores across where there is room, or the other way; otherwise one line per value and score.

    Beside it the titles of columns that have no room.
    """
    if confidence is not None:
        from fullmarks.report.intervals import slice_intervals

        across, down = slice_intervals(result, confidence, column, MOST_SLICES)
    else:
        across = slice_rows(result, column, MOST_SLICES)
        down = _one_below_another(*across)
    turned = _turned(*across)
    if _fits(page, *across):
        return table(page, *across), []
    if confidence is None and _fits(page, *turned):
        return table(page, *turned), []
    return fitted(page, *down, words=(column, "score"), expendable=("standard error",))


def _turned(header: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """Scores down and values across."""
    columns = [[header[at], *(row[at] for row in rows)] for at in range(len(header))]
    return columns[0], columns[1:]


def _one_below_another(header: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    column, *names = header
    found = [
        [value if at == 0 else "", name, number]
        for value, *numbers in rows
        for at, (name, number) in enumerate(zip(names, numbers, strict=True))
        if number != UNDEFINED
    ]
    return [column, "score", ""], found


def _fits(page: Page, header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    return sum(widths) + 2 * len(widths) + 2 <= page.width


def _record_tables(page: Page, records: Sequence[dict[str, Any]]) -> list[RenderableType]:
    """One table of all records where its columns have room, otherwise one upright table per record."""
    names = list(records[0])
    cells = [[_shown(record.get(name)) for name in names] for record in records]
    numbers = [place for place, name in enumerate(names) if type(records[0][name]) in (int, float)]
    if _fits(page._replace(width=page.width + LITTLE), names, cells) and has_room(page, names, cells, numbers=numbers):
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
                told.append(line(f"   {each.advice}", QUIET))
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
