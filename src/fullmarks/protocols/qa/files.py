"""Gold answers of the generic protocol: lists of acceptable answers, by position or by id."""

from __future__ import annotations

from typing import Any

from fullmarks.errors import InputError
from fullmarks.readers.documents import Pairs, kind_of, read_plain
from fullmarks.readers.source import Source
from fullmarks.types import Gold, Identifier

SHAPE = 'Expected [["an answer", "another"], ...], {"id": ["an answer", ...]} or a table'


def read_gold_answers(source: Source) -> Gold:
    """The acceptable answers of every question; one text stands for a list of one."""
    document = read_plain(source, pairs=True)
    if isinstance(document, dict):
        document = Pairs(document.items())
    if isinstance(document, Pairs) and [key for key, _ in document] == ["gold_answers"]:
        document = document[0][1]
    items: list[tuple[Identifier, Any]]
    if isinstance(document, Pairs):
        items = list(document)
    elif isinstance(document, (list, tuple)):
        items = list(enumerate(document))
    else:
        raise InputError(source.name, f"found {kind_of(document)}", f"{SHAPE}.")
    return Gold([key for key, _ in items], [_answers(value, key, source.name) for key, value in items])


def _answers(value: Any, key: Identifier, name: str) -> list[str]:
    answers = [value] if isinstance(value, str) else value
    if isinstance(answers, Pairs) or not isinstance(answers, (list, tuple)):
        raise InputError(f"{name}: [{key!r}]", f"expected a list of answers, found {kind_of(value)}", f"{SHAPE}.")
    for answer in answers:
        if not isinstance(answer, str):
            raise InputError(f"{name}: [{key!r}]", f"expected answers as strings, found {kind_of(answer)}", f"{SHAPE}.")
    return list(answers)
