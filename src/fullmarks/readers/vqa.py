"""VQA annotation and question files."""

from __future__ import annotations

from typing import Any

import msgspec

from fullmarks.errors import InputError
from fullmarks.readers.documents import read_document
from fullmarks.readers.source import Source
from fullmarks.types import Gold, Identifier

SHAPE = '{"annotations": [{"question_id": ..., "answers": [{"answer": ...}]}]}'
QUESTION_SHAPE = '{"questions": [{"question_id": ..., "question": ...}]}'


class _Answer(msgspec.Struct, gc=False):
    answer: str


class _Annotation(msgspec.Struct, gc=False):
    question_id: int | str
    answers: list[_Answer]
    image_id: int | str | None = None
    question_type: str | None = None
    answer_type: str | None = None


class _Annotations(msgspec.Struct, gc=False):
    annotations: list[_Annotation]


class _Question(msgspec.Struct, gc=False):
    question_id: int | str
    question: str


class _Questions(msgspec.Struct, gc=False):
    questions: list[_Question]


def read_annotations(source: Source) -> Gold:
    """Every annotated question in file order, with its image and the types it has as columns."""
    annotations = read_document(source, msgspec.json.Decoder(_Annotations), SHAPE).annotations
    columns: dict[str, list[Any]] = {
        "image_id": [annotation.image_id for annotation in annotations],
        "question_type": [annotation.question_type for annotation in annotations],
        "answer_type": [annotation.answer_type for annotation in annotations],
    }
    return Gold(
        [annotation.question_id for annotation in annotations],
        [[answer.answer for answer in annotation.answers] for annotation in annotations],
        {name: values for name, values in columns.items() if any(value is not None for value in values)},
    )


def read_questions(source: Source) -> dict[Identifier, str]:
    """The text of every question by id."""
    questions = read_document(source, msgspec.json.Decoder(_Questions), QUESTION_SHAPE).questions
    texts: dict[Identifier, str] = {question.question_id: question.question for question in questions}
    if not texts:
        raise InputError(source.name, "there is no question in it", f"Expected {QUESTION_SHAPE}.")
    return texts
