"""Slices: each is scored as if it were alone, of means and of other scores; sure differences come before large ones."""

from __future__ import annotations

import numpy as np
import pytest

from fullmarks.errors import MismatchError, UsageError
from fullmarks.stats.bootstrap import score_intervals
from fullmarks.stats.comparison import compare_systems
from fullmarks.stats.rows import Floats
from fullmarks.stats.slices import slice_differences, slice_scores

ROWS = np.random.default_rng(1).random((90, 2))
LABELS = ["why", "who", "when"] * 30


def test_a_slice_is_scored_as_if_it_were_alone() -> None:
    clusters = [number // 9 for number in range(90)]
    slices = slice_scores(ROWS, LABELS, seed=4, clusters=clusters)
    assert [each.label for each in slices] == ["why", "who", "when"]
    who = slices[1]
    assert who.examples == 30
    assert who.scores == pytest.approx(ROWS[1::3].mean(axis=0), rel=1e-12)
    assert who.intervals == score_intervals(ROWS[1::3], seed=4, clusters=clusters[1::3])


def test_sure_differences_come_first() -> None:
    random = np.random.default_rng(2)
    labels = ["same"] * 100 + ["sure"] * 200 + ["lucky"] * 3 + ["single"]
    baseline = random.random((304, 1))
    system = baseline + random.normal(0, 0.2, size=(304, 1))
    system[100:300] += 0.1
    system[300:303] = baseline[300:303] + np.array([[0.9], [-0.1], [0.3]])
    found = slice_differences(system, baseline, labels, seed=3)
    assert [each.label for each in found] == ["sure", "lucky", "same"]
    assert found[0].sureness[0] > 0
    assert found[1].sureness[0] == 0
    assert found[1].test.difference > found[0].test.difference, "the case does not tell luck from certainty"
    assert found[0].test == compare_systems(system[100:300], baseline[100:300], seed=3, in_full=False)[0]
    assert slice_differences(baseline - system, baseline - baseline, labels, seed=3)[0].label == "sure"


def test_what_cannot_be_sliced_is_refused() -> None:
    with pytest.raises(MismatchError, match="slice labels: found 2 labels for 90 rows"):
        slice_scores(ROWS, ["a", "b"])
    with pytest.raises(UsageError, match="score_index 2 is out of range: the metric has 2 scores"):
        slice_differences(ROWS, ROWS, LABELS, score_index=2)


def test_slices_of_a_single_unit_are_left_out() -> None:
    random = np.random.default_rng(4)
    rows = random.random((30, 1))
    labels = ["one cluster"] * 10 + ["two clusters"] * 19 + ["one example"]
    clusters = [0] * 10 + [1] * 10 + [2] * 10
    found = slice_differences(rows + 0.1, rows, labels, clusters=clusters)
    assert [each.label for each in found] == ["two clusters"]
    assert {each.label for each in slice_differences(rows + 0.1, rows, labels)} == {"one cluster", "two clusters"}


def ratio(sums: Floats, n: Floats) -> Floats:
    return sums[..., :1] / sums[..., 1:]


def drawn_counts(seed: int) -> Floats:
    source = np.random.default_rng(seed)
    return np.stack([source.integers(0, 5, 60), np.full(60, 8)], axis=1).astype(float)


LABELS_OF_COUNTS = ["x", "y", "y"] * 20
COUNTS, OTHER_COUNTS = drawn_counts(1), drawn_counts(2)
ALONE = tuple(rows[:, :1] / rows[:, 1:] for rows in (COUNTS, OTHER_COUNTS))


@pytest.mark.parametrize("label", ["x", "y"])
def test_a_slice_has_the_wins_of_its_own_examples(label: str) -> None:
    """The lines of counts are of equal length, so that the ratio is the mean of the examples' own."""
    members = [at for at, name in enumerate(LABELS_OF_COUNTS) if name == label]
    found = slice_differences(
        COUNTS, OTHER_COUNTS, LABELS_OF_COUNTS, ratio, example_scores=ALONE, resamples=300, seed=5
    )
    own = next(each.test for each in found if each.label == label)
    parts = (ALONE[0][members], ALONE[1][members])
    settings = {"example_scores": parts, "resamples": 300, "seed": 5, "in_full": False}
    assert own == compare_systems(COUNTS[members], OTHER_COUNTS[members], ratio, **settings)[0]  # type: ignore[arg-type]
    wins = int((ALONE[0][members] > ALONE[1][members]).sum())
    losses = int((ALONE[0][members] < ALONE[1][members]).sum())
    assert (own.outcomes.wins, own.outcomes.losses) == (wins, losses)
    assert own.outcomes.ties == len(members) - wins - losses
    assert own.difference == pytest.approx(
        COUNTS[members, 0].sum() / COUNTS[members, 1].sum()
        - OTHER_COUNTS[members, 0].sum() / OTHER_COUNTS[members, 1].sum()
    )


def test_the_score_of_a_slice_is_that_of_its_sums() -> None:
    x, y = slice_scores(COUNTS, LABELS_OF_COUNTS, ratio, resamples=100)
    for each, label in ((x, "x"), (y, "y")):
        members = [at for at, name in enumerate(LABELS_OF_COUNTS) if name == label]
        assert each.scores == pytest.approx([COUNTS[members, 0].sum() / COUNTS[members, 1].sum()])
