"""GQA's files: questions by id, of which the balanced ones count; choices by id; which entailed ones are right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fullmarks.errors import InputError
from fullmarks.protocols.gqa.metric import CHOICES, ENTAILED
from fullmarks.protocols.gqa.rules import converted, count_steps, count_words
from fullmarks.readers.alignment import MISSING, OnMissing
from fullmarks.readers.documents import kind_of
from fullmarks.readers.records import RecordForm, read_records, read_values
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, FindingKind, Gold, Identifier

QUESTIONS = RecordForm(
    "@1",
    "answer",
    at="{}",
    columns={
        "structural": "types.structural",
        "semantic": "types.semantic",
        "image": "imageId",
        "group": "groups.global",
    },
    facts={
        "is_balanced": "isBalanced",
        "detailed": "types.detailed",
        "entailed": "entailed?",
        "operations": "semantic?",
        "question": "question?",
    },
    shape='{id: {"question", "answer", "isBalanced", "types", "semantic", "groups", ...}}',
)
EMPTY_CHOICES = FindingKind("empty-choices-file", "choices files without an entry")
_ADVICE = "Check that this is the choices file of these questions."


def read_questions(source: Source) -> Gold:
    """All questions, balanced or not, with the steps and the words of each that is."""
    gold = read_records(source, QUESTIONS)
    gold.columns.setdefault("group", [None] * len(gold.ids))
    operations, texts, balanced = gold.facts.pop("operations"), gold.facts["question"], gold.facts["is_balanced"]
    try:
        gold.columns["steps"] = _where(balanced, count_steps, operations)
        gold.columns["words"] = _where(balanced, count_words, texts)
    except (KeyError, TypeError, AttributeError):
        problem = (
            "'semantic' must be a list of operations with arguments, and 'question' a text, in every balanced question"
        )
        raise InputError(source.name, problem, f"Expected {QUESTIONS.shape}.") from None
    return gold


def _where(wanted: list[Any], count: Callable[[Any], int], values: list[Any]) -> list[int | None]:
    """The counts of the values that are wanted, None for the others."""
    return [count(value) if is_wanted else None for is_wanted, value in zip(wanted, values, strict=True)]


def add_choices(examples: Examples, choices: Source, audit: Audit) -> None:
    """What is valid and plausible for every example; a question that the file has not is an error.

    An empty file counts as none, as in the published program.
    """
    known = read_values(choices)
    if not isinstance(known, dict):
        raise InputError(choices.name, f"expected an object {{id: ...}}, found {kind_of(known)}", _ADVICE)
    if not known:
        detail = "validity and plausibility are 0, as without the file and as in the published program"
        audit.add(EMPTY_CHOICES, "warning", count=1, detail=detail, where=choices.name)
        return
    details = examples.facts.get("detailed") or [None] * len(examples)
    found = []
    for identifier, detailed in zip(examples.ids, details, strict=True):
        if isinstance(detailed, (bool, int, float)):
            problem = f"'types.detailed' of the question {identifier!r} must be a text, found {kind_of(detailed)}"
            raise InputError("gold", problem, f"Expected {QUESTIONS.shape}.")
        entry = known.get(str(identifier))
        if entry is None:
            raise InputError(choices.name, f"there is no entry for the question {identifier!r}", _ADVICE)
        lists = [entry.get(name) if isinstance(entry, dict) else None for name in ("valid", "plausible")]
        if not all(isinstance(listed, list) for listed in lists):
            problem = f"{identifier!r} must have the lists 'valid' and 'plausible'"
            raise InputError(choices.name, problem, _ADVICE)
        found.append(tuple(lists))
    examples.facts[CHOICES] = found


def add_entailed(balanced: Examples, every: Examples, name: str, *, convert: bool, skips_missing: bool) -> None:
    """For every balanced question whether those that it entails, but itself, are answered rightly."""
    without = set(every.unanswered)
    right: dict[Identifier, bool | None] = {}
    for at, (identifier, text, golds) in enumerate(zip(every.ids, every.predictions, every.references, strict=True)):
        given = converted(text) if convert else text
        right[identifier] = at not in without and given in golds
        if at in without and skips_missing:
            right[identifier] = None
    verdicts = []
    for identifier, entailed in zip(balanced.ids, balanced.facts["entailed"], strict=True):
        if not isinstance(entailed or [], list) or not all(isinstance(each, (str, int)) for each in entailed or ()):
            problem = f"'entailed' of the question {identifier!r} must be a list of ids"
            raise InputError(name, problem, "Check that this is GQA's file of questions.")
        others = [each for each in entailed or () if each != identifier]
        unknown = [each for each in others if each not in right]
        if unknown:
            problem = f"the question {identifier!r} entails {unknown[0]!r}, which is not among the questions"
            raise InputError(name, problem, "Pass the file of all questions, or leave --consistency out.")
        verdicts.append([bool(right[each]) for each in others if right[each] is not None])
    balanced.facts[ENTAILED] = verdicts


def note_missing(examples: Examples, wanted: list[Any], audit: Audit, rule: OnMissing, name: str) -> None:
    """Count as missing only the questions that must have an answer."""
    audit.findings.pop(MISSING.code, None)
    missing = [examples.ids[at] for at in examples.unanswered if wanted[at]]
    if missing:
        audit.add(MISSING, "error" if rule == "error" else "warning", missing, where=name)
