"""NQ-open's rules: SQuAD's normaliser after Unicode's normal form D, and the patterns of CuratedTREC."""

from __future__ import annotations

import re

from fullmarks.text.bounded_regex import BoundedPattern
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


def pattern(reference: str) -> BoundedPattern:
    """A gold of CuratedTREC: case does not count, `^` and `$` stand at every line."""
    return BoundedPattern(reference, ignore_case=True, multiline=True)


def compiles(reference: str) -> bool:
    """Whether a gold is a regular expression that Python reads; one that is not matches nothing.

    >>> compiles("19[0-9]+"), compiles("(unclosed")
    (True, False)
    """
    try:
        re.compile(reference, re.IGNORECASE | re.MULTILINE | re.UNICODE)
    except (re.error, ValueError, OverflowError, RecursionError):
        return False
    pattern(reference).check()
    return True


def matches(prediction: str, reference: str) -> bool:
    """Whether the pattern matches from the start of the prediction; where it ends does not matter.

    >>> matches("New York City", "new york"), matches("in New York", "new york")
    (True, False)
    """
    return compiles(reference) and pattern(reference).match(prediction) is not None
