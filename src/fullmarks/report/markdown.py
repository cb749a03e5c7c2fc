"""Markdown whose texts are shown as they are: no name or answer can become a tag, a link, emphasis or a new line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from fullmarks.showing import visible

_MARKS = re.compile(r"[\\`*~]|\](?=[(\[:])|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?])|&(?=#?\w+;)")
"""What Markdown reads as a mark, a link, a tag or an entity; an underscore only at the edge of a word."""
_ENTITIES = {"<": "&lt;", "&": "&amp;"}
_BREAKS = re.compile(r"[ \t]*[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s*|\t")
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


class Markup(str):
    """A cell that is Markdown already and stays as it is."""

    __slots__ = ()


def escaped(text: str) -> str:
    """The text as Markdown on one line; a break becomes a space, other control characters their escapes.

    >>> print(escaped("<b> *a* [x](y) snake_case"))
    &lt;b> \\*a\\* [x\\](y) snake_case
    """
    return _MARKS.sub(lambda found: _ENTITIES.get(found[0], f"\\{found[0]}"), _on_one_line(text))


def code(text: str) -> str:
    """The text as a code span, on one line."""
    line = _on_one_line(text)
    longest = max(map(len, re.findall("`+", line)), default=0)
    fence, space = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{space}{line}{space}{fence}"


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table whose columns after the first stand at the right."""
    line = "|---" + "|---:" * (len(header) - 1) + "|"
    return "\n".join([_row(header), line, *map(_row, rows)])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(_cell, cells)) + " |"


def _cell(text: str) -> str:
    return text if isinstance(text, Markup) else escaped(text).replace("|", "\\|")


def _on_one_line(text: str) -> str:
    """What cannot be seen is escaped, as by `visible`, but spaces and joiners that writing needs stay."""
    return _UNSEEN.sub(lambda found: visible(found[0]), _BREAKS.sub(" ", text))
