"""HotpotQA's normaliser: SQuAD's; yes, no and noanswer share nothing with a longer answer."""

from __future__ import annotations

from fullmarks.text.recipes import SQUAD, Recipe

RECIPE = Recipe("hotpotqa", SQUAD.order, whole_answers=("yes", "no", "noanswer"))
RECIPES = {RECIPE.name: RECIPE}
