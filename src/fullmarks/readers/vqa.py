"""VQA annotation and question files.

The published program compares whole records of annotators. Where all have ids of their own no two are equal, and the
other fields are never looked at; otherwise the file is decoded once more with every field.
"""

from __future__ import annotations

from typing import Any

import msgspec

from fullmarks.errors import InputError
from fullmarks.readers.documents import collector_paused, read_document
from fullmarks.readers.source import Source
from fullmarks.types import RECORD_KINDS, Gold, Identifier

SHAPE = '{"annotations": [{"question_id": ..., "answers": [{"answer": ...}]}]}'
QUESTION_SHAPE = '{"questions": [{"question_id": ..., "question": ...}]}'


class _Answer(msgspec.Struct, gc=False):
    answer: str
    answer_id: Any = None


class _Annotation(msgspec.Struct, gc=False):
    question_id: int | str
    answers: list[_Answer]
    image_id: int | str | None = None
    question_type: str | None = None
    answer_type: str | None = None


class _Annotations(msgspec.Struct, gc=False):
    annotations: list[_Annotation]


class _Recorded(msgspec.Struct, gc=False):
    answers: list[dict[str, Any]]


class _Records(msgspec.Struct, gc=False):
    annotations: list[_Recorded]


class _Question(msgspec.Struct, gc=False):
    question_id: int | str
    question: str


class _Questions(msgspec.Struct, gc=False):
    questions: list[_Question]


def read_annotations(source: Source) -> Gold:
    """Every annotated question in file order: image and types are columns, the kinds of records a fact."""
    with collector_paused():
        return _as_gold(read_document(source, msgspec.json.Decoder(_Annotations), SHAPE).annotations, source)


def _as_gold(annotations: list[_Annotation], source: Source) -> Gold:
    columns: dict[str, list[Any]] = {
        "image_id": [annotation.image_id for annotation in annotations],
        "question_type": [annotation.question_type for annotation in annotations],
        "answer_type": [annotation.answer_type for annotation in annotations],
    }
    facts: dict[str, list[Any]] = {}
    if not _have_distinct_ids(annotations):
        records = read_document(source, msgspec.json.Decoder(_Records), SHAPE).annotations
        kinds = [_record_kinds(annotation.answers) for annotation in records]
        facts = {RECORD_KINDS: kinds} if any(kinds) else {}
    return Gold(
        [annotation.question_id for annotation in annotations],
        [[answer.answer for answer in annotation.answers] for annotation in annotations],
        {name: values for name, values in columns.items() if any(value is not None for value in values)},
        facts,
    )


def _have_distinct_ids(annotations: list[_Annotation]) -> bool:
    """Whether the annotators of every question have ids that all differ."""
    distinct: list[Any] = []
    for annotation in annotations:
        ids = [answer.answer_id for answer in annotation.answers]
        if ids == distinct:  # nearly always, for annotators are numbered alike
            continue
        try:
            if len(set(ids)) < len(ids):
                return False
        except TypeError:  # lists or objects; the records themselves tell
            return False
        distinct = ids
    return True


def _record_kinds(records: list[dict[str, Any]]) -> list[int] | None:
    """For every record the place of the first whose fields but the answer are equal; None if those of all differ."""
    others = [{name: value for name, value in record.items() if name != "answer"} for record in records]
    first: dict[Any, int] = {}
    try:
        kinds = [first.setdefault(frozenset(other.items()), place) for place, other in enumerate(others)]
    except TypeError:  # a field holds a list or an object
        kinds = [others.index(other) for other in others]
    return kinds if len(set(kinds)) < len(kinds) else None


def read_questions(source: Source) -> dict[Identifier, str]:
    """The text of every question by id."""
    questions = read_document(source, msgspec.json.Decoder(_Questions), QUESTION_SHAPE).questions
    texts: dict[Identifier, str] = {question.question_id: question.question for question in questions}
    if not texts:
        raise InputError(source.name, "there is no question in it", f"Expected {QUESTION_SHAPE}.")
    return texts
