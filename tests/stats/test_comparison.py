"""Comparing two systems: the parts agree with each other, and equal systems show no difference."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest

from fullmarks.errors import MismatchError
from fullmarks.stats.comparison import FEWEST_FOR_BOOTSTRAP, bootstrap_difference, compare_systems
from fullmarks.stats.paired import EffectSize, Outcomes, mcnemar
from fullmarks.stats.rows import Floats, means


def ratio(sums: Floats, n: Floats) -> Floats:
    return sums[..., :1] / sums[..., 1:]


def scaled(sums: Floats, n: Floats) -> Floats:
    """Means that do not go by the name of `means`: they must take the general path to the same result."""
    return sums / n


RANDOM = np.random.default_rng(5)
BASELINE = np.stack([RANDOM.random(300) < 0.6, np.round(RANDOM.random(300), 1)], axis=1).astype(float)
SYSTEM = np.where(
    RANDOM.random((300, 1)) < 0.4, np.stack([RANDOM.random(300) < 0.9, RANDOM.random(300)], axis=1), BASELINE
)


def test_each_score_gets_its_record() -> None:
    exact_match, f1 = compare_systems(SYSTEM, BASELINE, seed=1)
    assert exact_match.system == SYSTEM[:, 0].mean()
    assert exact_match.difference == pytest.approx(SYSTEM[:, 0].mean() - BASELINE[:, 0].mean(), rel=1e-12)
    counts = exact_match.outcomes
    assert counts.wins == np.count_nonzero(SYSTEM[:, 0] > BASELINE[:, 0])
    assert counts.wins + counts.losses + counts.ties == exact_match.examples == 300
    assert exact_match.p_mcnemar == mcnemar(counts.wins, counts.losses)
    assert exact_match.permutation.p_value == pytest.approx(exact_match.p_mcnemar, rel=1e-12)
    assert (exact_match.effect.name, f1.effect.name) == ("cohen g", "cohen d_z")
    assert f1.p_mcnemar is None
    assert f1.interval.low < f1.difference < f1.interval.high


def test_the_general_path_agrees_with_the_one_of_means() -> None:
    for special, general in zip(
        compare_systems(SYSTEM, BASELINE, means, resamples=20_000, seed=1),
        compare_systems(SYSTEM, BASELINE, scaled, resamples=20_000, seed=2),
        strict=True,
    ):
        error = special.interval.standard_error
        assert error is not None
        assert (special.difference, special.outcomes, special.effect) == (
            general.difference,
            general.outcomes,
            general.effect,
        )
        # Four times the Monte Carlo error of 2.5 % quantiles of 20,000 resamples on both sides is 0.11 of the
        # standard error, and means of 0/1 values move in steps; the bootstrap's deviation is known to 0.5 %.
        tolerance = 0.11 * error + (1 / 300 if special.p_mcnemar is not None else 0)
        assert general.interval.low == pytest.approx(special.interval.low, abs=tolerance)
        assert general.interval.high == pytest.approx(special.interval.high, abs=tolerance)
        assert general.interval.standard_error == pytest.approx(error, rel=0.02)
        assert general.permutation.p_value == pytest.approx(special.permutation.p_value, abs=0.01)
        assert general.p_bootstrap == pytest.approx(special.p_bootstrap, abs=0.01)


@pytest.mark.parametrize("finish", [means, ratio], ids=["means", "ratio"])
@pytest.mark.parametrize("clusters", [None, [number // 5 for number in range(300)]], ids=["examples", "clusters"])
def test_equal_systems_do_not_differ(finish: object, clusters: list[int] | None) -> None:
    rows = np.random.default_rng(1).random((300, 2))
    for test in compare_systems(rows, rows.copy(), finish, method="bca", clusters=clusters):  # type: ignore[arg-type]
        assert test.difference == test.interval.low == test.interval.high == 0.0
        assert test.permutation.p_value == test.p_bootstrap == 1.0
        assert test.outcomes == (Outcomes(0, 0, 300) if finish is means else None)
        assert test.effect == (EffectSize("cohen d_z", 0.0) if finish is means else None)


def test_rounding_alone_is_no_difference() -> None:
    rows = np.random.default_rng(1).random((50, 2))
    resampled = bootstrap_difference(rows, 3 * rows, ratio)
    assert not resampled.estimate.any()
    assert not resampled.replicates.any()


def test_records_hold_plain_numbers() -> None:
    def leaves(value: object) -> list[object]:
        return [leaf for part in value.values() for leaf in leaves(part)] if isinstance(value, dict) else [value]

    for test in compare_systems(SYSTEM, BASELINE):
        assert {type(leaf) for leaf in leaves(asdict(test))} <= {float, int, str, bool, type(None)}


def test_swapping_the_systems_turns_the_sign() -> None:
    for forth, back in zip(compare_systems(SYSTEM, BASELINE), compare_systems(BASELINE, SYSTEM), strict=True):
        assert forth.difference == -back.difference
        assert forth.effect.value == -back.effect.value
        assert (forth.outcomes.wins, forth.outcomes.losses) == (back.outcomes.losses, back.outcomes.wins)
        assert forth.permutation.p_value == back.permutation.p_value


@pytest.mark.parametrize(
    ("repeats", "least", "most"),
    [
        (150, 0.897, 1.0),  # three standard errors of 95 % are 5.3 %
        pytest.param(1_000, 0.93, 0.97, marks=pytest.mark.deep),
    ],
)
def test_intervals_of_differences_cover_the_truth(repeats: int, least: float, most: float) -> None:
    random, covered = np.random.default_rng(31), 0
    for seed in range(repeats):
        matches = random.binomial(20, 0.5, size=(120, 1)).astype(float)
        rows = [
            np.hstack([matches + random.binomial(5, chance, (120, 1)), np.full((120, 1), 25.0)])
            for chance in (0.6, 0.4)
        ]
        resampled = bootstrap_difference(rows[0], rows[1], ratio, resamples=499, seed=seed)
        (interval,) = resampled.intervals()
        covered += interval.low <= 5 * 0.2 / 25 <= interval.high
    assert least <= covered / repeats <= most


def test_clusters_leave_mcnemar_out() -> None:
    exact_match, _ = compare_systems(SYSTEM, BASELINE, clusters=[number // 3 for number in range(300)])
    assert exact_match.p_mcnemar is None


def test_given_example_scores_decide_outcomes_and_effect() -> None:
    system, baseline = np.array([[3.0, 4.0], [1.0, 4.0]]), np.array([[2.0, 4.0], [1.0, 4.0]])
    (alone,) = compare_systems(system, baseline, ratio)
    assert alone.outcomes == Outcomes(wins=1, losses=0, ties=1)
    (given,) = compare_systems(system, baseline, ratio, example_scores=([[0.0], [1.0]], [[0.5], [0.25]]))
    assert (given.outcomes, given.difference) == (Outcomes(1, 1, 0), alone.difference)
    with pytest.raises(MismatchError, match=r"example_scores: found shape \(2,\), expected \(2, 1\)"):
        compare_systems(system, baseline, ratio, example_scores=([0.0, 0.0], [1.0, 1.0]))


def test_a_difference_that_rests_on_held_columns_cannot_be_tested() -> None:
    system, baseline = (
        np.hstack([rows[:, :1], np.full((300, 1), whole)]) for rows, whole in ((SYSTEM, 0.9), (BASELINE, 0.5))
    )
    own, held = compare_systems(system, baseline, scaled, held=[1])
    assert own.p_bootstrap < 0.05
    assert (held.interval.low, held.interval.high) == pytest.approx((0.4, 0.4))
    assert held.p_bootstrap == held.permutation.p_value == 1.0
    # Certain on every example is another thing than held: such a difference is tested.
    (certain,) = compare_systems(np.ones((60, 1)), np.zeros((60, 1)), scaled)
    assert certain.p_bootstrap == 1.0  # without spread the bootstrap knows nothing of chance
    assert certain.permutation.p_value < 1e-6


def test_the_bootstrap_gives_no_p_value_over_few_units() -> None:
    """Over 20 units it told equally good systems apart at 0.05 in 7 % of simulated sets (bench/coverage.py)."""
    few, enough = (compare_systems(SYSTEM[:n], BASELINE[:n], resamples=200) for n in (49, 50))
    assert {test.p_bootstrap for test in few} == {None}
    assert None not in {test.p_bootstrap for test in enough}


@pytest.mark.parametrize("finish", [means, scaled], ids=["means", "scaled"])
def test_one_unit_proves_nothing(finish: object) -> None:
    one = {"clusters": [0] * 5}
    for test in compare_systems(np.ones((5, 1)), np.zeros((5, 1)), finish, **one):  # type: ignore[arg-type]
        assert test.difference == 1.0
        assert test.p_bootstrap is None
        assert test.permutation.p_value == 1.0


def drawn_pair(kind: str, chance: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Two systems that are alike in truth, each another draw around what is shared."""
    if kind == "shares":
        shared = chance.random((n, 1)) < 0.6
        return tuple(  # type: ignore[return-value]
            np.where(chance.random((n, 1)) < 0.3, chance.random((n, 1)) < 0.6, shared).astype(np.float64)
            for _ in range(2)
        )
    steps = np.array([0, 0, 0, 0.25, 0.4, 0.5, 2 / 3, 0.8, 1, 1, 1])
    shared = chance.choice(steps, (n, 1))
    return tuple(  # type: ignore[return-value]
        np.where(chance.random((n, 1)) < 0.4, chance.choice(steps, (n, 1)), shared) for _ in range(2)
    )


@pytest.mark.parametrize(("rounds", "most"), [(80, 0.113), pytest.param(500, 0.081, marks=pytest.mark.deep)])
@pytest.mark.parametrize("kind", ["shares", "parts"])
@pytest.mark.parametrize(("n", "in_cluster"), [(20, 1), (100, 1), (120, 4)])
def test_every_p_value_keeps_its_promise(kind: str, n: int, in_cluster: int, rounds: int, most: float) -> None:
    """Up to 0.05 in at most 6 % of the rounds, and two standard errors of such a share."""
    chance = np.random.default_rng(20)
    alarms = {"permutation": 0, "bootstrap": 0, "mcnemar": 0, "interval": 0}
    clusters = None if in_cluster == 1 else [at // in_cluster for at in range(n)]
    for seed in range(rounds):
        system, baseline = drawn_pair(kind, chance, n)
        (test,) = compare_systems(system, baseline, resamples=199, seed=seed, clusters=clusters)
        assert (test.p_bootstrap is None) == (n // in_cluster < FEWEST_FOR_BOOTSTRAP)
        alarms["permutation"] += test.permutation.p_value <= 0.05
        alarms["bootstrap"] += test.p_bootstrap is not None and test.p_bootstrap <= 0.05
        alarms["mcnemar"] += test.p_mcnemar is not None and test.p_mcnemar <= 0.05
        alarms["interval"] += not test.interval.low <= 0 <= test.interval.high
    assert {name: found / rounds for name, found in alarms.items() if found / rounds > most} == {}
