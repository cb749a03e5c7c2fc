"""Extraction between reading and scoring: predictions are replaced chunk by chunk, what happened is counted.

The prediction as it was read stays beside the extracted one, in the column `raw_prediction`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from fullmarks.errors import UsageError
from fullmarks.protocols.protocol import CHOICES
from fullmarks.types import FIRST_IDS, Audit, Change, Example, Examples, Explanation, Identifier, Level

if TYPE_CHECKING:
    from fullmarks.text.extraction.extractor import Extraction, Extractor
    from fullmarks.text.extraction.found import Status

RAW_PREDICTION = "raw_prediction"
"""The column with the prediction before anything was taken out of it."""
EXTRACTED = "predictions changed by extraction"
_TOLD: dict[Status, str] = {
    "none": "found nothing",
    "several": "found several that differ",
    "empty": "found an empty place",
}


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
            kind = f"predictions in which {outcome.step} {_TOLD[outcome.status]}"
            left = "an empty text is scored" if not outcome.text else _left(outcome.status)
            audit.add(f"{kind}, so that {left}", level, [identifier])


def _left(status: Status) -> str:
    return "the text stays as it was" if status == "none" else "one of them is taken"


def _options(columns: dict[str, Any]) -> int | None:
    return next((_count(columns[name]) for name in CHOICES if name in columns), None)


def _count(options: Any) -> int | None:
    """How many options an example has; None where that is not told."""
    if isinstance(options, (list, tuple, dict)):
        return len(options)
    return options if isinstance(options, int) else None
