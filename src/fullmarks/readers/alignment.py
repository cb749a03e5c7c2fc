"""Gold and predictions brought together by id, with every gap and surplus counted in the audit."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence, Set
from typing import Any, Literal

from msgspec import Struct

from fullmarks.errors import InputError, MismatchError
from fullmarks.readers.documents import kind_of
from fullmarks.readers.objects import are_texts
from fullmarks.readers.predictions import FAILED, OnDuplicate
from fullmarks.types import FIRST_IDS, Audit, Examples, FindingKind, Gold, Identifier, Level

OnMissing = Literal["error", "zero", "skip"]
RepeatedGold = Literal["error", "last", "each"]


class Gaps(Struct, frozen=True):
    """What to do about questions and predictions that do not meet."""

    on_missing: OnMissing = "error"
    on_duplicate: OnDuplicate = "error"
    strict: bool = False
    """Whether a prediction for an unknown question is an error."""
    limit: int | None = None
    """How many questions count, from the first; all where it is None."""
    repeated_gold: RepeatedGold = "error"
    """What a question whose id comes twice in the gold is: an error, the last one's references, or a question each."""
    tells_ids_apart: bool = False
    """Whether the published program tells the ids 1 and "1" apart, so that those which meet only here are counted."""


MISSING = FindingKind(
    "missing-predictions",
    "questions without a prediction",
    "Add them, or pass --on-missing zero (counts them as 0) or --on-missing skip (leaves them out)",
    for_errors_only=True,
)
UNKNOWN = FindingKind(
    "unknown-predictions",
    "predictions for unknown questions",
    "Remove them, and check that both files belong together",
)
STRANGERS = FindingKind(
    "no-common-ids", "predictions, not one of them for any question", "Check that both files belong together"
)
OTHER_KIND = FindingKind(
    "ids-of-another-kind",
    "predictions whose id is a text where the question's is a number, or a number where it is a text",
    "Write the ids of both files as texts",
)
EMPTY = FindingKind("empty-predictions", "empty predictions")
REPEATED_GOLD = FindingKind(
    "repeated-questions",
    "questions with a repeated id",
    "Ids must be unique; remove one of each",
    for_errors_only=True,
)
NO_REFERENCES = FindingKind(
    "missing-references",
    "questions without any gold answer",
    "Give every question at least one gold answer",
    for_errors_only=True,
)
BAD_REFERENCES = FindingKind(
    "references-not-strings", "references that are not strings", "Write every reference as a string"
)
LONE_TEXTS = FindingKind(
    "lone-texts", "questions whose answer is a text, not a list", "Write a list of right answers, also of one"
)
AS_CHARACTERS = "each of its characters is a right answer, as in the published program"

_SETTLED: dict[RepeatedGold, str] = {
    "error": "",
    "last": "the last one counts, once, as in the published program",
    "each": "each of them counts, as in the published program",
}


def align(
    gold: Gold,
    predictions: dict[Identifier, Any],
    audit: Audit,
    gaps: Gaps,
    *,
    gold_name: str = "gold",
    name: str = "predictions",
) -> Examples:
    """The gold questions in their order, each with its prediction, under the rules for gaps.

    When no prediction belongs to any question the files are not a pair, and no rule makes a score of them.
    """
    audit.gold, audit.predictions = len(gold.ids), len(predictions)
    check_not_empty(len(gold.ids), len(predictions), gold_name, name)
    check_gold_ids(gold, gold_name)
    gold = settled(gold, gaps.repeated_gold, audit, gold_name)
    audit.gold = len(gold.ids)
    answers, is_complete = answers_to(gold.ids, predictions)
    if not is_complete or len(predictions) != len(answers) or audit.findings:
        known = set(gold.ids)
        if known.isdisjoint(predictions):
            note_strangers(gold.ids[:FIRST_IDS], list(predictions), audit, gold_name=gold_name, name=name)
        note_unknown(known, predictions, audit, strict=gaps.strict, name=name)
    return answered(gold, answers, audit, gaps, name)


def answered(gold: Gold, answers: list[Any], audit: Audit, gaps: Gaps, name: str) -> Examples:
    """The settled questions with these answers, None where there is none, under the rules for gaps."""
    examples = _first(gold, gaps.limit)
    examples.predictions = answers = answers if gaps.limit is None else answers[: gaps.limit]
    if gaps.repeated_gold == "each":
        examples.ids = told_apart(examples.ids)
    if None in answers:
        examples = fill_gaps(examples, audit, gaps.on_missing, name)
    note_empty(examples, audit)
    return examples


def check_not_empty(questions: int, predictions: int, gold_name: str, name: str) -> None:
    """An error where one side has nothing in it."""
    if not questions:
        raise InputError(gold_name, "there is no question in it", "Check that this is the gold file.")
    if not predictions:
        raise InputError(name, "there is no prediction in it", "Check that this is the predictions file.")


def answers_to(ids: list[Identifier], predictions: dict[Identifier, Any]) -> tuple[list[Any], bool]:
    """The prediction for every id, None where there is none; and whether there is one for each."""
    try:
        return list(map(predictions.__getitem__, ids)), True
    except KeyError:
        return list(map(predictions.get, ids)), False


def note_empty(examples: Examples, audit: Audit) -> None:
    """Record how many predictions are empty texts, with the first ids; questions without a prediction are others."""
    count = examples.predictions.count("") - len(examples.unanswered)
    if not count:
        return
    known = audit.findings.get(EMPTY.code)
    wanted = min(count, FIRST_IDS - (len(known.first_ids) if known else 0))
    first: list[Identifier] = []
    without, position = set(examples.unanswered), -1
    while len(first) < wanted:
        position = examples.predictions.index("", position + 1)
        if position not in without:
            first.append(examples.ids[position])
    audit.add(EMPTY, "note", first, count=count)


def check_gold_ids(gold: Gold, name: str) -> None:
    """An error for an id of the gold that no prediction could have."""
    if are_texts(gold.ids) or set(map(type, gold.ids)) <= {str, int}:
        return
    for number, identifier in enumerate(gold.ids, start=1):
        if isinstance(identifier, bool) or not isinstance(identifier, (str, int)):
            found = f"the id of question {number} must be a string or a whole number, found {kind_of(identifier)}"
            raise InputError(name, found, "Write the question's own id.")


def settled(gold: Gold, rule: RepeatedGold, audit: Audit, name: str) -> Gold:
    """The gold under the rule for questions whose id comes twice, which are counted."""
    if len(set(gold.ids)) == len(gold.ids):
        return gold
    level: Level = "error" if rule == "error" else "warning"
    audit.add(REPEATED_GOLD, level, repeated(gold.ids), detail=_SETTLED[rule], where=name)
    if rule != "last":
        return gold
    last = {identifier: position for position, identifier in enumerate(gold.ids)}
    columns, facts = (
        {name: [values[position] for position in last.values()] for name, values in named.items()}
        for named in (gold.columns, gold.facts)
    )
    return Gold(list(last), [gold.references[position] for position in last.values()], columns, facts)


def note_strangers(
    asked: Sequence[Identifier],
    answered: Sequence[Identifier],
    audit: Audit,
    *,
    gold_name: str,
    name: str,
    count: int | None = None,
) -> None:
    """Record that the files are no pair at all; `count` says how many predictions there are, if not all are given."""
    shown = ", ".join(map(repr, asked))
    detail = f"the questions in {gold_name} have ids such as {shown}"
    audit.add(STRANGERS, "error", answered, count=count, detail=detail, where=name)


def note_unknown(
    known: Set[Identifier], predictions: dict[Identifier, Any], audit: Audit, *, strict: bool, name: str
) -> None:
    """Record predictions without a question."""
    if not predictions.keys() <= known:
        unknown = [identifier for identifier in predictions if identifier not in known]
        audit.add(UNKNOWN, "error" if strict else "warning", unknown, where=name)


def note_other_kind(
    before: Iterable[Identifier], after: Container[Identifier], audit: Audit, gaps: Gaps, name: str
) -> None:
    """Record ids of predictions that were changed so that they meet a question, where the program does not do that."""
    if gaps.tells_ids_apart and (changed := [identifier for identifier in before if identifier not in after]):
        detail = "they are matched here; the published program does not match them, and their questions score 0 there"
        audit.add(OTHER_KIND, "warning", changed, detail=detail, where=name)


def note_without_references(
    examples: Examples, audit: Audit, name: str, detail: str = "", *, only_answered: bool = False
) -> None:
    """Record the questions that no answer could get right, where the protocol knows no such question.

    With `only_answered` one without a prediction may lack references too: its program never looks at them.
    """
    if all(examples.references):
        return
    passed_over = set(examples.unanswered) if only_answered else set()
    gaps = (at for at, references in enumerate(examples.references) if not references)
    if without := [examples.ids[at] for at in gaps if at not in passed_over]:
        audit.add(NO_REFERENCES, "error", without, detail=detail, where=name)


def raise_errors(audit: Audit, name: str) -> None:
    """Raise the audit's errors as one message, if there are any."""
    errors = audit.at_level("error")
    if not errors:
        return
    strangers = audit.findings.get(STRANGERS.code)
    first, *others = [strangers] if strangers else errors
    advice = [f"{first.advice or 'Correct the file'}."]
    advice += [f"Also {other.where or name}: {other}. {other.advice or 'Correct it'}." for other in others]
    raise MismatchError(first.where or name, str(first), " ".join(advice))


def _first(gold: Gold, limit: int | None) -> Examples:
    if limit is None:
        return Examples(gold.ids, [], gold.references, gold.columns, facts=gold.facts)
    columns, facts = ({name: values[:limit] for name, values in named.items()} for named in (gold.columns, gold.facts))
    return Examples(gold.ids[:limit], [], gold.references[:limit], columns, facts=facts)


def told_apart(ids: Sequence[Identifier], others: Iterable[Identifier] = ()) -> Sequence[Identifier]:
    """The ids, each one that was there before with its number: of "a" and "a" the second is "a (2)".

    A name that is itself an id, here or among the others, is passed over: of "a", "a" and "a (2)" the second is
    "a (3)".
    """
    taken = set(ids)
    if len(taken) == len(ids):
        return ids
    taken.update(others)
    numbers: dict[Identifier, int] = {}
    apart: list[Identifier] = []
    for identifier in ids:
        numbers[identifier] = numbers.get(identifier, 0) + 1
        name: Identifier = identifier
        if numbers[identifier] > 1:
            while (name := f"{identifier} ({numbers[identifier]})") in taken:
                numbers[identifier] += 1
            taken.add(name)
        apart.append(name)
    return apart


def repeated(ids: Iterable[Identifier]) -> list[Identifier]:
    """Every id after its first appearance."""
    seen: set[Identifier] = set()
    again = []
    for identifier in ids:
        if identifier in seen:
            again.append(identifier)
        seen.add(identifier)
    return again


def why_missing(audit: Audit) -> str:
    """What is known of why predictions are missing: that they failed in another tool."""
    failed = audit.findings.get(FAILED.code)
    return f"{failed.kind}: {failed.count}; {failed.detail}" if failed else ""


def fill_gaps(examples: Examples, audit: Audit, on_missing: OnMissing, name: str) -> Examples:
    """The examples with empty texts where a prediction is None, or without these questions; they are counted."""
    gaps = [position for position, answer in enumerate(examples.predictions) if answer is None]
    missing = [examples.ids[position] for position in gaps]
    detail = why_missing(audit)
    audit.add(MISSING, "error" if on_missing == "error" else "warning", missing, detail=detail, where=name)
    if on_missing == "skip":
        without = set(gaps)
        return examples.take([position for position in range(len(examples)) if position not in without])
    for position in gaps:
        examples.predictions[position] = ""
    examples.unanswered = tuple(gaps)
    return examples
