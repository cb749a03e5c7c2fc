"""Slices of scores that are no means: each slice gets the scores of its own examples."""

from __future__ import annotations

import numpy as np
import pytest

from fullmarks.stats.comparison import compare_systems
from fullmarks.stats.rows import Floats
from fullmarks.stats.slices import slice_differences, slice_scores


def ratio(sums: Floats, n: Floats) -> Floats:
    return sums[..., :1] / sums[..., 1:]


def drawn(seed: int) -> Floats:
    source = np.random.default_rng(seed)
    return np.stack([source.integers(0, 5, 60), np.full(60, 8)], axis=1).astype(float)


LABELS = ["x", "y", "y"] * 20
SYSTEM, BASELINE = drawn(1), drawn(2)
ALONE = tuple(rows[:, :1] / rows[:, 1:] for rows in (SYSTEM, BASELINE))


@pytest.mark.parametrize("label", ["x", "y"])
def test_a_slice_has_the_wins_of_its_own_examples(label: str) -> None:
    """The lines of counts are of equal length, so that the ratio is the mean of the examples' own."""
    members = [at for at, name in enumerate(LABELS) if name == label]
    found = slice_differences(SYSTEM, BASELINE, LABELS, ratio, example_scores=ALONE, resamples=300, seed=5)
    own = next(each.test for each in found if each.label == label)
    parts = (ALONE[0][members], ALONE[1][members])
    settings = {"example_scores": parts, "resamples": 300, "seed": 5, "in_full": False}
    assert own == compare_systems(SYSTEM[members], BASELINE[members], ratio, **settings)[0]  # type: ignore[arg-type]
    wins = int((ALONE[0][members] > ALONE[1][members]).sum())
    losses = int((ALONE[0][members] < ALONE[1][members]).sum())
    assert (own.outcomes.wins, own.outcomes.losses) == (wins, losses)
    assert own.outcomes.ties == len(members) - wins - losses
    assert own.difference == pytest.approx(
        SYSTEM[members, 0].sum() / SYSTEM[members, 1].sum() - BASELINE[members, 0].sum() / BASELINE[members, 1].sum()
    )


def test_the_score_of_a_slice_is_that_of_its_sums() -> None:
    x, y = slice_scores(SYSTEM, LABELS, ratio, resamples=100)
    for each, label in ((x, "x"), (y, "y")):
        members = [at for at, name in enumerate(LABELS) if name == label]
        assert each.scores == pytest.approx([SYSTEM[members, 0].sum() / SYSTEM[members, 1].sum()])
