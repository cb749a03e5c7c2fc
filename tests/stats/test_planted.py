"""Differences that are planted by drawing: they are there, in whole clusters too, and tests find them as planned."""

from __future__ import annotations

import numpy as np
import pytest

from fullmarks.errors import UsageError
from fullmarks.stats.planted import Tilt, correlated_rows, paired_rows, share_found
from fullmarks.stats.power import Plan, paired_error
from fullmarks.stats.standard_error import mean_standard_errors


def two(n, seed=0, shares=(0.6, 0.62)):
    random = np.random.default_rng(seed)
    return tuple((random.random((n, 1)) < share).astype(float) for share in shares)


@pytest.mark.parametrize("difference", [-0.1, 0.0, 0.05, 0.3])
def test_the_difference_is_planted(difference):
    system, baseline = two(500)
    chances = Tilt(paired_rows(system, baseline)).chances(difference)
    assert chances.sum() == pytest.approx(1)
    assert float(chances @ (system - baseline)[:, 0]) == pytest.approx(difference, abs=1e-9)


def test_it_is_planted_in_whole_clusters():
    random = np.random.default_rng(1)
    system, baseline = two(300, 2)
    labels = random.integers(0, 40, 300).tolist()
    pairs = paired_rows(system, baseline, clusters=labels)
    chances = Tilt(pairs).chances(0.1)
    sums = np.array([(system - baseline)[members].sum() for members in pairs.members])
    sizes = np.array([len(members) for members in pairs.members])
    assert chances @ sums / (chances @ sizes) == pytest.approx(0.1, abs=1e-9)
    assert sorted(np.concatenate(pairs.members).tolist()) == list(range(300))


def test_it_is_planted_in_scores_that_are_no_means():
    random = np.random.default_rng(3)
    system, baseline = random.random((200, 2)) + 0.1, random.random((200, 2)) + 0.1

    def ratio(sums, n):
        return sums[..., :1] / sums[..., 1:]

    chances = Tilt(paired_rows(system, baseline, ratio)).chances(0.2)
    ours, theirs = (float(chances @ rows[:, 0] / (chances @ rows[:, 1])) for rows in (system, baseline))
    assert ours - theirs == pytest.approx(0.2, abs=1e-9)


# Two standard errors of 80 % of 400 are 4 %; three of 100 are 12 %, and of 5 % they are 6.5 %.
@pytest.mark.parametrize(
    ("repetitions", "off_power", "off"), [(100, 0.12, 0.065), pytest.param(400, 0.05, 0.03, marks=pytest.mark.deep)]
)
def test_planned_power_is_found(repetitions, off_power, off):
    """Scores of many values, so that the test is not held back by whole counts."""
    random = np.random.default_rng(4)
    baseline = random.random((300, 1))
    system = np.clip(baseline + random.normal(0, 0.2, (300, 1)), 0, 1)
    error = float(mean_standard_errors(system - baseline)[0])
    planted = Plan().smallest_difference(error)
    settings = {"level": 0.05, "repetitions": repetitions, "permutations": 200}
    assert share_found(paired_rows(system, baseline), planted, 300, **settings) == pytest.approx(0.8, abs=off_power)
    assert share_found(paired_rows(system, baseline), 0.0, 300, **settings) == pytest.approx(0.05, abs=off)


# Three standard errors of 80 %: of 80 repetitions 13.4 %, of 300 7 %.
@pytest.mark.parametrize(("repetitions", "off"), [(80, 0.134), pytest.param(300, 0.07, marks=pytest.mark.deep)])
def test_clusters_are_planned_for_as_clusters(repetitions, off):
    """Swapped example by example the difference would be found nearly always."""
    random = np.random.default_rng(5)
    labels = np.repeat(np.arange(300), 3)
    change = random.normal(0, 0.3, 300)[labels][:, None] + random.normal(0, 0.05, (900, 1))
    baseline = random.random((900, 1))
    pairs = paired_rows(baseline + change, baseline, clusters=labels.tolist())
    error = float(mean_standard_errors(change, clusters=labels.tolist())[0])
    planted = Plan().smallest_difference(error)
    share = share_found(pairs, planted, 300, level=0.05, repetitions=repetitions, permutations=200)
    assert share == pytest.approx(0.8, abs=off)


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.8])
def test_a_second_system_is_made_with_the_correlation(correlation):
    rows, _ = two(4_000, 6)
    pairs = correlated_rows(rows, correlation)
    drawn = np.random.default_rng(7).choice(len(pairs.system), 40_000, p=pairs.chances)
    found = np.corrcoef(pairs.system[drawn, 0], pairs.baseline[drawn, 0])[0, 1]
    assert found == pytest.approx(correlation, abs=0.03)  # 5 others of each of 4,000 rows: an error of 1 %
    error = float(mean_standard_errors(rows)[0])
    difference = (pairs.system - pairs.baseline)[drawn, 0]
    known = paired_error(error, error, correlation) * np.sqrt(4_000)
    assert float(difference.std()) == pytest.approx(known, rel=0.04)


def test_what_cannot_be_planted():
    system, baseline = two(20)
    with pytest.raises(UsageError, match="a difference of 2 cannot be planted"):
        Tilt(paired_rows(system, baseline)).chances(2.0)
    with pytest.raises(UsageError, match="speaks for a difference"):
        Tilt(paired_rows(system, system))
    with pytest.raises(UsageError, match=r"from 0 to below 1, found -0\.5"):
        correlated_rows(system, -0.5)
