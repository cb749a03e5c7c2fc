"""Paragraphs in the report page: packed in blocks, each paragraph once with the marks of all examples about it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fullmarks.analysis.contexts import Contexts

PARAGRAPHS = 64
"""Paragraphs that are packed together: one look costs the unpacking of so many."""


def context_blocks(contexts: Contexts) -> Iterator[list[list[Any]]]:
    """Blocks of paragraphs, each as its text and the places of answers by the position of their example."""
    marks: list[dict[int, list[tuple[int, int]]]] = [{} for _ in contexts.texts]
    for at, (place, own) in enumerate(zip(contexts.of_example, contexts.marks, strict=True)):
        if place is not None and own:
            marks[place][at] = own
    told = [list(each) for each in zip(contexts.texts, marks, strict=True)]
    for start in range(0, len(told), PARAGRAPHS):
        yield told[start : start + PARAGRAPHS]
