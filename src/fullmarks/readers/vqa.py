"""VQA annotation and question files.

The published program compares whole records of annotators. Where all have ids of their own no two are equal, and the
other fields are never looked at; otherwise the file is decoded once more with every field.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from fullmarks.errors import InputError
from fullmarks.readers.documents import collector_paused, read_document
from fullmarks.readers.objects import columns_of, inner_texts
from fullmarks.readers.source import Source
from fullmarks.types import RECORD_KINDS, Gold, Identifier

SHAPE = '{"annotations": [{"question_id": ..., "answers": [{"answer": ...}]}]}'
QUESTION_SHAPE = '{"questions": [{"question_id": ..., "question": ...}]}'

_KINDS: dict[str, set[type]] = {
    "question_id": {int, str},
    "answers": {list},
    "image_id": {int, str, type(None)},
    "question_type": {str, type(None)},
    "answer_type": {str, type(None)},
}
"""What the fields of a question may hold."""


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
        if source.is_object and (gold := _taken_out(source.object)) is not None:
            return gold
        return _as_gold(read_document(source, msgspec.json.Decoder(_Annotations), SHAPE).annotations, source)


def _as_gold(annotations: list[_Annotation], source: Source) -> Gold:
    columns: dict[str, list[Any]] = {
        "image_id": [annotation.image_id for annotation in annotations],
        "question_type": [annotation.question_type for annotation in annotations],
        "answer_type": [annotation.answer_type for annotation in annotations],
    }
    facts: dict[str, list[Any]] = {}
    if not _have_distinct_ids([answer.answer_id for answer in each.answers] for each in annotations):
        records = read_document(source, msgspec.json.Decoder(_Records), SHAPE).annotations
        kinds = [_record_kinds(annotation.answers) for annotation in records]
        facts = {RECORD_KINDS: kinds} if any(kinds) else {}
    return Gold(
        [annotation.question_id for annotation in annotations],
        [[answer.answer for answer in annotation.answers] for annotation in annotations],
        _known(columns),
        facts,
    )


def _taken_out(document: Any) -> Gold | None:
    """The same from plain objects that are all as they have to be, annotators with ids of their own; None from others.

    What is wrong with those, or which records are alike, the decoder tells.
    """
    tops = columns_of([document], ("annotations",), (list,))
    found = None if tops is None else columns_of(tops[0][0], tuple(_KINDS))
    if found is None or not all(map(_are_of, found, _KINDS.values())):
        return None
    ids, answers, *others = found
    references = inner_texts(answers, "answer", "answer_id")
    speaking = answers[:1]  # where all are numbered as those of the first question, that one speaks for them
    if references is None:
        references, speaking = inner_texts(answers, "answer"), answers
    if references is None or not _have_distinct_ids([each.get("answer_id") for each in given] for given in speaking):
        return None
    return Gold(ids, references, _known(dict(zip(list(_KINDS)[2:], others, strict=True))))


def _are_of(values: list[Any], kinds: set[type]) -> bool:
    return set(map(type, values)) <= kinds


def _known(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """The columns that some question has."""
    return {name: values for name, values in columns.items() if values.count(None) < len(values)}


def _have_distinct_ids(annotators: Iterable[list[Any]]) -> bool:
    """Whether the annotators of every question have ids that all differ."""
    distinct: list[Any] = []
    for ids in annotators:
        if ids == distinct:  # nearly always, for annotators are numbered alike
            continue
        try:
            if len(set(ids)) < len(ids):
                return False
        except TypeError:  # lists or objects; the records themselves tell
            return False
        distinct = ids
    return True


def kinds_of_records(records: list[list[Any]]) -> dict[str, list[Any]]:
    """The fact that tells which records of annotators are equal; none where no two are, or they are plain texts."""
    if all(map(_have_ids, records)) and _have_distinct_ids([each["answer_id"] for each in own] for own in records):
        return {}
    kinds = [_record_kinds(own) if all(isinstance(each, dict) for each in own) else None for own in records]
    return {RECORD_KINDS: kinds} if any(kinds) else {}


def _have_ids(records: list[Any]) -> bool:
    return all(isinstance(record, dict) and "answer_id" in record for record in records)


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
