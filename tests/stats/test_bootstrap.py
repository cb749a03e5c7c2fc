"""Intervals: against SciPy and sacrebleu, coverage on simulated data, clusters, and rows without spread."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from fullmarks.errors import InputError, UsageError
from fullmarks.stats.bootstrap import bca_tails, bootstrap, score_intervals
from fullmarks.stats.comparison import bootstrap_difference
from fullmarks.stats.interval import Method
from fullmarks.stats.rows import Floats, means, units_of
from fullmarks.stats.standard_error import mean_standard_errors

SKEWED = np.random.default_rng(7).exponential(size=(60, 1))
BINARY = (np.random.default_rng(8).random((400, 1)) < 0.8).astype(float)
F1_LIKE = np.round(np.random.default_rng(9).beta(0.4, 0.2, size=(500, 1)), 2)


def ratio(sums: Floats, n: Floats) -> Floats:
    """A corpus score that is no mean: the sum of one column over that of another."""
    return sums[..., :1] / sums[..., 1:]


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("rows", [SKEWED, BINARY, F1_LIKE], ids=["skewed", "binary", "f1"])
def test_intervals_of_means_equal_scipy(rows: Floats, method: Method) -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs scipy: make install")
    reference = stats.bootstrap(
        (rows[:, 0],), np.mean, n_resamples=20_000, method=method, random_state=np.random.default_rng(1)
    )
    (ours,) = score_intervals(rows, method=method, resamples=20_000, seed=2)
    # The 2.5 % quantile of 20,000 normal draws has a standard error of sqrt(.025 * .975 / 20000) / pdf(1.96),
    # 0.019 standard errors of the mean; both sides draw (x 1.4), skew and BCa stretch the tail (x 1.5 at
    # most): 4 times that is 0.16. Means of 0/1 values move in steps, so one step more.
    tolerance = 0.16 * float(mean_standard_errors(rows)[0]) + 1 / len(rows) * (rows is BINARY)
    assert ours.method == method
    assert ours.low == pytest.approx(reference.confidence_interval.low, abs=tolerance)
    assert ours.high == pytest.approx(reference.confidence_interval.high, abs=tolerance)


@pytest.mark.parametrize("rows", [SKEWED, F1_LIKE], ids=["skewed", "f1"])
def test_bca_takes_the_quantiles_of_the_same_replicates_that_scipy_takes(rows: Floats) -> None:
    """Without a draw of our own nothing but the formula is left: the last digits alone may differ."""
    stats = pytest.importorskip("scipy.stats", reason="needs scipy: make install")
    reference = stats.bootstrap((rows[:, 0],), np.mean, n_resamples=999, random_state=np.random.default_rng(1))
    replicates = reference.bootstrap_distribution
    units = units_of(rows)
    jackknife = (rows.sum() - units.sums[:, 0]) / (len(rows) - 1)
    tails = bca_tails((0.025, 0.975), float(rows.mean()), replicates, jackknife, units)
    assert tails is not None
    assert np.quantile(replicates, tails) == pytest.approx(tuple(reference.confidence_interval), rel=1e-12)


def test_bca_differs_from_percentile_where_it_should() -> None:
    (bca,) = score_intervals(SKEWED, method="bca")
    (percentile,) = score_intervals(SKEWED, method="percentile")
    error = float(mean_standard_errors(SKEWED)[0])
    assert bca.high - percentile.high > 0.16 * error, "the SciPy test could not tell the methods apart"


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_intervals_of_a_corpus_score_equal_scipy(method: Method) -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs scipy: make install")
    random = np.random.default_rng(3)
    lengths = random.integers(1, 30, size=80).astype(float)
    rows = np.stack([random.binomial(lengths.astype(int), 0.3).astype(float), lengths], axis=1)
    reference = stats.bootstrap(
        (rows[:, 0], rows[:, 1]),
        lambda matches, totals, axis: matches.sum(axis=axis) / totals.sum(axis=axis),
        paired=True,
        vectorized=True,
        n_resamples=20_000,
        method=method,
        random_state=random,
    )
    (ours,) = score_intervals(rows, ratio, method=method, resamples=20_000, seed=2)
    # As above, in units of the bootstrap's own standard error, which both sides estimate to half a percent.
    tolerance = 0.16 * reference.standard_error
    assert ours.low == pytest.approx(reference.confidence_interval.low, abs=tolerance)
    assert ours.high == pytest.approx(reference.confidence_interval.high, abs=tolerance)
    assert ours.standard_error == pytest.approx(reference.standard_error, rel=0.03)
    assert ours.standard_error_from == "resamples"


def bleu(sums: Floats, n: Floats) -> Floats:
    """BLEU of sacrebleu's statistics (lengths, matches and totals by order), with no smoothing, in 0-1."""
    hypothesis, reference = sums[..., 0], sums[..., 1]
    precisions = sums[..., 2:6] / sums[..., 6:10]
    brevity = np.minimum(1.0, np.exp(1 - reference / hypothesis))
    scores: Floats = (brevity * np.exp(np.log(precisions).mean(axis=-1)))[..., None]
    return scores


def corpus(random: np.random.Generator, damage: float) -> list[str]:
    """Always the same sentences over a small vocabulary, with the given share of words replaced."""
    words = [f"w{number}" for number in range(60)]
    originals = np.random.default_rng(11).integers(0, 60, size=(250, 18))
    broken = np.where(random.random(originals.shape) < damage, random.integers(0, 60, originals.shape), originals)
    return [" ".join(words[number] for number in line) for line in broken]


def test_paired_bootstrap_of_bleu_equals_sacrebleu() -> None:
    sacrebleu: Any = pytest.importorskip("sacrebleu", reason="needs sacrebleu: make install")
    significance: Any = pytest.importorskip("sacrebleu.significance", reason="needs sacrebleu: make install")
    random = np.random.default_rng(12)
    references, baseline, system = [corpus(random, 0.0)], corpus(random, 0.22), corpus(random, 0.20)
    metric = sacrebleu.BLEU(references=references)
    resamples = 6_000
    named = [("baseline", baseline), ("system", system)]
    _, results = significance.PairedTest(named, {"BLEU": metric}, None, test_type="bs", n_samples=resamples)()
    theirs_baseline, theirs = results["BLEU"]
    rows = {name: np.array(metric._extract_corpus_statistics(texts, None), dtype=float) for name, texts in named}
    ours = bootstrap(rows["system"], bleu, resamples=resamples, seed=1)
    (interval,) = ours.intervals(method="percentile")
    assert 100 * ours.estimate[0] == pytest.approx(theirs.score, rel=1e-12)
    # A bootstrap deviation of 0.011 puts Monte Carlo error at 0.011 / sqrt(6000) = 1.4e-4 (mean) and
    # 0.011 * 0.034 / sqrt(2) = 2.7e-4 (half width) on each side: 1e-3 is over three of the two together.
    assert interval.standard_error is not None
    assert interval.standard_error < 0.012
    assert ours.replicates.mean() == pytest.approx(theirs.mean / 100, abs=1e-3)
    assert (interval.high - interval.low) / 2 == pytest.approx(theirs.ci / 100, abs=1e-3)
    # sacrebleu's p-value counts one tail: the absolute differences, less their mean, above the found one.
    resampled = bootstrap_difference(rows["system"], rows["baseline"], bleu, resamples=resamples, seed=1)
    differences = np.abs(resampled.replicates[:, 0])
    above = np.count_nonzero(differences - differences.mean() > abs(float(resampled.estimate[0])))
    p_value = (above + 1) / (resamples + 1)
    deviation = math.sqrt(2 * theirs.p_value * (1 - theirs.p_value) / resamples)
    assert p_value == pytest.approx(theirs.p_value, abs=4 * deviation)
    assert 100 * (ours.estimate[0] - resampled.estimate[0]) == pytest.approx(theirs_baseline.score, rel=1e-12)


# Three standard errors of 95 % of 150 data sets are 5.3 %; of 1,000 the share itself is known to 0.7 %.
@pytest.mark.parametrize(
    ("repeats", "least", "most"), [(150, 0.897, 1.0), pytest.param(1_000, 0.93, 0.97, marks=pytest.mark.deep)]
)
@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_95_percent_intervals_cover_the_truth(method: Method, repeats: int, least: float, most: float) -> None:
    random = np.random.default_rng(21)
    values, chances = [0.0, 0.4, 0.5, 0.8, 1.0], [0.2, 0.1, 0.1, 0.1, 0.5]
    truth = float(np.dot(values, chances))
    covered = 0
    for seed in range(repeats):
        rows = random.choice(values, p=chances, size=(150, 1))
        (interval,) = score_intervals(rows, method=method, resamples=999, seed=seed)
        covered += interval.low <= truth <= interval.high
    assert least <= covered / repeats <= most


# Three standard errors of 95 % of 150 data sets are 5.3 %, beside what a deep run allows.
@pytest.mark.parametrize(
    ("repeats", "least", "most"), [(150, 0.867, 1.0), pytest.param(1_000, 0.92, 0.97, marks=pytest.mark.deep)]
)
def test_clusters_cover_the_truth_where_single_examples_do_not(repeats: int, least: float, most: float) -> None:
    random = np.random.default_rng(22)
    clusters = np.repeat(np.arange(60), 5).tolist()
    covered = {"clusters": 0, "examples": 0}
    for seed in range(repeats):
        rows = (np.repeat(random.normal(size=60), 5) + random.normal(size=300))[:, None]
        for name, labels in (("clusters", clusters), ("examples", None)):
            (interval,) = score_intervals(rows, resamples=500, seed=seed, clusters=labels, method="percentile")
            covered[name] += interval.low <= 0 <= interval.high
    assert least <= covered["clusters"] / repeats <= most
    assert covered["examples"] / repeats < 0.80


def test_bca_without_bias_and_skew_is_the_percentile_interval() -> None:
    # Half of the ties count as below: one and half of two, of four. The jackknife is symmetric.
    units = units_of(np.array([[0.0], [1.0]]))
    tails = bca_tails((0.025, 0.975), 0.5, np.array([0.0, 0.5, 0.5, 1.0]), np.array([1.0, 0.0]), units)
    assert tails == pytest.approx((0.025, 0.975), rel=1e-12)


@pytest.mark.parametrize("clusters", [None, [0, 0, 1, 2, 2, 2, 3]], ids=["examples", "clusters"])
def test_the_jackknife_leaves_each_unit_out_once(clusters: list[int] | None) -> None:
    rows = np.array([0.5, 1.0, 0.0, 0.25, 0.25, 1.0, 0.5])
    labels = np.array(clusters if clusters is not None else range(7))
    expected = sorted(float(rows[labels != label].mean()) for label in set(labels.tolist()))
    resampled = bootstrap(rows[:, None], resamples=2, clusters=clusters)
    found = np.repeat(resampled.jackknife[:, 0], resampled.units.multiplicity)
    assert sorted(found) == pytest.approx(expected, rel=1e-12)


def test_a_seed_decides_every_digit() -> None:
    first = score_intervals(F1_LIKE, seed=3, method="bca")
    assert first == score_intervals(F1_LIKE.copy(), seed=3, method="bca")
    assert first != score_intervals(F1_LIKE, seed=4, method="bca")


def test_clusters_of_one_example_change_nothing() -> None:
    labels = [f"paragraph {number}" for number in range(len(F1_LIKE))]
    assert score_intervals(F1_LIKE, seed=3, clusters=labels) == score_intervals(F1_LIKE, seed=3)


def test_the_order_of_examples_changes_nothing() -> None:
    shuffled = np.random.default_rng(1).permutation(F1_LIKE)
    (ours,), (theirs,) = score_intervals(F1_LIKE, seed=3), score_intervals(shuffled, seed=3)
    # Only the order of additions differs.
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-12)


def test_standard_errors_of_means_equal_the_formula_and_the_resamples() -> None:
    expected = SKEWED[:, 0].std(ddof=1) / math.sqrt(len(SKEWED))
    assert mean_standard_errors(SKEWED)[0] == pytest.approx(expected, rel=1e-12)
    labels = np.random.default_rng(2).integers(0, 80, size=len(F1_LIKE)).tolist()
    from_resamples = bootstrap(F1_LIKE, resamples=20_000, clusters=labels).replicates.std()
    # A deviation from 20,000 resamples is known to 0.5 %; the formula's 80/79 and curvature add about 1 %.
    assert mean_standard_errors(F1_LIKE, clusters=labels)[0] == pytest.approx(from_resamples, rel=0.03)


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("finish", [means, ratio], ids=["means", "ratio"])
@pytest.mark.parametrize("n", [1, 2, 50])
def test_rows_without_spread_give_an_interval_without_width(n: int, finish: Any, method: Method) -> None:
    rows = np.tile([0.1, 0.3], (n, 1))
    for estimate, interval in zip(
        bootstrap(rows, finish).estimate, score_intervals(rows, finish, method=method), strict=True
    ):
        assert interval.low == interval.high == estimate
        assert interval.method == "percentile"
        assert interval.note
        assert (interval.standard_error is None) == (n == 1)


def test_a_column_without_spread_beside_one_with_it_has_no_width() -> None:
    rows = np.hstack([F1_LIKE, np.full_like(F1_LIKE, 1 / 3)])
    first, second = score_intervals(rows, method="bca")
    assert first.method == "bca"
    assert (second.low, second.method) == (second.high, "percentile")


def test_resamples_without_a_score_are_left_out_and_told() -> None:
    rows = np.array([[1.0, 1.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    (interval,) = score_intervals(rows, ratio, method="percentile", resamples=4_000)
    assert (interval.low, interval.high) == (0.0, 1.0)
    left_out = int(interval.note.split()[0])
    # (1/2)^4 of the resamples hold neither of the first two rows; five standard errors.
    assert abs(left_out / 4_000 - 1 / 16) < 5 * math.sqrt(1 / 16 * 15 / 16 / 4_000)


def test_a_score_that_is_undefined_stays_undefined() -> None:
    (interval,) = score_intervals(np.zeros((5, 2)), ratio)
    assert math.isnan(interval.low)
    assert math.isnan(interval.high)
    assert interval.note == "the score of these rows is undefined"


def test_refusals_say_what_to_do() -> None:
    with pytest.raises(InputError, match="nothing to resample"):
        score_intervals(np.empty((0, 1)))
    with pytest.raises(UsageError, match=r"level 95 is not between 0 and 1; for 95 % give 0\.95"):
        score_intervals(F1_LIKE, level=95)
    with pytest.raises(UsageError, match="level must be a number, found '95 %'"):
        score_intervals(F1_LIKE, level="95 %")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="unknown interval method 'basic'"):
        score_intervals(F1_LIKE, method="basic")  # type: ignore[arg-type]
