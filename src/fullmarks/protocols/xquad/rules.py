"""XQuAD's normaliser: SQuAD's for every language, English articles and all; two empty texts share no token."""

from __future__ import annotations

from fullmarks.text.recipes import CHINESE_STEPS, SQUAD, Recipe

RECIPE = Recipe("xquad", SQUAD.order)
CHINESE = Recipe("xquad-zh", CHINESE_STEPS)
"""MLQA's rule for Chinese: by SQuAD's an answer without blanks is a single token."""

RECIPES = {recipe.name: recipe for recipe in (RECIPE, CHINESE)}
