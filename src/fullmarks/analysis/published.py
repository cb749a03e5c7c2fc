"""The scores of a result as its benchmark publishes them: under its names, in its scale, with its digits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fullmarks.result import flat_numbers

if TYPE_CHECKING:
    from fullmarks.result import Result


_ROUNDED = 5e-4
"""How far published rounding moves a number, as a part of the scale: that of three decimals of a number up to 1."""


def official_names(result: Result) -> dict[str, str]:
    """Every score of a result with the key that the official result has for it."""
    renamed = result.rules.official_names
    return {name: renamed.get(name, name) for metric in result.tally.metrics for name in metric.scores}


def score_named(result: Result, key: str) -> str | None:
    """The score that the official number of this name is; None where that is something else, such as a count."""
    official = flat_numbers(result.official)
    for score, name in official_names(result).items():
        value = result.scale * result.scores[score]
        if name == key and math.isclose(official[key], value, abs_tol=_ROUNDED * result.scale):
            return score
    return None


def published_scores(result: Result) -> dict[str, float]:
    """Every score in the official scale: the official number itself where there is one.

    A key of the same name that holds another quantity differs by more than the order of rounding, and is not taken.
    """
    official = flat_numbers(result.official)
    found = {}
    for score, name in official_names(result).items():
        value = result.scale * result.scores[score]
        published = official.get(name, value)
        found[score] = published if math.isclose(published, value, rel_tol=1e-12) else value
    return found
