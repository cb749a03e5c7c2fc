"""2WikiMultihopQA's normalisers: SQuAD's for answers, where yes, no and noanswer share nothing with a longer answer;
for evidence the same without the articles' step.
"""

from __future__ import annotations

from fullmarks.text.recipes import SQUAD, Recipe
from fullmarks.text.steps import LOWER, NO_ASCII_PUNCTUATION, SINGLE_BLANKS

RECIPE = Recipe("twowiki", SQUAD.order, whole_answers=("yes", "no", "noanswer"))
EVIDENCE = Recipe("twowiki-evidence", (LOWER, NO_ASCII_PUNCTUATION, SINGLE_BLANKS))
RECIPES = {recipe.name: recipe for recipe in (RECIPE, EVIDENCE)}
