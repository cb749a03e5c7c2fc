"""NQ-open's normaliser: SQuAD's after Unicode's normal form D, so that accents are marks of their own."""

from __future__ import annotations

from fullmarks.text.recipes import SQUAD, Recipe
from fullmarks.text.steps import LOWER, NFD, NO_ASCII_PUNCTUATION, Substitute

RECIPE = Recipe("nq_open", (NFD, *SQUAD.order))

LM_EVAL = Recipe(
    "nq_open-lm-eval",
    (
        Substitute("some spellings of articles deleted with their blank", r"\b(?:The |the |An |A |a |an )"),
        LOWER,
        NO_ASCII_PUNCTUATION,
    ),
)
"""lm-evaluation-harness: inner blanks stay; predictions are cut and stripped before."""

RECIPES = {recipe.name: recipe for recipe in (RECIPE, LM_EVAL)}
