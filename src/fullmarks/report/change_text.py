"""The examples that a system fixed or broke, for a terminal: a table where texts have room, else a block for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fullmarks.report.comparison_tables import shown_count
from fullmarks.report.drawing import BAD, GOOD, QUIET, Page, has_room, line, table
from fullmarks.report.layout import wrapped
from fullmarks.showing import visible

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from fullmarks.analysis.comparison import Changes, ExampleChange

READABLE = 32
"""A column of texts that need more has at least so much room in a table."""
LONGEST = 240
"""How much of a text is shown."""
LONGEST_NAME = 24
"""How much room the names of systems have beside their answers."""


def change_parts(changes: Changes, baseline: str, page: Page, examples: int) -> Iterator[RenderableType]:
    """What a system fixed, then what it broke, each below a title."""
    names = [baseline, changes.system, "references"]
    kinds = (("fixed", GOOD, changes.fixed), ("broken", BAD, changes.broken))
    in_tables = all(_is_readable(changed[:examples], names, page) for _, _, changed in kinds)
    for kind, style, changed in kinds:
        shown = changed[:examples]
        if not shown:
            continue
        yield line(f" {kind} by {changes.system}: {shown_count(len(changed), len(shown))}", f"bold {style}")
        if in_tables:
            header, heads = _heads(shown, names, style)
            rows = [[*head, *_texts(each)] for head, each in zip(heads, shown, strict=True)]
            yield table(page, header, rows, numbers=())
        else:
            yield from _blocks(shown, names, page, style)


def _is_readable(changed: Sequence[ExampleChange], names: Sequence[str], page: Page) -> bool:
    """Whether a table leaves the texts room to be read in."""
    header, heads = _heads(changed, names, "")
    room = [["x" * min(len(text), READABLE) for text in _texts(each)] for each in changed]
    rows = [[*head, *texts] for head, texts in zip(heads, room, strict=True)]
    return has_room(page, header, rows, numbers=range(len(header)))


def _heads(
    changed: Sequence[ExampleChange], names: Sequence[str], style: str
) -> tuple[list[str], list[list[str | Text]]]:
    """The titles of a table, and what stands before the texts in each row."""
    has_slices = any(each.slice for each in changed)
    header = ["id", "change", *(["slice"] if has_slices else []), *names]
    return header, [
        [str(each.id), line(_scores(each), style), *([each.slice] if has_slices else [])] for each in changed
    ]


def _blocks(changed: Sequence[ExampleChange], names: Sequence[str], page: Page, style: str) -> Iterator[Text]:
    """A line about each example, and below it the texts, each after its name."""
    from rich.text import Text

    shown = [shortened(visible(name), LONGEST_NAME) for name in names]
    margin = max(map(len, shown)) + 6
    for each in changed:
        yield line("")
        where = line(f"  {each.slice}" if each.slice else "", QUIET)
        yield Text.assemble("  ", line(str(each.id), "bold"), "  ", line(_scores(each), style), where)
        for name, text in zip(shown, _texts(each), strict=True):
            first, *others = wrapped(line(text), max(page.width - margin, 1)).split("\n")
            yield Text.assemble(line(f"    {name:<{margin - 6}}  ", QUIET), first)
            yield from (Text.assemble(" " * margin, other) for other in others)
    yield line("")


def _scores(change: ExampleChange) -> str:
    return f"{change.baseline_score:.2f} -> {change.system_score:.2f}"


def _texts(change: ExampleChange) -> list[str]:
    """Both answers and the references, named where they are nothing and shortened where they are long."""
    references = " / ".join(dict.fromkeys(map(str, change.references))) or "(no answer)"
    answers = [str(text) or "(empty)" for text in (change.baseline_prediction, change.system_prediction)]
    return [shortened(text, LONGEST) for text in (*answers, references)]


def shortened(text: str, most: int) -> str:
    """The text, or as many of its words as have room, and three dots.

    >>> shortened("one two three", 11)
    'one two ...'
    """
    if len(text) <= most:
        return text
    kept, space, _ = text[: most - 3].rpartition(" ")
    return f"{kept if space else text[: most - 4]} ..."
