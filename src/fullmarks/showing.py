"""How results show themselves where somebody works: a few lines at the prompt, a small table in a notebook.

Every text comes from files and names and is made harmless: escaped for the page, and on one line for the prompt.
Colours are left to the notebook, so that the table is right on light and on dark.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

LINES = 8
"""How many rows stand below the title at the prompt."""
ROWS = 40
"""How many rows every table of a notebook has."""
WIDTH = 60
"""How many characters of a cell are shown."""
_TITLE = "text-align:left"
_TEXT = "text-align:left;padding:0.1em 0.6em"
_NUMBER = "text-align:right;padding:0.1em 0.6em"


class HasEnds(Protocol):
    """An interval."""

    @property
    def low(self) -> float:
        """The lower end."""

    @property
    def high(self) -> float:
        """The upper end."""


class Table(NamedTuple):
    """Rows of texts under a header, which may be empty; the columns at the `numeric` places end at one edge."""

    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    numeric: tuple[int, ...] = ()
    title: str = ""
    more: int = 0
    """How many rows there are besides."""


class Shown(NamedTuple):
    """What is to be seen of an object: a title, tables, and what is to be known besides."""

    title: str
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """A few lines, the first of them in angle brackets."""
        lines = [f"<{visible(self.title)}>"]
        room = LINES
        for table in self.tables:
            taken = list(_lines(table, room))
            lines += taken
            room -= len(taken)
        lines += [f"  {cut(note, 2 * WIDTH)}" for note in self.notes[: max(0, room)]]
        return "\n".join(lines)

    @property
    def html(self) -> str:
        """The same as tables, with more rows."""
        notes = "".join(f"<div>{_escaped(note)}</div>" for note in self.notes)
        tables = "".join(map(_html, self.tables))
        return f"<div><div style='{_TITLE}'>{_escaped(self.title)}</div>{tables}{notes}</div>"


class ShowsItself:
    """What has a `_shown` and is seen by it, at the prompt and in a notebook."""

    def _shown(self) -> Shown:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self._shown().text

    def _repr_html_(self) -> str:
        return self._shown().html


def visible(text: str) -> str:
    """The text with every character that is not for print written as Python escapes it; always valid Unicode.

    >>> print(visible("red: \\x1b[31m, half: \\ud800, a\\nb"))
    red: \\x1b[31m, half: \\ud800, a\\nb
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape", "surrogatepass").decode("ascii")
        for character in text
    )


def cut(text: str, width: int = WIDTH) -> str:
    """A text on one line, shortened where it is long.

    >>> cut("one\\ntwo", 6)
    'one...'
    """
    shown = visible(text[: width + 1])
    return shown if len(shown) <= width else f"{shown[: width - 3]}..."


def named(names: Iterable[str], most: int = 3) -> str:
    """The first names, and how many there are besides.

    >>> named(["a", "b", "c", "d"], 2)
    'a, b and 2 more'
    """
    listed = list(names)
    shown = [cut(name, WIDTH // 2) for name in listed[:most]]
    more = [f"{len(listed) - most:,} more"] if len(listed) > most else []
    *first, last = (*shown, *more) or ("nothing",)
    return f"{', '.join(first)} and {last}" if first else last


def figure(value: float | None, digits: int = 4) -> str:
    """A count as it is, another number with so many digits; nothing for None.

    >>> figure(12345), figure(0.123456), figure(None)
    ('12345', '0.1235', '')
    """
    if value is None:
        return ""
    return str(value) if isinstance(value, int) else f"{value:.{digits}g}"


def scaled(value: float | None, scale: float, sign: str = "") -> str:
    """A score in the official scale, with two decimals of percentages and four of scores from 0 to 1.

    >>> scaled(0.12345, 100), scaled(0.12345, 1), scaled(0.12345, 100, "+")
    ('12.35', '0.1235', '+12.35')
    """
    return "" if value is None else f"{scale * value:{sign}.{2 if scale >= 10 else 4}f}"


def ends(interval: HasEnds, scale: float) -> str:
    """The ends of an interval in the official scale."""
    return f"[{scaled(interval.low, scale)}, {scaled(interval.high, scale)}]"


def chance(p_value: float) -> str:
    """A p-value in few characters."""
    return "" if math.isnan(p_value) else "<0.0001" if p_value < 0.0001 else f"{p_value:.4f}"


def _lines(table: Table, room: int) -> Iterator[str]:
    """The rows in columns, as many as there is room for with the header and a line on the rest."""
    if room <= 0:
        return
    header = [table.header] if table.header else []
    room -= len(header)
    count = len(table.rows) + table.more
    shown = list(table.rows[: room if count <= room else room - 1])
    cells = [[cut(cell, WIDTH if len(row) < 5 else WIDTH // 2) for cell in row] for row in (*header, *shown)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = (
            cell.rjust(width) if place in table.numeric else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield f"  {'  '.join(padded)}".rstrip()
    if count > len(shown):
        yield f"  ... and {count - len(shown):,} more" if shown else f"  {count:,} rows"


def _html(table: Table) -> str:
    caption = f"<caption style='{_TITLE}'>{_escaped(table.title)}</caption>" if table.title else ""
    head = "".join(_cell("th", name, place in table.numeric) for place, name in enumerate(table.header))
    body = "".join(
        f"<tr>{''.join(_cell('td', cell, place in table.numeric) for place, cell in enumerate(row))}</tr>"
        for row in table.rows[:ROWS]
    )
    rest = len(table.rows) - ROWS if len(table.rows) > ROWS else 0
    more = f"<div>... and {rest + table.more:,} more</div>" if rest + table.more else ""
    return f"<table>{caption}{f'<thead><tr>{head}</tr></thead>' if head else ''}<tbody>{body}</tbody></table>{more}"


def _cell(tag: str, text: str, is_numeric: bool) -> str:
    return f"<{tag} style='{_NUMBER if is_numeric else _TEXT}'>{_escaped(text, 5 * WIDTH)}</{tag}>"


def _escaped(text: str, width: int = 10 * WIDTH) -> str:
    from html import escape

    return escape(cut(text, width))
