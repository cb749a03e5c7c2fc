"""Extraction between reading and scoring: predictions are replaced chunk by chunk, what happened is counted.

The prediction as it was read stays beside the extracted one, in the column `raw_prediction`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from fullmarks.errors import UsageError
from fullmarks.protocols.protocol import CHOICES
from fullmarks.types import FIRST_IDS, Audit, Change, Example, Examples, Explanation, FindingKind, Identifier, Level

if TYPE_CHECKING:
    from fullmarks.text.extraction.extractor import Extraction, Extractor, StepOutcome

RAW_PREDICTION = "raw_prediction"
"""The column with the prediction before anything was taken out of it."""
EXTRACTED = FindingKind("extracted", "predictions changed by extraction")
LEFT_AS_IT_WAS = FindingKind(
    "extraction-found-nothing", "predictions in which {step} found nothing, so that the text stays as it was"
)
LEFT_NOTHING = FindingKind(
    "extraction-left-nothing",
    "predictions in which {step} found nothing, so that an empty text is scored",
    "Look at some of them, and choose steps of --extract that fit",
    is_unreadable=True,
)
SEVERAL_FOUND = FindingKind(
    "extraction-found-several", "predictions in which {step} found several that differ, so that one of them is taken"
)
EMPTY_PLACE = FindingKind(
    "extraction-found-empty", "predictions in which {step} found an empty place, so that an empty text is scored"
)


def extracted(chunks: Iterable[Examples], extractor: Extractor, audit: Audit) -> Iterator[Examples]:
    """The chunks with what the extractor leaves of every prediction; questions without one stay as they are."""
    for examples in chunks:
        if RAW_PREDICTION in examples.columns:
            raise UsageError(
                f"extract keeps whole predictions in the column '{RAW_PREDICTION}', and the input has such a column. "
                "Rename that, or leave extract out"
            )
        _replace(examples, extractor, audit)
        yield examples


def explained(example: Example, explanation: Explanation, extractor: Extractor) -> Explanation:
    """The explanation of an extracted prediction with the whole one before it and what every step left."""
    raw = example.columns.get(RAW_PREDICTION)
    if not isinstance(raw, str):
        return explanation
    outcomes = extractor.extract(raw, _options(example.columns)).outcomes
    steps = [{"step": each.step, "found": each.status, "left": each.text} for each in outcomes]
    return Explanation(
        explanation.id,
        explanation.scores,
        {"raw prediction": raw, **explanation.facts},
        {"extraction": steps, **explanation.tables},
    )


def _replace(examples: Examples, extractor: Extractor, audit: Audit) -> None:
    raw, unanswered = examples.predictions, set(examples.unanswered)
    options = next((examples.columns[name] for name in CHOICES if name in examples.columns), None)
    texts: list[Any] = []
    for position, whole in enumerate(raw):
        if position in unanswered or not isinstance(whole, str):
            texts.append(whole)
            continue
        identifier = examples.ids[position]
        taken = _taken(extractor, whole, None if options is None else _count(options[position]), identifier)
        texts.append(taken.text)
        _note(taken, identifier, audit)
        if taken.text != whole:
            audit.add(EXTRACTED, "note", [identifier])
            if len(audit.extracted) < FIRST_IDS:
                audit.extracted.append(Change(identifier, whole, taken.text))
    examples.columns = {RAW_PREDICTION: raw, **examples.columns}
    examples.predictions = texts


def _taken(extractor: Extractor, whole: str, options: int | None, identifier: Identifier) -> Extraction:
    try:
        return extractor.extract(whole, options)
    except UsageError as error:
        raise UsageError(f"the prediction for {identifier!r}: {error}") from error


def _note(taken: Extraction, identifier: Identifier, audit: Audit) -> None:
    """Count every step that did not find exactly one place; a warning where nothing is left to score."""
    for outcome in taken.outcomes:
        if outcome.status != "one":
            level: Level = "note" if outcome.text else "warning"
            audit.add(_kind(outcome).about(step=outcome.step), level, [identifier])


def _kind(outcome: StepOutcome) -> FindingKind:
    if outcome.status == "none":
        return LEFT_AS_IT_WAS if outcome.text else LEFT_NOTHING
    return SEVERAL_FOUND if outcome.status == "several" else EMPTY_PLACE


def _options(columns: dict[str, Any]) -> int | None:
    return next((_count(columns[name]) for name in CHOICES if name in columns), None)


def _count(options: Any) -> int | None:
    """How many options an example has; None where that is not told."""
    if isinstance(options, (list, tuple, dict)):
        return len(options)
    return options if isinstance(options, int) else None
