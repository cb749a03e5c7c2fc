"""The paragraphs that questions are about, read from a gold file once more: runs are saved without them.

A question's paragraph is the nearest one at or above it in the file: SQuAD's `context` beside the `qas`, DROP's
`passage` beside the `qa_pairs`, the `context` of a flat record. Each distinct paragraph is kept once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fullmarks.errors import InputError, UsageError
from fullmarks.readers.documents import collector_paused
from fullmarks.readers.records import read_values
from fullmarks.readers.source import Source
from fullmarks.readers.tables.columns import Chooser
from fullmarks.readers.tables.table import is_table, read_blocks
from fullmarks.types import FIRST_IDS, Identifier

TEXTS = ("context", "passage", "paragraph_text")
"""The fields that hold a paragraph: a text, or HotpotQA's pairs of a title and its sentences."""

IDENTIFIERS = ("id", "query_id", "question_id", "_id", "qid")

ANSWERS = ("answers", "detected_answers")

MOST_CHARACTERS = 64_000_000
"""How long all paragraphs of a page may be together: beyond this browsers open it too slowly."""

Mark = tuple[int, int]
"""Where an answer begins in its paragraph, in characters, and how long it is."""


@dataclass(frozen=True)
class Contexts:
    """The distinct paragraphs, and for each question the position of its own and the places of its answers."""

    texts: list[str] = field(default_factory=list)
    of_example: list[int | None] = field(default_factory=list)
    marks: list[list[Mark]] = field(default_factory=list)


NO_CONTEXTS = Contexts()


def read_contexts(origin: Any, ids: Sequence[Identifier]) -> Contexts:
    """The paragraphs of the questions with these ids, from a gold file in JSON, JSON lines or a table.

    Questions that the file does not have are without one; a file that has none of them is an error.
    """
    source = Source(origin, "context")
    found: dict[str, tuple[str, list[Mark]]] = {}
    wanted = set(map(str, ids))
    for identifier, text, marks in _told(source):
        if identifier in wanted:
            found.setdefault(identifier, (text, marks))
    if not found:
        first = ", ".join(repr(identifier) for identifier in ids[:FIRST_IDS])
        raise InputError(
            source.name,
            f"no question of the runs has a paragraph in it (their first ids: {first})",
            f"Pass the gold file that they were scored against, with a field {' or '.join(TEXTS[:2])}.",
        )
    return _together([found.get(str(identifier)) for identifier in ids])


def contexts_of_column(texts: Sequence[Any]) -> Contexts:
    """The same from a column of the runs; what is no text is no paragraph, and no answer has a place."""
    return _together([(text, []) if isinstance(text, str) and text else None for text in texts])


def _together(found: Sequence[tuple[str, list[Mark]] | None]) -> Contexts:
    places: dict[str, int] = {}
    of_example = [None if each is None else places.setdefault(each[0], len(places)) for each in found]
    length = sum(map(len, places))
    if length > MOST_CHARACTERS:
        raise UsageError(
            f"the paragraphs have {length:,} characters together, too many for one page (at most {MOST_CHARACTERS:,}). "
            "Leave them out, or report fewer examples (score with --limit)"
        )
    return Contexts(list(places), of_example, [[] if each is None else each[1] for each in found])


def _told(source: Source) -> Iterator[tuple[str, str, list[Mark]]]:
    """Every question's id, paragraph and places of its answers."""
    if not source.is_object and is_table(source) and not source.is_json_lines:
        for block in read_blocks(source, Chooser(_columns, (*IDENTIFIERS, *TEXTS, *ANSWERS))):
            rows = zip(*block.columns.values(), strict=True)
            for row in rows:
                yield from _walk(dict(zip(block.columns, row, strict=True)))
        return
    with collector_paused():
        yield from _walk(read_values(source))


def _columns(available: list[str]) -> dict[str, str]:
    """Id, paragraph and answers among a table's columns, under their own names."""
    chosen = (next((name for name in names if name in available), None) for names in (IDENTIFIERS, TEXTS, ANSWERS))
    return {name: name for name in chosen if name is not None}


def _walk(document: Any) -> Iterator[tuple[str, str, list[Mark]]]:
    """The questions in a document, in its order; without recursion, for a file may be nested as it likes."""
    left: list[tuple[Any, str]] = [(document, "")]
    while left:
        value, above = left.pop()
        if isinstance(value, list):
            left += [(each, above) for each in reversed(value) if isinstance(each, (dict, list))]
        elif isinstance(value, dict):
            text = next((read for name in TEXTS if name in value and (read := _text(value[name]))), above)
            identifier = next((value[name] for name in IDENTIFIERS if name in value), None)
            if text and isinstance(identifier, (str, int)) and not isinstance(identifier, bool):
                yield str(identifier), text, _marks(value, text)
            inner = (each for name, each in value.items() if name not in TEXTS)
            left += [(each, text) for each in reversed(list(inner)) if isinstance(each, (dict, list))]


def _text(value: Any) -> str:
    """A paragraph as one text: as it is, or the sentences of each title after it."""
    if isinstance(value, str):
        return value
    parts = []
    for each in value if isinstance(value, list) else ():
        if isinstance(each, str):
            parts.append(each)
        elif isinstance(each, list) and len(each) == 2 and isinstance(each[0], str) and isinstance(each[1], list):
            parts.append(f"{each[0]}: {''.join(sentence for sentence in each[1] if isinstance(sentence, str))}")
    return "\n\n".join(parts)


def _marks(question: Mapping[str, Any], text: str) -> list[Mark]:
    """Where the answers stand in the paragraph, each place once; one whose words are not there is left out."""
    answers = next((question[name] for name in ANSWERS if name in question), None)
    if isinstance(answers, dict):  # a column of texts and one of places
        words, places = answers.get("text"), answers.get("answer_start")
        pairs = list(zip(words, places, strict=False)) if isinstance(words, list) and isinstance(places, list) else []
    else:
        known = [each for each in answers if isinstance(each, dict)] if isinstance(answers, list) else []
        pairs = [(each.get("text"), each.get("answer_start")) for each in known]
    return sorted({(start, len(words)) for words, start in pairs if _stands(words, start, text)})


def _stands(words: Any, start: Any, text: str) -> bool:
    if not isinstance(words, str) or not words or not isinstance(start, int) or isinstance(start, bool):
        return False
    return start >= 0 and text.startswith(words, start)
