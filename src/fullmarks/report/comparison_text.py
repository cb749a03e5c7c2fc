"""A comparison of systems for a terminal: better and worse in words and colours, as wide as the page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from fullmarks.report.change_text import change_parts
from fullmarks.report.comparison_tables import (
    SLICES,
    Table,
    comparison_lines,
    difference_table,
    measures_table,
    run_tables,
    score_table,
    slice_table,
)
from fullmarks.report.documents import decimals
from fullmarks.report.drawing import BAD, GOOD, QUIET, WIDE, Page, draw, fitted, has_room, left_out, line

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from fullmarks.analysis.comparison import Comparison, Difference

BETTER, WORSE, UNDECIDED = "better", "worse", "undecided"
STYLES = {BETTER: GOOD, WORSE: BAD, UNDECIDED: QUIET}
EXPENDABLE = ("p", "ties", "p (bootstrap)", "p (McNemar)", "effect")
"""The columns that are left out, in this order, where the page is too narrow."""
WITHOUT_NUMBERS = ("system", "score", "slice", "")
"""The titles of columns of words."""

JudgedTable = tuple[str, list[str], list[list["str | Text"]]]


def comparison_text(comparison: Comparison, page: Page, examples: int) -> str:
    """The tables, the examples that changed, and how the numbers were made."""
    parts: list[RenderableType] = []
    dropped: list[str] = []
    for title, header, rows in _tables(comparison, page):
        drawn, titles = fitted(page, header, rows, words=WITHOUT_NUMBERS, expendable=EXPENDABLE)
        dropped += titles
        parts += [*([line(f" {title}", "bold")] if title else []), drawn]
    for changes in comparison.changes:
        parts += change_parts(changes, comparison.baseline, page, examples)
    return draw(page, *parts, *_notes(comparison, dropped))


def verdict(difference: float, p_value: float, *, alpha: float, less_is_better: bool) -> str:
    """A difference in a word, as far as its test shows it; empty where it cannot.

    >>> verdict(0.5, 0.001, alpha=0.05, less_is_better=False)
    'better'
    >>> verdict(0.5, 0.2, alpha=0.05, less_is_better=False)
    'undecided'
    """
    if math.isnan(p_value) or math.isnan(difference):
        return ""
    if p_value > alpha or not difference:
        return UNDECIDED
    return BETTER if (difference > 0) != less_is_better else WORSE


def judged_row(row: Sequence[str], place: int, word: str) -> list[str | Text]:
    """The row with its difference in the colour of the verdict, and the verdict at the end."""
    style = STYLES.get(word, "") if word != UNDECIDED else ""
    return [*row[:place], line(row[place], style), *row[place + 1 :], line(word, STYLES.get(word, ""))]


def _tables(comparison: Comparison, page: Page) -> Iterator[JudgedTable]:
    """The tables with a verdict in every row; on a wide page all measures in one, and more about the slices."""
    for title, header, rows in (score_table(comparison), *run_tables(comparison)):
        if rows:
            yield title, header, [list(row) for row in rows]
    found, others = difference_table(comparison), measures_table(comparison)
    together = _judged(_joined(found, others), comparison.differences, comparison)
    if _has_room(page, together):
        yield together
    else:
        yield _judged(found, comparison.differences, comparison)
        title, header, rows = others
        yield title, header, [list(row) for row in rows]
    slices = comparison.slices[:SLICES]
    if slices:
        brief = _judged(slice_table(comparison), slices, comparison)
        full = _judged(_with_values(slice_table(comparison), slices, comparison), slices, comparison)
        yield full if _has_room(page, full) else brief


def _has_room(page: Page, found: JudgedTable) -> bool:
    _, header, rows = found
    return page.width >= WIDE and has_room(page, header, rows, numbers=_numeric(header))


def _joined(one: Table, other: Table) -> Table:
    """Two tables of the same rows as one; what they both name stands once."""
    title, header, rows = one
    more = [at for at, name in enumerate(other[1]) if name not in header]
    return (
        title,
        [*header, *(other[1][at] for at in more)],
        [[*row, *(beside[at] for at in more)] for row, beside in zip(rows, other[2], strict=True)],
    )


def _judged(found: Table, differences: Iterable[Difference], comparison: Comparison) -> JudgedTable:
    title, header, rows = found
    place, alpha = header.index("difference"), 1 - comparison.sampling.level
    judged = [
        judged_row(
            row,
            place,
            verdict(
                each.test.difference,
                each.p_holm,
                alpha=alpha,
                less_is_better=each.score in comparison.less_is_better,
            ),
        )
        for row, each in zip(rows, differences, strict=True)
    ]
    return title, [*header, ""], judged


def _with_values(found: Table, slices: Sequence[Difference], comparison: Comparison) -> Table:
    """The table of slices with the scores of both sides before their difference, and wins and losses at the end."""
    title, header, rows = found
    at = header.index("difference")
    digits = decimals(comparison.scale)
    full = []
    for row, each in zip(rows, slices, strict=True):
        sides = [f"{comparison.scale * value:.{digits}f}" for value in (each.test.baseline, each.test.system)]
        counts = each.test.outcomes
        tallies = ["", ""] if counts is None else [str(counts.wins), str(counts.losses)]
        full.append([*row[:at], *sides, *row[at:], *tallies])
    system = comparison.systems[0] if len(comparison.systems) == 1 else "the system"
    return title, [*header[:at], comparison.baseline, system, *header[at:], "wins", "losses"], full


def _numeric(header: Sequence[str]) -> list[int]:
    """The places of the columns that hold numbers."""
    return [place for place, title in enumerate(header) if title not in WITHOUT_NUMBERS]


def _notes(comparison: Comparison, dropped: Sequence[str]) -> Iterator[Text]:
    """What stands below the tables; signatures are there to be copied."""
    what, *others = comparison_lines(comparison)
    count = len(others) - len(comparison.signatures)
    yield line(f" {what}")
    yield from left_out(dropped)
    if any(math.isfinite(each.p_holm) for each in comparison.differences):
        alpha = f"{1 - comparison.sampling.level:.4g}"
        yield line(f" better, worse: p (Holm) is at most {alpha}; undecided: it is not")
    yield from (line(f" {text}") for text in others[:count])
    yield from (line(f" {text}", QUIET, to_copy=True) for text in others[count:])
