"""Gold answers of the generic protocol: lists of acceptable answers, by position or by id."""

from __future__ import annotations

from typing import Any

from fullmarks.errors import InputError
from fullmarks.readers.alignment import AS_CHARACTERS, LONE_TEXTS
from fullmarks.readers.documents import Pairs, kind_of, read_plain
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Gold, Identifier

SHAPE = 'Expected [["an answer", "another"], ...], {"id": ["an answer", ...]} or a table'


def read_gold_answers(source: Source, audit: Audit) -> Gold:
    """The acceptable answers of every question.

    A text in a list by position is taken as its characters, as the published classes do; by id, where there are no
    published classes, it stands for a list of one.
    """
    document = read_plain(source, pairs=True)
    if isinstance(document, dict):
        document = Pairs(document.items())
    if isinstance(document, Pairs) and [key for key, _ in document] == ["gold_answers"]:
        document = document[0][1]
    items: list[tuple[Identifier, Any]]
    if isinstance(document, Pairs):
        items = list(document)
    elif isinstance(document, (list, tuple)):
        lone = [position for position, answers in enumerate(document) if isinstance(answers, str)]
        if lone:
            audit.add(LONE_TEXTS, "warning", lone, detail=AS_CHARACTERS, where=source.name)
        items = [(at, list(answers) if isinstance(answers, str) else answers) for at, answers in enumerate(document)]
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
