"""MMMU's files: answers by id, letters by id, and the rows of raw responses that hold question and answer alike."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any

from fullmarks.errors import InputError
from fullmarks.protocols.mmmu.rules import DOMAIN_OF, MULTIPLE_CHOICE, OPEN, QUESTION_TYPE, SUBJECTS, subject_of
from fullmarks.readers.documents import Pairs, kind_of, parse_json
from fullmarks.readers.records import RecordForm, read_records, read_values
from fullmarks.readers.source import Source
from fullmarks.text.choice_readings import LETTERS, Options, options_of
from fullmarks.types import Audit, FindingKind, Gold, Identifier

ANSWERS = RecordForm(
    "@1",
    "ground_truth",
    at="{}",
    columns={"question_type": "question_type"},
    facts={"question_type": "question_type"},
    shape='{id: {"question_type": ..., "ground_truth": ...}}',
)
NOT_TEXTS = FindingKind("answers-not-texts", "open answers that are not texts", "Write every answer as a text")
ODD_CHOICES = FindingKind(
    "choices-not-texts", "multiple-choice answers that are not texts", "Write the letter of the option as a text"
)
_SHAPE = 'Expected rows {"id", "question_type", "answer", "all_choices", "index2ans", "response"}.'
_OBJECT = b"{"


def read_answers(source: Source) -> Gold:
    """The answers by id, with subject and domain told from the ids."""
    gold = read_records(source, ANSWERS)
    gold.columns[QUESTION_TYPE] = [*map(kind_named, gold.facts.pop(QUESTION_TYPE))]
    return with_subjects(gold)


def kind_named(question_type: Any) -> str:
    """The type of a question as the program understands it: whatever is no text is open.

    >>> kind_named("multiple-choice"), kind_named(None)
    ('multiple-choice', 'open')
    """
    return question_type if isinstance(question_type, str) else OPEN


def with_subjects(gold: Gold) -> Gold:
    """The gold with the columns `subject` and `domain`."""
    gold.columns["subject"] = [*map(subject_of, gold.ids)]
    gold.columns["domain"] = [DOMAIN_OF.get(subject) for subject in gold.columns["subject"]]
    return gold


def with_texts(source: Source, kinds: Mapping[Identifier, Any], audit: Audit) -> Source:
    """Predictions `{id: value}` as `{id: text}`: what is no text is wrong, and an error for open questions."""
    if source.is_object:
        document = source.object
    elif source.is_many or source.is_json_lines or source.read().lstrip()[:1] != _OBJECT or b"\n{" in source.read():
        return source
    else:
        document = parse_json(source.read(), source.name, pairs=True)
    pairs = document.items() if isinstance(document, dict) else document if isinstance(document, Pairs) else None
    if pairs is None or all(isinstance(value, str) for _, value in pairs):
        return source
    texts = Pairs()
    for identifier, value in pairs:
        if isinstance(value, (dict, list, Pairs)):
            return source
        texts.append((identifier, value if isinstance(value, str) else f"({kind_of(value)})"))
        if isinstance(value, str) or identifier not in kinds:
            continue
        detail = f"{identifier!r} has {kind_of(value)}"
        if kinds[identifier] == MULTIPLE_CHOICE:
            audit.add(ODD_CHOICES, "warning", [identifier], detail=f"{detail}; they are wrong", where=source.name)
        else:
            audit.add(NOT_TEXTS, "error", [identifier], detail=detail, where=source.name)
    return source.holding(texts)


def raw_rows(source: Source) -> list[dict[str, Any]] | None:
    """The rows of raw responses: a list, JSON lines, or lists by subject in the program's order; None for others."""
    if not source.is_object and source.ending in (".csv", ".tsv", ".parquet"):
        return None
    values = read_values(source)
    if isinstance(values, dict) and values and all(isinstance(rows, list) for rows in values.values()):
        order = {subject: place for place, subject in enumerate(SUBJECTS)}
        named = sorted(values, key=lambda subject: order.get(subject, len(order)))
        values = [row for subject in named for row in values[subject]]
    if not isinstance(values, list) or not values or not isinstance(values[0], dict) or "response" not in values[0]:
        return None
    for number, row in enumerate(values, start=1):
        if not isinstance(row, dict) or not isinstance(row.get("id"), (str, int)):
            where, found = f"{source.name}: record {number}", kind_of(row)
            raise InputError(where, f"expected a row with an 'id', found {found}", _SHAPE)
    return values


def gold_of_rows(rows: Iterable[dict[str, Any]], name: str, *, only_choices: bool = False) -> Gold:
    """What the rows say of the questions: their answers, types and options.

    With `only_choices` a row need not have a type, because all questions are multiple choice.
    """
    gold = Gold([], [], {"question_type": []}, {"choices": []})
    for row in rows:
        where = f"{name}: {row['id']!r}"
        answer = row.get("answer")
        golds = [answer] if isinstance(answer, str) else answer
        if not isinstance(golds, list) or not all(isinstance(each, str) for each in golds):
            raise InputError(where, f"'answer' must be a text or a list of texts, found {kind_of(answer)}", _SHAPE)
        if QUESTION_TYPE not in row and not only_choices:
            raise InputError(where, f"the field '{QUESTION_TYPE}' is missing", _SHAPE)
        kind = kind_named(row.get(QUESTION_TYPE, MULTIPLE_CHOICE))
        gold.ids.append(row["id"])
        gold.references.append(golds)
        gold.columns["question_type"].append(kind)
        gold.facts["choices"].append(options_in(row, where) if kind == MULTIPLE_CHOICE else None)
    return with_subjects(gold)


def options_in(row: Mapping[str, Any], where: str) -> Options:
    """The options of a row: `all_choices` and the texts of `index2ans`, or the list that `options` holds or spells."""
    texts = row.get("index2ans")
    letters = row.get("all_choices", list(texts) if isinstance(texts, dict) else None)
    if isinstance(letters, list) and letters:
        odd = next((letter for letter in letters if not isinstance(letter, str)), None)
        if odd is not None or None in letters:
            raise InputError(where, f"'all_choices' must hold texts, found {kind_of(odd)}", _SHAPE)
        return Options(tuple(letters), _option_texts(texts if isinstance(texts, dict) else {}, where))
    options = row.get("options")
    if isinstance(options, str):
        try:
            options = ast.literal_eval(options)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            options = None
    if not isinstance(options, list) or not 0 < len(options) <= len(LETTERS):
        raise InputError(where, "a multiple-choice question needs 'all_choices' and 'index2ans', or 'options'", _SHAPE)
    return options_of([*map(str, options)])


def _option_texts(index2ans: Mapping[str, Any], where: str) -> dict[str, str | None]:
    """The texts of the options; a number stands for its digits, null for a text that is not known."""
    odd = next((each for each in index2ans.values() if isinstance(each, (list, dict))), None)
    if odd is not None:
        raise InputError(where, f"'index2ans' must hold texts, found {kind_of(odd)}", _SHAPE)
    return {letter: None if text is None else str(text) for letter, text in index2ans.items()}
