"""POPE's answers brought to its labels: by id, by image and question, or by position where every question is the same.

Invariant: no answer meets the label of another question. Where the answers tell their question, it is compared,
whatever they were paired by; what tells neither an id nor a question is not paired at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from fullmarks.errors import InputError, MismatchError, UsageError
from fullmarks.readers.alignment import Gaps, align
from fullmarks.readers.documents import check_pairs_by, kind_of
from fullmarks.readers.predictions import NOT_STRINGS, TakenById, ids_like
from fullmarks.readers.records import read_values
from fullmarks.readers.source import Source
from fullmarks.readers.tables.table import is_table
from fullmarks.types import Audit, Examples, FindingKind, Gold, Identifier

BY_POSITION = FindingKind("paired-by-position", "answers paired by position")
QUESTIONS = ("question", "prompt")
ANSWERS = ("answer", "prediction", "text")
_ADVICE = "Give every answer its question_id or its image, or LLaVA's question file with --questions."


class Answer(Struct, frozen=True):
    """One answer and what it tells of its question."""

    id: Identifier | None
    image: str | None
    question: str | None
    text: Any
    category: str | None = None


def answer_rows(source: Source) -> list[dict[str, Any]] | None:
    """The rows of a file of answers, POPE's or LLaVA's; None where it is something else, such as a table or a log."""
    if is_table(source) and not source.is_json_lines and not source.is_object:
        return None
    values = source.object if source.is_object else read_values(source)
    values = list(values) if isinstance(values, (tuple, Iterator)) else values
    if isinstance(values, dict) and _answer_field(values) is not None:
        values = [values]
    first = values[0] if isinstance(values, list) and values else None
    is_known = isinstance(first, dict) and any(name in first for name in ("question_id", *QUESTIONS))
    return values if is_known and _answer_field(first) is not None else None


def read_answers(rows: list[dict[str, Any]], name: str) -> list[Answer]:
    """The rows as answers."""
    found = []
    for number, row in enumerate(rows, start=1):
        field = _answer_field(row) if isinstance(row, dict) else None
        if field is None:
            problem = f"expected an object with 'answer' or 'text', found {kind_of(row)}"
            raise InputError(f"{name}: record {number}", problem, "Write one object per answer.")
        _check_fields(row, ("question_id", "image"), f"{name}: record {number}")
        question = next((row[other] for other in (*QUESTIONS, "text") if other in row and other != field), None)
        found.append(Answer(row.get("question_id"), row.get("image"), question, row[field]))
    return found


def _check_fields(row: dict[str, Any], fields: Sequence[str], where: str) -> None:
    for field in fields:
        check_pairs_by(field, row.get(field), where)


def _answer_field(row: Any) -> str | None:
    return next((name for name in ANSWERS if name in row), None)


def check_labels_can_pair(gold: Gold, name: str) -> None:
    """An error where the image or the question of a label is a list or an object."""
    for identifier, image, question in zip(gold.ids, _images(gold), _questions(gold), strict=True):
        _check_fields({"image": image, "text": question}, ("image", "text"), f"{name}: question {identifier!r}")


def with_questions(answers: list[Answer], source: Source, name: str) -> list[Answer]:
    """The answers with image, question and category from LLaVA's question file, whose ids they have."""
    known = {}
    for number, row in enumerate(_rows(read_values(source)), start=1):
        _check_fields(row, ("question_id", "image", "text", "category"), f"{source.name}: record {number}")
        known[row.get("question_id")] = row
    unknown = [answer.id for answer in answers if answer.id not in known]
    if unknown:
        problem = f"{len(unknown)} answers have ids that are not in {source.name}, the first {unknown[0]!r}"
        raise MismatchError(name, problem, "Pass the question file that the answers were made with.")
    told = []
    for answer in answers:
        row = known[answer.id]
        if not _is_same(answer.question, row.get("text")):
            problem = f"the question of {answer.id!r} is {answer.question!r}, in {source.name} {row.get('text')!r}"
            raise MismatchError(name, problem, "Pass the question file that the answers were made with.")
        told.append(Answer(None, row.get("image"), row.get("text"), answer.text, row.get("category")))
    return told


def _rows(values: Any) -> list[dict[str, Any]]:
    """The objects of a list; a single one is a list of one."""
    return [row for row in (values if isinstance(values, list) else [values]) if isinstance(row, dict)]


def of_category(answers: list[Answer], gold: Gold, wanted: str | None, name: str) -> list[Answer]:
    """The answers of one category: the one asked for, otherwise the one that has exactly the gold's questions."""
    groups: dict[str | None, list[Answer]] = {}
    for answer in answers:
        groups.setdefault(answer.category, []).append(answer)
    questions = list(zip(_images(gold), _questions(gold), strict=True))
    if wanted is None:
        same = [each for each, group in groups.items() if [(one.image, one.question) for one in group] == questions]
        if len(same) != 1:
            known = set(questions)
            shown = ", ".join(
                f"'{each}' {sum((one.image, one.question) in known for one in group)} of {len(group)}"
                for each, group in groups.items()
            )
            problem = f"no single category has exactly the {len(questions)} questions of the gold; shared are {shown}"
            raise MismatchError(name, problem, "Check the gold file, or say which it is: --category NAME.")
        return groups[same[0]]
    if wanted not in groups:
        known_names = ", ".join(f"'{each}'" for each in groups)
        raise UsageError(f"the questions have no category '{wanted}'. Known: {known_names}")
    return groups[wanted]


def pair(gold: Gold, answers: list[Answer], audit: Audit, gaps: Gaps, names: tuple[str, str]) -> Examples:
    """The questions of the gold, each with its answer."""
    if not answers:
        return align(gold, {}, audit, gaps, gold_name=names[0], name=names[1])
    given = _by_id(gold, answers)
    if given is None:
        given = _by_image(gold, answers)
    if given is None:
        given = _by_position(gold, answers, gaps, names)
        audit.add(BY_POSITION, "note", count=len(answers), detail="each has the question of its label", where=names[1])
    texts = TakenById(audit, gaps.on_duplicate, names[1])
    for identifier, answer in zip(given, answers, strict=True):
        if not isinstance(answer.text, str):
            detail = f"{identifier!r} has {kind_of(answer.text)}"
            audit.add(NOT_STRINGS, "error", [identifier], where=names[1], detail=detail)
        texts.put(identifier, answer.text if isinstance(answer.text, str) else "")
    return align(gold, texts.values, audit, gaps, gold_name=names[0], name=names[1])


def _by_id(gold: Gold, answers: list[Answer]) -> list[Identifier] | None:
    """The ids of the answers, if they are the gold's: some meet, and no question contradicts."""
    ids = [answer.id for answer in answers]
    if not all(isinstance(each, (str, int)) and not isinstance(each, bool) for each in ids):
        return None
    places = {identifier: at for at, identifier in enumerate(gold.ids)}
    like = ids_like(gold.ids, {each: each for each in ids if each is not None})
    meant = {before: after for after, before in like.items()}
    found = [meant[each] for each in ids if each is not None]
    told = any(answer.question is not None for answer in answers)
    if told and places.keys().isdisjoint(found):
        return None
    questions = _questions(gold)
    for identifier, answer in zip(found, answers, strict=True):
        if identifier in places and not _is_same(answer.question, questions[places[identifier]]):
            return None
    return found


def _by_image(gold: Gold, answers: list[Answer]) -> list[Identifier] | None:
    """The ids of the questions with the same image and text, if all answers tell both and that is one question."""
    if not all(answer.image is not None and answer.question is not None for answer in answers):
        return None
    asked = zip(_images(gold), _questions(gold), gold.ids, strict=True)
    ids = {(image, _first_line(text)): each for image, text, each in asked}
    if len(ids) < len(gold.ids):
        return None
    keys = [(answer.image, _first_line(answer.question)) for answer in answers]
    return [ids.get(key, f"{key[0]} {key[1]}") for key in keys]


def _by_position(gold: Gold, answers: list[Answer], gaps: Gaps, names: tuple[str, str]) -> list[Identifier]:
    """The ids in the gold's order, if every answer has the question that stands there."""
    questions = _questions(gold)
    if any(answer.question is None for answer in answers) or None in questions:
        problem = "the answers tell neither the gold's ids nor their questions, so nothing says what belongs together"
        raise MismatchError(names[1], problem, _ADVICE)
    both = enumerate(zip(answers, questions, strict=False), start=1)
    other = next((at for at, (answer, question) in both if not _is_same(answer.question, question)), None)
    if other is not None:
        problem = f"record {other} asks {answers[other - 1].question!r}, the label there {questions[other - 1]!r}"
        raise MismatchError(names[1], f"not the questions of {names[0]}: {problem}", _ADVICE)
    if len(answers) > len(questions) or (len(answers) < len(questions) and gaps.on_missing == "error"):
        problem = f"{len(answers)} answers without the gold's ids for {len(questions)} questions"
        more = " Or pass --on-missing skip, if only the last ones are missing." if len(answers) < len(questions) else ""
        raise MismatchError(names[1], problem, _ADVICE + more)
    return gold.ids[: len(answers)]


def _images(gold: Gold) -> Sequence[Any]:
    return gold.columns.get("image") or [None] * len(gold.ids)


def _questions(gold: Gold) -> Sequence[Any]:
    return gold.columns.get("question") or [None] * len(gold.ids)


def _first_line(text: Any) -> str:
    """A question without what LLaVA's prompts add to it."""
    return str(text).split("\n", 1)[0].strip()


def _is_same(told: Any, question: Any) -> bool:
    return told is None or question is None or _first_line(told) == _first_line(question)
