"""Similarity of two texts by Levenshtein distance over characters, nothing normalised: case counts.

Distances are whole numbers and the division is done in float64: one pair and a batch give the same digits.
"""

from __future__ import annotations

from collections.abc import Sequence

from fullmarks.errors import UsageError
from fullmarks.optional import require


def edit_similarity(prediction: str, gold: str) -> float:
    """Return 1 minus the edit distance divided by the length of the longer text.

    0.0 if either text is empty, also when both are. Source: FusionBrain Challenge 2.0, text recognition.
    """
    if not prediction or not gold:
        return 0.0
    levenshtein = require("rapidfuzz.distance.Levenshtein", needed_by="ned", extra="ru")
    distance: int = levenshtein.distance(prediction, gold)
    return 1 - distance / max(len(prediction), len(gold))


def edit_similarities(predictions: Sequence[str], golds: Sequence[str]) -> list[float]:
    """Return `edit_similarity` of each pair, in order, from one native call for all of them.

    No pairs give an empty list.
    """
    if len(predictions) != len(golds):
        raise UsageError(
            f"edit_similarities pairs texts one to one, but got {len(predictions)} predictions and "
            f"{len(golds)} gold texts; pass two lists of the same length."
        )
    process = require("rapidfuzz.process", needed_by="ned", extra="ru")
    levenshtein = require("rapidfuzz.distance.Levenshtein", needed_by="ned", extra="ru")
    distances = process.cpdist(predictions, golds, scorer=levenshtein.distance, dtype="int64").tolist()
    return [
        1 - distance / max(len(prediction), len(gold)) if prediction and gold else 0.0
        for prediction, gold, distance in zip(predictions, golds, distances, strict=True)
    ]
