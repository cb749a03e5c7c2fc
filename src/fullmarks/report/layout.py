"""How texts are put into the columns of a table: wrapped between words, never inside of one that fits its column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

_WIDE = "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6"
_WORD = rf"[^\s=_/|{_WIDE}-]"
_PIECE = re.compile(
    rf"\d[\d.,]*\s%\s*|[{_WIDE}][^\w\s]*\s*|(?:{_WORD}|(?<!\w)-|-(?!\w))*(?:[=_/|]+|(?<=\w)-(?=\w))\s*|"
    rf"(?:{_WORD}|(?<!\w)-|-(?!\w))+\s*|\s+"
)
"""What stays together: words, parts of a name up to a sign that joins them, single Chinese characters and the like."""
_SPACED = re.compile(r"\d[\d.,]*\s%\s*|(?:pip install|fullmarks \w+) \S+\s*|\S+\s*|\s+")
"""The same in sentences, where names, options and what is to be typed stay whole too."""

WIDEST_PIECE = 32
"""Longer pieces (addresses, formulas) do not hold a column open: they are broken where the line ends."""


def least_width(text: str) -> int:
    """The width below which a text would be broken inside of a word."""
    from rich.cells import cell_len

    widest = max((cell_len(piece.rstrip()) for piece in _PIECE.findall(text)), default=0)
    return min(widest, WIDEST_PIECE)


def wrapped(text: Text, width: int, *, in_names: bool = True) -> Text:
    """The text in lines of at most this width, broken between words where they have room, styles kept.

    Names of several words, as in French_and_Indian_War, may be broken between these unless that is forbidden.
    """
    from rich.text import Text

    pieces = _PIECE if in_names else _SPACED
    parts = (part for whole in text.split("\n", allow_blank=True) for part in _parts(whole, width, pieces))
    return Text("\n").join(parts)


def _parts(text: Text, width: int, pieces: re.Pattern[str]) -> Iterator[Text]:
    if text.cell_len <= width:
        yield text
        return
    for part in text.divide(list(_breaks(pieces.findall(text.plain), width))):
        part.rstrip()
        yield part


def _breaks(pieces: Sequence[str], width: int) -> Iterator[int]:
    """The places at which a line is begun."""
    from rich.cells import cell_len

    at, used = 0, 0
    for piece in pieces:
        needed = cell_len(piece.rstrip())
        if used and used + needed > width:
            yield at
            used = 0
        if needed <= width:
            at, used = at + len(piece), used + cell_len(piece)
            continue
        for character in piece:  # no line has room for it
            if used and used + cell_len(character) > width and not character.isspace():
                yield at
                used = 0
            at, used = at + 1, used + cell_len(character)


def shared_widths(natural: Sequence[int], least: Sequence[int], room: int) -> list[int] | None:
    """How wide each column is where all have so much room; None where not even the least widths fit.

    The widest give way first: all that are too wide end at the same width or at their least.

    >>> shared_widths([4, 30, 60], [4, 10, 12], 50)
    [4, 23, 23]
    >>> shared_widths([4, 30], [4, 20], 20) is None
    True
    """
    if sum(least) > room:
        return None
    low, high = 0, max(natural, default=0)
    while low < high:  # the largest limit that fits
        limit = (low + high + 1) // 2
        if sum(_limited(natural, least, limit)) <= room:
            low = limit
        else:
            high = limit - 1
    return _limited(natural, least, low)


def _limited(natural: Sequence[int], least: Sequence[int], limit: int) -> list[int]:
    return [min(wanted, max(limit, needed)) for wanted, needed in zip(natural, least, strict=True)]
