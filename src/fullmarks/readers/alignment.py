"""Gold and predictions brought together by id, with every gap and surplus counted in the audit."""

from __future__ import annotations

from typing import Any, Literal

from fullmarks.errors import InputError, MismatchError
from fullmarks.types import Audit, Examples, Gold, Identifier

OnMissing = Literal["error", "zero", "skip"]

MISSING = "questions without a prediction"
UNKNOWN = "predictions for unknown questions"
EMPTY = "empty predictions"
REPEATED_GOLD = "questions with a repeated id"

_ADVICE = {
    MISSING: "Add them, or pass --on-missing zero (counts them as 0) or --on-missing skip (leaves them out)",
    UNKNOWN: "Check that both files belong together, or leave out --strict",
    REPEATED_GOLD: "Ids must be unique; remove one of each",
    "predictions with a repeated id": "Ids must be unique; remove one of each, or pass --on-duplicate first or last",
    "predictions that are not strings": "Write every prediction as a string; an empty one means no answer",
    "no-answer probabilities that are not finite numbers": "Write a number such as 0.25 for every id",
}


def align(
    gold: Gold,
    predictions: dict[Identifier, Any],
    audit: Audit,
    *,
    on_missing: OnMissing,
    strict: bool,
    limit: int | None,
) -> Examples:
    """The gold questions in their order, each with its prediction, under the rule for missing ones."""
    audit.gold = len(gold.ids)
    audit.predictions = len(predictions)
    _check_gold_ids(gold, audit)
    _note_unknown(gold, predictions, audit, strict)
    examples = _first(gold, limit)
    answers = [predictions.get(identifier) for identifier in examples.ids]
    examples.predictions = answers
    if None in answers:
        examples = _fill_gaps(examples, audit, on_missing)
    empty = examples.predictions.count("") - len(examples.unanswered)
    if empty:
        audit.add(EMPTY, "note", count=empty)
    return examples


def raise_errors(audit: Audit, name: str) -> None:
    """Raise the audit's errors as one message, if there are any."""
    errors = audit.at_level("error")
    if not errors:
        return
    lines = [f"{finding}. {_ADVICE.get(finding.kind, '')}".rstrip(". ") for finding in errors]
    raise MismatchError(name, "; ".join(lines))


def _first(gold: Gold, limit: int | None) -> Examples:
    if limit is None:
        return Examples(gold.ids, [], gold.references, gold.columns)
    columns = {name: values[:limit] for name, values in gold.columns.items()}
    return Examples(gold.ids[:limit], [], gold.references[:limit], columns)


def _check_gold_ids(gold: Gold, audit: Audit) -> None:
    if not gold.ids:
        raise InputError("gold", "there is no question in it", "Check that this is the gold file.")
    if len(set(gold.ids)) == len(gold.ids):
        return
    seen: set[Identifier] = set()
    repeated = [identifier for identifier in gold.ids if identifier in seen or seen.add(identifier)]  # type: ignore[func-returns-value]
    audit.add(REPEATED_GOLD, "error", repeated)


def _note_unknown(gold: Gold, predictions: dict[Identifier, Any], audit: Audit, strict: bool) -> None:
    unknown = predictions.keys() - set(gold.ids)
    if unknown:
        first = [identifier for identifier in predictions if identifier in unknown]
        audit.add(UNKNOWN, "error" if strict else "warning", first)


def _fill_gaps(examples: Examples, audit: Audit, on_missing: OnMissing) -> Examples:
    gaps = [position for position, answer in enumerate(examples.predictions) if answer is None]
    missing = [examples.ids[position] for position in gaps]
    audit.add(MISSING, "error" if on_missing == "error" else "warning", missing)
    if on_missing == "skip":
        without = set(gaps)
        return examples.take([position for position in range(len(examples)) if position not in without])
    for position in gaps:
        examples.predictions[position] = ""
    examples.unanswered = tuple(gaps)
    return examples
