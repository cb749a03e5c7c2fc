"""Holm's correction: by hand, and as the procedure it stands for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullmarks.errors import UsageError
from fullmarks.stats.corrections import Corrected, holm, tarone_holm

p_values = st.lists(st.floats(0, 1), max_size=8)


def test_by_hand() -> None:
    # Ascending 0.005, 0.01, 0.03, 0.04 times 4, 3, 2, 1 is 0.02, 0.03, 0.06, 0.04; the last may not fall
    # below the one before it.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02], rel=1e-15)
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([0.02]) == [0.02]
    assert holm([]) == []


@given(p_values, st.sampled_from([0.01, 0.05, 0.2]))
def test_adjusted_values_reject_what_stepping_down_rejects(values: list[float], level: float) -> None:
    rejected = set()
    for rank, position in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        if values[position] * (len(values) - rank) > level:
            break
        rejected.add(position)
    assert {position for position, adjusted in enumerate(holm(values)) if adjusted <= level} == rejected


@pytest.mark.parametrize("value", [-0.1, 1.5, float("nan")])
def test_what_is_no_p_value_is_refused(value: float) -> None:
    with pytest.raises(UsageError, match="at position 1 is not between 0 and 1"):
        holm([0.5, value])


def test_tests_that_cannot_reach_the_level_are_not_counted() -> None:
    # Of the five, two could come below 0.05 / 2; three of them below 0.05 / 3 there are not.
    found = tarone_holm([0.01, 0.03, 1.0, 0.5, 0.2], [0.001, 0.02, 1.0, 0.5, 0.125], 0.05)
    assert found[:2] == [Corrected(0.02, is_counted=True), Corrected(0.03, is_counted=True)]
    assert found[2:] == [
        Corrected(1.0, is_counted=False),
        Corrected(1.0, is_counted=False),
        Corrected(0.4, is_counted=False),
    ]


@given(p_values)
def test_where_every_test_could_it_is_holm(values: list[float]) -> None:
    assert [each.p_value for each in tarone_holm(values, [0.0] * len(values), 0.05)] == holm(values)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=12))
def test_no_test_that_is_not_counted_is_significant(pairs: list[tuple[float, float]]) -> None:
    smallest = [min(pair) for pair in pairs]
    for each in tarone_holm([max(pair) for pair in pairs], smallest, 0.05):
        assert each.is_counted or each.p_value > 0.05 * (1 - 1e-12)
