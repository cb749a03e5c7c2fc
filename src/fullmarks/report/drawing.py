"""Text for a terminal: lines and tables that fit a page, words kept whole, colour only where it is wanted.

What is drawn is a string in the end; texts from files are never read as markup.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from fullmarks.report.layout import least_width, shared_widths, wrapped
from fullmarks.showing import visible

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

GOOD, BAD, DOUBTFUL, QUIET = "green", "red", "yellow", "dim"
"""The styles and what they mean. None stands alone: a sign or a word says the same."""
UNBROKEN = ("id", "change")
"""The titles of columns without numbers that are not broken into lines."""
NAMES = ("slice",)
"""Those that are not as long as there is room for numbers beside them."""
READABLE = 14
"""How narrow a column of texts may become before there is no room for the table."""
WIDE = 120
"""From so many columns on tables stand beside each other."""
GAP = 4
"""The space between them."""


class Page(NamedTuple):
    """What the text is drawn on."""

    width: int = 80
    colour: bool = False
    ascii_only: bool = False
    is_screen: bool = False
    """Whether long lines are wrapped between words, as a terminal would not; elsewhere they stay whole, for `grep`."""


def draw(page: Page, *parts: RenderableType) -> str:
    """The parts one below the other."""
    from rich.text import Text

    text = io.StringIO()
    console = _console(text, page)
    for part in parts:
        if isinstance(part, Text):
            console.print(_on_screen(part, page) if page.is_screen else part, soft_wrap=True)
        else:
            console.print(part)
    drawn = [row.rstrip() for row in text.getvalue().rstrip().split("\n")]
    kept = [row for before, row in zip(["", *drawn], drawn, strict=False) if row or before]
    return "\n".join(kept) + "\n"


def line(text: str, style: str = "", *, to_copy: bool = False) -> Text:
    """Text that is shown as it is, whatever brackets it holds; control characters are made visible.

    A line that is there to be copied is never wrapped.
    """
    from rich.text import Text

    return Text(visible(text), style=style, no_wrap=to_copy or None)


def lines(texts: Iterable[str]) -> Text:
    """Several lines, to stand in one cell."""
    from rich.text import Text

    return Text("\n").join(map(line, texts))


def _on_screen(text: Text, page: Page) -> Text:
    """The line, wrapped with the later parts indented where it is too long."""
    from rich.text import Text

    if text.no_wrap or text.cell_len <= page.width:
        return text
    margin = len(text.plain) - len(text.plain.lstrip()) + 2
    first, *others = wrapped(text, page.width - margin, in_names=False).split("\n")
    return Text("\n" + " " * margin).join([first, *others])


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
    columns, right = _columns(header, list(rows)), _right(header, numbers)
    widths = _widths(page, columns, right)
    for place, (column, width) in enumerate(zip(columns, widths, strict=True)):
        justify: Literal["left", "right"] = "right" if place in right else "left"
        grid.add_column(wrapped(column[0], width), justify=justify, overflow="fold", no_wrap=True)
    for cells in list(zip(*columns, strict=True))[1:]:
        grid.add_row(*(wrapped(cell, width) for cell, width in zip(cells, widths, strict=True)))
    return grid


def has_room(
    page: Page, header: Sequence[str], rows: Sequence[Sequence[str | Text]], *, numbers: Collection[int] | None = None
) -> bool:
    """Whether such a table has room without breaking a number, an id or a word."""
    columns = _columns(header, rows)
    return sum(_unbroken(columns, _right(header, numbers), *NAMES)) <= _room(page, len(columns))


def fitted(
    page: Page,
    header: Sequence[str],
    rows: Sequence[Sequence[str | Text]],
    *,
    words: Collection[str],
    expendable: Sequence[str],
) -> tuple[Table, list[str]]:
    """A table without those of the expendable columns that have no room, in their order; and the titles of these.

    `words` are the titles of columns that hold no numbers.
    """
    kept, dropped = list(range(len(header))), []
    for title in (*(each for each in expendable if each in header), None):
        shown, cells = [header[at] for at in kept], [[row[at] for at in kept] for row in rows]
        numbers = [place for place, name in enumerate(shown) if name not in words]
        if title is None or has_room(page, shown, cells, numbers=numbers):
            break
        dropped.append(title)
        kept = [at for at in kept if header[at] != title]
    return table(page, shown, cells, numbers=numbers), dropped


def left_out(titles: Iterable[str]) -> list[Text]:
    """The line that names columns without room; none without such."""
    names = ", ".join(dict.fromkeys(titles))
    return [line(f" left out for want of room: {names}; a wider terminal and -f json have more")] if names else []


def beside(page: Page, tables: Sequence[Table]) -> list[Table]:
    """The tables as they are or, on a wide page, as many beside each other as have room."""
    if page.width < WIDE or len(tables) < 2:
        return list(tables)
    from rich.table import Table

    console = _console(io.StringIO(), page)
    rows: list[list[Table]] = []
    used = 0
    for each in tables:
        width = console.measure(each).maximum + GAP
        if not rows or used + width > page.width:
            rows.append([])
            used = 0
        rows[-1].append(each)
        used += width
    drawn = []
    for row in rows:
        grid = Table.grid(padding=(0, GAP, 0, 0))
        grid.add_row(*row)
        drawn.append(grid if len(row) > 1 else row[0])
    return drawn


def _columns(header: Sequence[str], rows: Sequence[Sequence[str | Text]]) -> list[list[Text]]:
    """Title and cells of every column."""
    cells = [[line(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    return [list(column) for column in zip([lines(title.split("\n")) for title in header], *cells, strict=True)]


def _right(header: Sequence[str], numbers: Collection[int] | None) -> set[int]:
    return set(range(1, len(header)) if numbers is None else numbers)


def _widths(page: Page, columns: Sequence[Sequence[Text]], right: Collection[int]) -> list[int]:
    """How wide the columns are: as their cells need it or, where the page has no room, as little as breaks no word.

    Titles give way first, numbers and ids, which are there to be copied, last.
    """
    natural = [max(map(_width, column)) for column in columns]
    below_titles = [max([least_width(title.plain), *map(_width, cells)]) for title, *cells in columns]
    by_words = [max(least_width(cell.plain) for cell in column) for column in columns]
    room = _room(page, len(columns))
    widths = shared_widths(natural, below_titles, room)
    whole = [_unbroken(columns, right, *NAMES), _unbroken(columns, right), _unbroken(columns, right, readable=1)]
    for least in (*whole, by_words):
        widths = widths or shared_widths(below_titles, least, room)
    return widths or shared_widths(natural, [1] * len(columns), room) or [1] * len(columns)


def _unbroken(
    columns: Sequence[Sequence[Text]], right: Collection[int], *names: str, readable: int = READABLE
) -> list[int]:
    """The least width of each column that keeps numbers, ids and what else is named on one line, and texts readable."""
    found = []
    for at, (title, *cells) in enumerate(columns):
        is_whole = at in right or title.plain in (*UNBROKEN, *names)
        parts = [
            _width(cell) if is_whole else max(least_width(cell.plain), min(_width(cell), readable)) for cell in cells
        ]
        found.append(max([least_width(title.plain), *parts]))
    return found


def _room(page: Page, columns: int) -> int:
    """What the borders and the space between so many columns leave."""
    return page.width - 2 * columns - 2


def _width(text: Text) -> int:
    return max(part.cell_len for part in text.split("\n", allow_blank=True))


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
