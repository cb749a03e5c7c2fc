"""SQuAD gold files, 1.1 and 2.0. Contexts are never built: the typed decode steps over them.

Titles and questions may be anything: the published scripts do not read them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat
from operator import attrgetter
from typing import Any

import msgspec

from fullmarks.errors import InputError
from fullmarks.readers.documents import read_document
from fullmarks.readers.objects import columns_of, inner_texts
from fullmarks.readers.source import Source
from fullmarks.types import Gold

SHAPE = '{"data": [{"paragraphs": [{"qas": [{"id": ..., "answers": [{"text": ...}]}]}]}]}'


class _Answer(msgspec.Struct, gc=False):
    text: str


class _Question(msgspec.Struct, gc=False):
    id: str
    answers: list[_Answer]
    question: Any = ""


class _Paragraph(msgspec.Struct, gc=False):
    qas: list[_Question]


class _Article(msgspec.Struct, gc=False):
    paragraphs: list[_Paragraph]
    title: Any = ""


class _Document(msgspec.Struct, gc=False):
    data: list[_Article] | msgspec.UnsetType = msgspec.UNSET


def read_squad(source: Source) -> Gold:
    """Every question of the file in file order; as columns its title, its paragraph (numbered through the file from 0),
    its text and whether it has an answer.
    """
    if source.is_object and (gold := _taken_out(source.object)) is not None:
        return gold
    articles = read_document(source, msgspec.json.Decoder(_Document), SHAPE).data
    if isinstance(articles, msgspec.UnsetType):
        advice = f"Expected {SHAPE} (are GOLD and PREDICTIONS swapped?)."
        raise InputError(source.name, "at the top: the field 'data' is missing", advice)
    paragraphs = [paragraph.qas for article in articles for paragraph in article.paragraphs]
    titles = [article.title for article in articles for _ in article.paragraphs]
    questions = list(chain.from_iterable(paragraphs))
    text_of = attrgetter("text")
    references = [list(map(text_of, question.answers)) for question in questions]
    ids, asked = list(map(attrgetter("id"), questions)), list(map(attrgetter("question"), questions))
    return _gold(ids, references, asked, titles, list(map(len, paragraphs)))


class _UnlikeError(Exception):
    """Plain objects that are not all as they have to be."""


def _taken_out(document: Any) -> Gold | None:
    """The same from plain objects that are all as they have to be; None from others, whose errors the decoder tells."""
    try:
        ((articles,),) = _fields([document], data=list)
        titles, by_article = _fields(articles, title=str, paragraphs=list)
        (by_paragraph,) = _fields(list(chain.from_iterable(by_article)), qas=list)
        ids, asked, answers = _fields(list(chain.from_iterable(by_paragraph)), id=str, question=str, answers=list)
    except _UnlikeError:
        return None
    references = inner_texts(answers, "text")
    if references is None:
        return None
    titles = list(chain.from_iterable(map(repeat, titles, map(len, by_article))))
    return _gold(ids, references, asked, titles, list(map(len, by_paragraph)))


def _fields(objects: list[Any], **kinds: type) -> list[list[Any]]:
    """What the objects have under each name, if all of it is of the kind that goes with the name."""
    columns = columns_of(objects, tuple(kinds), tuple(kinds.values()))
    if columns is None:
        raise _UnlikeError
    return columns


def _gold(
    ids: list[Any], references: list[list[str]], asked: list[Any], titles: Sequence[Any], counts: list[int]
) -> Gold:
    """The questions with their columns; titles and counts of questions are those of the paragraphs."""
    columns: dict[str, list[Any]] = {
        "has_answer": list(map(bool, references)),
        "title": list(chain.from_iterable(map(repeat, titles, counts))),
        "paragraph": list(chain.from_iterable(map(repeat, range(len(counts)), counts))),
        "question": asked,
    }
    if not any(asked):
        del columns["question"]
    return Gold(ids, references, columns)
