"""On how many data sets a system is better: the definition, and how often too many are claimed."""

from __future__ import annotations

import numpy as np
import pytest

from fullmarks.errors import UsageError
from fullmarks.stats.replicability import replicability


def by_definition(p_values: list[float], level: float) -> int:
    """The largest u whose partial conjunction p-value, made monotone, is at or under the level."""
    ordered, most, count = sorted(p_values), 0.0, 0
    for u in range(1, len(ordered) + 1):
        most = max(most, (len(ordered) - u + 1) * ordered[u - 1])
        if most <= level:
            count = u
    return count


def test_it_is_the_definition_of_the_paper() -> None:
    random = np.random.default_rng(8)
    for _ in range(200):
        p_values = (random.random(random.integers(1, 9)) ** 4).tolist()
        assert replicability(p_values).count == by_definition(p_values, 0.05)
    assert replicability([]).count == 0
    assert replicability([0.01] * 5).count == 5
    assert replicability([0.04] * 5).count == 0
    assert replicability([0.001, 0.2, 0.02]).named == (0, 2)


@pytest.mark.parametrize("better", [0, 3])
def test_too_many_are_claimed_seldom(better: int) -> None:
    random, claimed = np.random.default_rng(9), 0
    for _ in range(4000):
        p_values = [*([1e-9] * better), *random.random(7).tolist()]
        claimed += replicability(p_values).count > better
    assert claimed / 4000 <= 0.05 + 3 * (0.05 * 0.95 / 4000) ** 0.5


def test_levels() -> None:
    with pytest.raises(UsageError, match="level 1 is not between 0 and 1"):
        replicability([0.5], level=1)
    with pytest.raises(UsageError, match="not between 0 and 1"):
        replicability([1.5])
