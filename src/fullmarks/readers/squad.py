"""SQuAD gold files, 1.1 and 2.0. Contexts are never built: the typed decode steps over them."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import msgspec

from fullmarks.errors import InputError
from fullmarks.readers.documents import read_document
from fullmarks.readers.source import Source
from fullmarks.types import Gold

SHAPE = '{"data": [{"paragraphs": [{"qas": [{"id": ..., "answers": [{"text": ...}]}]}]}]}'


class _Answer(msgspec.Struct, gc=False):
    text: str


class _Question(msgspec.Struct, gc=False):
    id: str
    answers: list[_Answer]
    question: str = ""


class _Paragraph(msgspec.Struct, gc=False):
    qas: list[_Question]


class _Article(msgspec.Struct, gc=False):
    paragraphs: list[_Paragraph]
    title: str = ""


class _Document(msgspec.Struct, gc=False):
    data: list[_Article] | msgspec.UnsetType = msgspec.UNSET


def read_squad(source: Source) -> Gold:
    """Every question of the file in file order; as columns its title, its paragraph (numbered through the file from 0),
    its text and whether it has an answer.
    """
    articles = read_document(source, msgspec.json.Decoder(_Document), SHAPE).data
    if isinstance(articles, msgspec.UnsetType):
        advice = f"Expected {SHAPE} (are GOLD and PREDICTIONS swapped?)."
        raise InputError(source.name, "at the top: the field 'data' is missing", advice)
    paragraphs = [(article.title, paragraph.qas) for article in articles for paragraph in article.paragraphs]
    questions = [question for _, asked in paragraphs for question in asked]
    text_of = attrgetter("text")
    references = [list(map(text_of, question.answers)) for question in questions]
    columns: dict[str, list[Any]] = {
        "has_answer": list(map(bool, references)),
        "title": [title for title, asked in paragraphs for _ in asked],
        "paragraph": [number for number, (_, asked) in enumerate(paragraphs) for _ in asked],
        "question": list(map(attrgetter("question"), questions)),
    }
    if not any(columns["question"]):
        del columns["question"]
    return Gold(list(map(attrgetter("id"), questions)), references, columns)
