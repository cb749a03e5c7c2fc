"""CoQA's files: stories with turns and several annotators; predictions as rows with story, turn and answer.

The id of a turn is that of its story and its number, joined by a blank.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from fullmarks.errors import InputError
from fullmarks.protocols.coqa.rules import DOMAINS
from fullmarks.readers.documents import Pairs, kind_of, looks_like_lines, read_document
from fullmarks.readers.records import read_values
from fullmarks.readers.repeated_keys import refuse_repeated_keys
from fullmarks.readers.source import Source
from fullmarks.readers.tables.table import is_table
from fullmarks.types import Audit, FindingKind, Gold

SHAPE = (
    '{"data": [{"id": ..., "source": ..., "questions": [{"turn_id": 1}], '
    '"answers": [{"input_text": ..., "turn_id": 1}], '
    '"additional_answers": {annotator: [{"input_text": ..., "turn_id": 1}]}}]}'
)
OTHER_NUMBERS = FindingKind(
    "displaced-turns",
    "turns whose turn_id is not their position in the story, in the question or in an answer",
    "Number the turns of every story from 1",
)
OTHER_TURNS = FindingKind(
    "bad-turn-ids",
    "predictions whose turn_id is not a whole number, as that of every question is",
    "Write turn_id as a number, without quotes",
)


class _Question(msgspec.Struct, gc=False):
    turn_id: int
    input_text: Any = ""


class _Answer(msgspec.Struct, gc=False):
    input_text: str
    turn_id: int


class _Story(msgspec.Struct, gc=False):
    id: str | int
    source: str
    questions: list[_Question]
    answers: list[_Answer]
    additional_answers: dict[str, list[_Answer]]


class _Document(msgspec.Struct, gc=False):
    data: list[_Story] | msgspec.UnsetType = msgspec.UNSET


class _Row(msgspec.Struct, gc=False):
    id: str | int
    turn_id: int
    answer: str


_documents = msgspec.json.Decoder(_Document)
_rows = msgspec.json.Decoder(list[_Row])


def read_coqa(source: Source, audit: Audit) -> Gold:
    """Every turn in file order, its references the answer and those of the further annotators; as columns its domain,
    story, number, question and whether it is the last of its story.
    """
    stories = read_document(source, _documents, SHAPE).data
    if isinstance(stories, msgspec.UnsetType):
        advice = f"Expected {SHAPE} (are GOLD and PREDICTIONS swapped?)."
        raise InputError(source.name, "at the top: the field 'data' is missing", advice)
    domain_of = {story.id: _domain(story, at, source.name) for at, story in enumerate(stories)}
    gold = Gold([], [], {name: [] for name in ("domain", "story", "turn", "question")}, {"is_last": []})
    for at, story in enumerate(stories):
        annotators = [story.answers, *story.additional_answers.values()]
        _check_answers(story, annotators, f"{source.name}: data[{at}]")
        turns = len(story.questions)
        numbers = [question.turn_id for question in story.questions]
        ids = [f"{story.id} {number}" for number in numbers]
        gold.ids += ids
        gold.references += [[answers[turn].input_text for answers in annotators] for turn in range(turns)]
        gold.columns["domain"] += [domain_of[story.id]] * turns
        gold.columns["story"] += [story.id] * turns
        gold.columns["turn"] += numbers
        gold.columns["question"] += [question.input_text for question in story.questions]
        gold.facts["is_last"] += [turn == turns for turn in range(1, turns + 1)]
        expected = list(range(1, turns + 1))
        given = [numbers, *([answer.turn_id for answer in answers[:turns]] for answers in annotators)]
        if any(each != expected for each in given):
            odd = [identifier for identifier, *each in zip(ids, expected, *given, strict=True) if len(set(each)) > 1]
            audit.add(OTHER_NUMBERS, "warning", odd, detail="answers are taken by their position", where=source.name)
    return gold


def _domain(story: _Story, at: int, name: str) -> str:
    if story.source not in DOMAINS:
        found = f"the source '{story.source}' is none of CoQA's"
        raise InputError(f"{name}: data[{at}]", found, f"Expected one of {', '.join(DOMAINS)}.")
    return DOMAINS[story.source]


def _check_answers(story: _Story, annotators: list[list[_Answer]], where: str) -> None:
    """An error unless every annotator answered every turn."""
    for annotator, answers in zip(("answers", *story.additional_answers), annotators, strict=True):
        if len(answers) < len(story.questions):
            found = f"annotator '{annotator}' has {len(answers)} answers for {len(story.questions)} questions"
            raise InputError(where, found, "Give every turn an answer of each annotator.")


class Joined(NamedTuple):
    """Predictions by the ids of turns; of official rows also what they call the story of each turn."""

    source: Source
    stories: dict[str, Any]


def joined_rows(source: Source, audit: Audit) -> Joined:
    """Official rows as pairs of a turn's id and its answer; any other source as it is.

    A turn is met by every turn_id that equals it, as in the published program: by 1.0 and true, not by "1".
    """
    if source.is_object:
        return _joined_plain(source, source.object, audit)
    if is_table(source) and not source.is_json_lines:
        return Joined(source, {})
    data = source.read()
    if not (source.is_json_lines or data.lstrip().startswith(b"[") or looks_like_lines(data)):
        return Joined(source, {})
    try:
        rows = _rows.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _joined_plain(source, read_values(source), audit)
    refuse_repeated_keys(data, source.name)
    pairs = Pairs([(f"{row.id} {row.turn_id}", row.answer) for row in rows])
    return Joined(source.holding(pairs), {turn: row.id for (turn, _), row in zip(pairs, rows, strict=True)})


def _joined_plain(source: Source, rows: Any, audit: Audit) -> Joined:
    first = rows[0] if isinstance(rows, (list, tuple)) and rows else None
    if not isinstance(first, dict) or "turn_id" not in first:
        return Joined(source, {})
    pairs = [_pair(row, f"{source.name}: record {number}", audit) for number, row in enumerate(rows, 1)]
    stories = {turn: _whole(row["id"]) for (turn, _), row in zip(pairs, rows, strict=True)}
    if is_table(source):  # by its name; there a list of rows is expected
        return Joined(source.holding([{"id": identifier, "prediction": text} for identifier, text in pairs]), stories)
    return Joined(source.holding(Pairs(pairs)), stories)


def _pair(row: Any, where: str, audit: Audit) -> tuple[str, Any]:
    if not isinstance(row, dict):
        raise InputError(where, f"expected an object, found {kind_of(row)}", "Write one object per prediction.")
    for field in ("id", "turn_id", "answer"):
        if field not in row:
            known = ", ".join(f"'{key}'" for key in row) or "nothing"
            raise InputError(where, f"the field '{field}' is missing, found {known}", "Write id, turn_id and answer.")
    if isinstance(row["id"], (list, dict)):
        found = f"'id' must be a string or a whole number, found {kind_of(row['id'])}"
        raise InputError(where, found, "Write the story's own id.")
    turn = _whole(row["turn_id"])
    if not isinstance(turn, int):
        identifier = f"{row['id']} {turn!r}"
        audit.add(OTHER_TURNS, "warning", [identifier], where=where.rpartition(": ")[0])
        return identifier, row["answer"]
    return f"{_whole(row['id'])} {turn}", row["answer"]


def _whole(value: Any) -> Any:
    """The whole number that a value equals, 1 for 1.0 and true; any other value as it is."""
    return int(value) if isinstance(value, (int, float)) and value % 1 == 0 else value
