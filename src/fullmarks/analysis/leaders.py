"""The first and the second of several systems, and whether they can be told apart.

Which two they are is seen in the same scores that they are then tested on: hence interval and p-value are corrected for
all pairs of systems that could have been the first two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fullmarks.analysis.compare import difference_of
from fullmarks.analysis.direction import less_is_better
from fullmarks.stats.slices import simultaneous_level

if TYPE_CHECKING:
    from fullmarks.analysis.standings import Standings
    from fullmarks.stats.comparison import PairedTest


@dataclass(frozen=True)
class Leaders:
    """The best two systems by the main score."""

    best: str
    second: str
    test: PairedTest
    """Best minus second; its interval holds for all pairs at once."""
    p_value: float
    """That of the permutation test, corrected for all pairs."""
    pairs: int


def leaders(standings: Standings) -> Leaders | None:
    """The first two of the systems whose main score is defined; None where fewer than two are."""
    score = standings.main_score
    values = {name: run.scores[score] for name, run in standings.runs.items() if not math.isnan(run.scores[score])}
    if len(values) < 2:
        return None
    best, second, *_ = sorted(values, key=values.__getitem__, reverse=not less_is_better(standings.base, score))
    pairs = math.comb(len(values), 2)
    sampling = replace(standings.sampling, level=simultaneous_level(standings.sampling.level, pairs))
    test = difference_of(standings.runs[best], standings.runs[second], score, level=sampling.level, sampling=sampling)
    return Leaders(best, second, test, min(1.0, pairs * test.permutation.p_value), pairs)
