"""MLQA's normalisers, one for each language of the answer: its articles, and Chinese characters as tokens."""

from __future__ import annotations

from fullmarks.text.recipes import CHINESE_STEPS, Recipe
from fullmarks.text.steps import (
    LOWER,
    NO_ENGLISH_ARTICLES,
    NO_PUNCTUATION,
    SINGLE_BLANKS,
    Anywhere,
    Step,
    Substitute,
    Words,
)

ARTICLES: dict[str, tuple[Step, ...]] = {
    "en": (NO_ENGLISH_ARTICLES,),
    "es": (Words("Spanish articles", ("un", "una", "unos", "unas", "el", "la", "los", "las")),),
    "de": (
        Words(
            "German articles",
            ("ein", "eine", "einen", "einem", "eines", "einer", "der", "die", "das", "den", "dem", "des"),
        ),
    ),
    "ar": (Anywhere("the Arabic article, inside words too,", "ال"),),
    "hi": (),
    "vi": (Words("Vietnamese particles", ("của", "là", "cái", "chiếc", "những")),),
    "zh": (),
}


def recipe_of(language: str) -> Recipe:
    """The normaliser for answers in a language."""
    order: tuple[Step, ...] = (LOWER, NO_PUNCTUATION, *ARTICLES[language], SINGLE_BLANKS)
    return Recipe(f"mlqa-{language}", CHINESE_STEPS if language == "zh" else order)


_AT_WORD_STARTS = Substitute("the Arabic article at word starts to blank", r"(?:^|\s)ال", " ")
LM_EVAL_ARABIC = Recipe("mlqa-ar-lm-eval", (LOWER, NO_PUNCTUATION, _AT_WORD_STARTS, SINGLE_BLANKS))
"""lm-evaluation-harness: the article only at the start of the text or after white space."""

RECIPES = {recipe.name: recipe for recipe in (*map(recipe_of, ARTICLES), LM_EVAL_ARABIC)}
