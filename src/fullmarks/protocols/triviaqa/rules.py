"""TriviaQA's normaliser: punctuation becomes a blank, so that "U.S." is two tokens. Source: its evaluation script."""

from __future__ import annotations

from fullmarks.text.recipes import Recipe
from fullmarks.text.steps import (
    ASCII_PUNCTUATION,
    LOWER,
    NO_ASCII_PUNCTUATION,
    NO_ENGLISH_ARTICLES,
    SINGLE_BLANKS,
    Characters,
)

UNDERSCORE = Characters("underscore", "_", becomes=" ")
PUNCTUATION = Characters("ASCII punctuation and ‘ ’ ´ `", ASCII_PUNCTUATION + "‘’´`", becomes=" ")

RECIPE = Recipe("triviaqa", (UNDERSCORE, LOWER, PUNCTUATION, NO_ENGLISH_ARTICLES, SINGLE_BLANKS))

LM_EVAL = Recipe("triviaqa-lm-eval", (LOWER, NO_ASCII_PUNCTUATION))
"""lm-evaluation-harness: articles and inner blanks stay, punctuation goes; predictions are cut and stripped before."""

RECIPES = {recipe.name: recipe for recipe in (RECIPE, LM_EVAL)}
