"""DROP's normaliser of a span: number-aware, piece by piece between blanks and hyphens. Source: its evaluation script.

What Python's float reads is a number, so that "1,000", "1e3" and "١٠٠٠" are 1000.0.
"""

from __future__ import annotations

from fullmarks.text.recipes import Recipe
from fullmarks.text.steps import LOWER, NO_ASCII_PUNCTUATION, NO_ENGLISH_ARTICLES, SINGLE_BLANKS, Apply, EachPiece


def is_number(text: str) -> bool:
    """Whether Python's float reads the text."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def without_punctuation(piece: str) -> str:
    """A number as it is, anything else without ASCII punctuation."""
    return piece if is_number(piece) else NO_ASCII_PUNCTUATION(piece)


def as_float(piece: str) -> str:
    """A number as Python writes its float, anything else as it is."""
    return str(float(piece)) if is_number(piece) else piece


RECIPE = Recipe(
    "drop",
    (
        EachPiece(
            "pieces between blanks and hyphens",
            " -",
            (
                LOWER,
                Apply("ASCII punctuation deleted unless a number", without_punctuation),
                Apply("numbers as floats", as_float),
                NO_ENGLISH_ARTICLES,
                SINGLE_BLANKS,
            ),
        ),
    ),
)
RECIPES = {RECIPE.name: RECIPE}
