"""NQ-open's rules: SQuAD's normaliser after Unicode's normal form D, and the patterns of CuratedTREC."""

from __future__ import annotations

import re
import warnings
from functools import lru_cache

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


FLAGS = re.IGNORECASE | re.UNICODE | re.MULTILINE
"""Case does not count, `^` and `$` stand at every line."""
_HARMLESS_BITS = 24
"""How many ways of matching, as a power of two, are tried without a bound on their time: a tenth of a second."""
_REPEATED_GROUP = re.compile(r"\)[*+{]")


@lru_cache(maxsize=4096)
def compiled(reference: str) -> re.Pattern[str] | None:
    """A gold of CuratedTREC as Python reads it; None where it is no regular expression: it then matches nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # about brackets that a later Python may read otherwise
            return re.compile(reference, FLAGS)
    except (re.error, ValueError, OverflowError, RecursionError):
        return None


def is_harmless(reference: str, size: int) -> bool:
    """Whether the pattern comes to an end soon on a text of this size, whatever the text; counted generously.

    Each repeat may end at every character, each option or alternative doubles the ways; a repeated group may hold both.

    >>> is_harmless("(the )?[0-9]+ .*", 100), is_harmless("(a|aa)+$", 100)
    (True, False)
    """
    repeats = sum(map(reference.count, "*+{"))
    choices = reference.count("?") + (reference.count("|") if "(" in reference else 0)
    return not _REPEATED_GROUP.search(reference) and repeats * (size + 1).bit_length() + choices <= _HARMLESS_BITS


def matches(prediction: str, reference: str) -> bool:
    """Whether the pattern matches from the start of the prediction; where it ends does not matter.

    >>> matches("New York City", "new york"), matches("in New York", "new york"), matches("(x", "(x")
    (True, False, False)
    """
    pattern = compiled(reference)
    if pattern is None:
        return False
    if is_harmless(reference, len(prediction)):
        return pattern.match(prediction) is not None
    return BoundedPattern(reference, ignore_case=True, multiline=True).match(prediction) is not None
