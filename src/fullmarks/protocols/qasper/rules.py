"""Qasper's normaliser: SQuAD's; two texts of which nothing is left share no token."""

from __future__ import annotations

from fullmarks.text.recipes import SQUAD, Recipe

RECIPE = Recipe("qasper", SQUAD.order)
RECIPES = {RECIPE.name: RECIPE}
