"""On how many data sets a system is surely better, when it was tested on each of them.

The smallest p-values of many tests are small by luck alone. That at least u of N null hypotheses are false is shown by
the u-th smallest p-value times N - u + 1, whatever the data sets have in common; the largest such u is the count.
Source: Dror, Baumer, Bogomolov, Reichart, Replicability Analysis for Natural Language Processing: Testing Significance
with Multiple Datasets (2017), the count by Bonferroni's partial conjunctions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fullmarks.errors import UsageError
from fullmarks.stats.corrections import holm


@dataclass(frozen=True)
class Replicability:
    """How many data sets show an effect, and which ones can be named."""

    count: int
    """At least so many, with the chance of the level's complement to claim too many."""
    named: tuple[int, ...]
    """The positions that Holm's procedure rejects; they may be fewer than the count."""
    level: float


def replicability(p_values: Sequence[float], *, level: float = 0.05) -> Replicability:
    """The count from one one-sided p-value per data set; none give 0.

    >>> replicability([0.001, 0.02, 0.3, 0.01]).count
    3
    """
    if not 0 < level < 1:
        raise UsageError(f"level {level} is not between 0 and 1")
    adjusted = holm(p_values)
    count = 0
    for place, value in enumerate(sorted(p_values)):
        if value * (len(p_values) - place) > level:
            break  # a larger number would need this smaller one to be shown as well
        count = place + 1
    return Replicability(count, tuple(at for at, value in enumerate(adjusted) if value <= level), level)
