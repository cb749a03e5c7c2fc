"""How an answer's tokens meet those of every reference: the table that explains exact match and token F1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from fullmarks.text.overlap import judge
from fullmarks.text.recipes import SQUAD, Recipe


def overlap_table(
    prediction: str, references: list[str], *, both_empty: float, recipe: Recipe = SQUAD
) -> list[dict[str, Any]]:
    """One row per reference: its normal form, the shared tokens, precision, recall, F1 and exact match."""
    normal_form = _normal_forms(recipe)
    ours = normal_form(prediction)
    counts = Counter(ours[1])
    table = []
    for reference in references:
        theirs = normal_form(reference)
        exact, f1, precision, recall = judge(ours, theirs, both_empty, recipe.whole_answers)
        row = {
            "reference": reference,
            "normalised": theirs[0],
            "matched": "" if counts.keys().isdisjoint(theirs[1]) else _shared(counts, theirs[1]),
            "precision": precision,
            "recall": recall,
            "f1": f1,
            "exact": exact,
        }
        table.append(row)
    return table


@lru_cache(maxsize=8)
def _normal_forms(recipe: Recipe) -> Callable[[str], tuple[str, list[str]]]:
    """What gives a text after the recipe, with its tokens; the last are kept, for many answers meet one reference."""

    @lru_cache(maxsize=256)
    def normal_form(text: str) -> tuple[str, list[str]]:
        normal = recipe(text)
        return normal, normal.split()

    return normal_form


def _shared(counts: Counter[str], tokens: list[str]) -> str:
    return " ".join((counts & Counter(tokens)).elements())


def step_table(prediction: str, recipe: Recipe) -> list[dict[str, Any]]:
    """The prediction after every step of the recipe."""
    return [{"step": name, "prediction": text} for name, text in recipe.steps(prediction)]
