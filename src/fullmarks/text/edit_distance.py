"""Levenshtein distance over characters, nothing normalised: case counts; of one pair, or of many in one native call.

Distances are whole numbers and the division is done in float64: one pair and a batch give the same digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fullmarks.errors import UsageError


def edit_distance(one: str, other: str) -> int:
    """Return how many characters must be inserted, deleted or replaced to make one text the other."""
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.distance(one, other)


def edit_distances(ones: Sequence[str], others: Sequence[str]) -> Any:
    """Return the distance of each pair as a NumPy array of whole numbers; no pairs give an empty one."""
    from rapidfuzz import process
    from rapidfuzz.distance import Levenshtein

    return process.cpdist(ones, others, scorer=Levenshtein.distance, dtype="int64")


def edit_similarity(prediction: str, gold: str) -> float:
    """Return 1 minus the edit distance divided by the length of the longer text.

    0.0 if either text is empty, also when both are. Source: FusionBrain Challenge 2.0, text recognition.
    """
    if not prediction or not gold:
        return 0.0
    return 1 - edit_distance(prediction, gold) / max(len(prediction), len(gold))


def edit_similarities(predictions: Sequence[str], golds: Sequence[str]) -> list[float]:
    """Return `edit_similarity` of each pair, in order, from one native call for all of them.

    No pairs give an empty list.
    """
    if len(predictions) != len(golds):
        raise UsageError(
            f"edit_similarities pairs texts one to one, but got {len(predictions)} predictions and "
            f"{len(golds)} gold texts; pass two lists of the same length."
        )
    distances = edit_distances(predictions, golds).tolist()
    return [
        1 - distance / max(len(prediction), len(gold)) if prediction and gold else 0.0
        for prediction, gold, distance in zip(predictions, golds, distances, strict=True)
    ]
