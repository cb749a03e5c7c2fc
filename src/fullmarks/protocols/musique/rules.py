"""MuSiQue's normaliser: SQuAD's; two texts of which nothing is left agree."""

from __future__ import annotations

from fullmarks.text.recipes import SQUAD, Recipe

RECIPE = Recipe("musique", SQUAD.order, both_empty=1.0)
RECIPES = {RECIPE.name: RECIPE}
