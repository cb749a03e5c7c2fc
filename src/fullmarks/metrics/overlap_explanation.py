"""How a judgement by SQuAD's rule is shown: the table of references, and the steps of a recipe before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fullmarks.text.recipes import Recipe
    from fullmarks.text.squad_rule import Judgement


def reference_table(judged: Judgement) -> list[dict[str, Any]]:
    """One row per reference that counts: its normal form, the shared tokens, precision, recall, F1 and exact match."""
    return [
        {
            "reference": overlap.reference,
            "normalised": overlap.normal,
            "matched": " ".join(overlap.shared),
            "precision": overlap.precision,
            "recall": overlap.recall,
            "f1": overlap.f1,
            "exact": overlap.exact,
        }
        for overlap in judged.overlaps
    ]


def step_table(prediction: str, recipe: Recipe) -> list[dict[str, Any]]:
    """The prediction after every step of the recipe."""
    return [{"step": name, "prediction": text} for name, text in recipe.steps(prediction)]
