"""XQuAD's normaliser: SQuAD's for every language, English articles and all; two empty texts share no token."""

from __future__ import annotations

from fullmarks.text.recipes import SQUAD, Recipe

RECIPE = Recipe("xquad", SQUAD.order)
RECIPES = {RECIPE.name: RECIPE}
