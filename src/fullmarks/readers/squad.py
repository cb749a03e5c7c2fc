"""SQuAD gold files, 1.1 and 2.0. Contexts are never built: the typed decode steps over them."""

from __future__ import annotations

import msgspec

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
    data: list[_Article]


def read_squad(source: Source) -> Gold:
    """Every question of the file in file order; as columns its title, its paragraph (numbered through the file from 0),
    its text and whether it has an answer.
    """
    document = read_document(source, msgspec.json.Decoder(_Document), SHAPE)
    gold = Gold([], [], {"has_answer": [], "title": [], "paragraph": []})
    titles, paragraphs = gold.columns["title"], gold.columns["paragraph"]
    texts: list[str] = []
    number = 0
    for article in document.data:
        for paragraph in article.paragraphs:
            paragraphs.extend([number] * len(paragraph.qas))
            number += 1
            for question in paragraph.qas:
                gold.ids.append(question.id)
                gold.references.append([answer.text for answer in question.answers])
                titles.append(article.title)
                texts.append(question.question)
    gold.columns["has_answer"] = [bool(references) for references in gold.references]
    if any(texts):
        gold.columns["question"] = texts
    return gold
