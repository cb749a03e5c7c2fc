"""How an answer's tokens meet those of every reference: the table that explains exact match and token F1."""

from __future__ import annotations

from collections import Counter
from typing import Any

from fullmarks.text.overlap import judge
from fullmarks.text.recipes import SQUAD, Recipe


def overlap_table(
    prediction: str, references: list[str], *, both_empty: float, recipe: Recipe = SQUAD
) -> list[dict[str, Any]]:
    """One row per reference: its normal form, the shared tokens, precision, recall, F1 and exact match."""
    return [_overlap(prediction, reference, both_empty, recipe) for reference in references]


def _overlap(prediction: str, reference: str, both_empty: float, recipe: Recipe) -> dict[str, Any]:
    ours, theirs = (recipe(prediction), recipe.tokens(prediction)), (recipe(reference), recipe.tokens(reference))
    exact, f1, precision, recall = judge(ours, theirs, both_empty, recipe.whole_answers)
    shared = Counter(ours[1]) & Counter(theirs[1])
    return {
        "reference": reference,
        "normalised": theirs[0],
        "matched": " ".join(shared.elements()),
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "exact": exact,
    }


def step_table(prediction: str, recipe: Recipe) -> list[dict[str, Any]]:
    """The prediction after every step of the recipe."""
    return [{"step": name, "prediction": text} for name, text in recipe.steps(prediction)]
