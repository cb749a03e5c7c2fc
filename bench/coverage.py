"""How often the intervals hold the truth, tests find what is not there, and gates fail what is as good: by simulation.

    python bench/coverage.py                 the tables of docs/statistics.md, in twenty minutes
    python bench/coverage.py --times 200     the same, rougher

Every draw follows from --seed. The standard error of a share is the root of share (1 - share) / times.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: small matrices only wait for other threads

import numpy as np

from fullmarks.metrics.bucket_sums import BUCKETS, BucketSums, buckets_of
from fullmarks.stats.bootstrap import bootstrap_of, score_intervals
from fullmarks.stats.comparison import compare_systems
from fullmarks.stats.fid_infinity import fid_infinity
from fullmarks.stats.frechet_influence import FeatureSet, frechet_influences
from fullmarks.stats.gaussian import GaussianStatistics
from fullmarks.stats.interval import METHODS
from fullmarks.stats.prediction_powered import powered_mean
from fullmarks.stats.rows import ROUNDING, column_totals, means
from fullmarks.stats.sample import Sample, sample_of
from fullmarks.stats.score_intervals import wilson_of

Random = np.random.Generator
Rows = np.ndarray[Any, np.dtype[np.float64]]
Drawn = tuple[Rows, list[int] | None]
"""Scores, and the cluster of each where there are clusters."""
Case = tuple[str, float, Callable[[Random], Drawn]]
"""A name, the true mean, and how scores are drawn."""
Table = tuple[str, list[str], list[list[str]]]
"""A title, a header and rows."""

LEVEL = 0.95
RESAMPLES = 1000
SIZES = (20, 30, 200)
CHANCES = (0.5, 0.9, 0.97, 1.0)
F1_VALUES = (0.0, 0.4, 0.5, 2 / 3, 0.8, 1.0)
F1_CHANCES = (0.25, 0.05, 0.05, 0.1, 0.05, 0.5)
F1_MEAN = float(np.dot(F1_VALUES, F1_CHANCES))


def zero_or_one(random: Random, n: int, chance: float | Rows) -> Drawn:
    """Scores that are 0 or 1, shape (n, 1), not clustered."""
    return (random.random((n, 1)) < chance).astype(np.float64), None


def f1_like(random: Random, n: int) -> Drawn:
    """Scores as token F1 gives them: many 0, many 1, some between."""
    return random.choice(F1_VALUES, size=(n, 1), p=F1_CHANCES), None


def clustered(random: Random, clusters: int, size: int) -> Drawn:
    """Scores of 0 or 1 whose chance is one for each cluster, 0.7 on the whole, and the clusters' labels."""
    chances = random.beta(7, 3, size=clusters)
    rows = (random.random((clusters, size)) < chances[:, None]).astype(np.float64).reshape(-1, 1)
    return rows, np.repeat(np.arange(clusters), size).tolist()


def share(found: Iterable[bool], digits: int = 1) -> str:
    """The share of what is true, in percent."""
    return f"{100 * np.mean(list(found)):.{digits}f}"


def coverage_of_means(times: int, random: Random) -> Table:
    """95 % intervals of a mean: the rule of this package, and the bootstraps that can be asked for."""
    cases: list[Case] = [
        *((f"0/1, p = {p:g}, n = {n}", p, partial(zero_or_one, n=n, chance=p)) for n in SIZES for p in CHANCES),
        *((f"F1, n = {n}", F1_MEAN, partial(f1_like, n=n)) for n in SIZES),
        *((f"{count} clusters of 20", 0.7, partial(clustered, clusters=count, size=20)) for count in (3, 10, 30)),
    ]
    rows = []
    for name, truth, draw in cases:
        sets = [draw(random) for _ in range(times)]
        cells = []
        for method in METHODS:
            made = (
                score_intervals(scores, level=LEVEL, method=method, resamples=RESAMPLES, clusters=labels)[0]
                for scores, labels in sets
            )
            cells.append(share(each.low - ROUNDING <= truth <= each.high + ROUNDING for each in made))
        rows.append([name, *cells])
    return "95 % intervals of a mean hold the truth (%)", ["scores", *METHODS], rows


def continuous(random: Random) -> Rows:
    """5,000 scores of which nearly every one is another: three of ten 0, the others from 0 to 1; two thirds on average
    of these."""
    return np.where(random.random((5000, 1)) < 0.3, 0.0, random.beta(2, 1, size=(5000, 1)))


def matched(random: Random) -> Rows:
    """5,000 answers of 1 to 30 words, and how many of the words are right: more of short ones, 0.6 on the whole."""
    lengths = random.integers(1, 31, size=(5000, 1))
    chances = 0.6 + (15.5 - lengths + 899 / 12 / 15.5) / 100  # lengths have the mean 15.5 and the variance 899/12
    return np.hstack([random.binomial(lengths, chances), lengths]).astype(np.float64)


def bucketed(rows: Rows, buckets: int, *, is_sorted: bool = False) -> Sample:
    """The rows as a run has them that keeps none, with so many buckets."""
    table = np.sort(rows, axis=0) if is_sorted else rows
    sums = BucketSums(rows.shape[1])
    sums.add(table, buckets_of(0, len(table)) // (BUCKETS // buckets) * (BUCKETS // buckets))
    return Sample(sums.lines(), None, column_totals(table), len(table), sums.values(), is_bucketed=True)


def coverage_of_buckets(times: int, random: Random) -> Table:
    """Intervals over buckets of examples beside those over the examples themselves."""
    ways: dict[str, Callable[[Rows], Sample]] = {
        "examples": sample_of,
        "4,096 buckets": partial(bucketed, buckets=4096),
        "256 buckets": partial(bucketed, buckets=256),
        "64 buckets": partial(bucketed, buckets=64),
    }
    in_order = {"256 buckets of a sorted file": partial(bucketed, buckets=256, is_sorted=True)}
    rows = []
    for what, draw, finish, truth, over in (
        ("a mean", continuous, means, 0.7 * 2 / 3, ways | in_order),
        ("a share of words", matched, lambda sums, _: sums[..., :1] / sums[..., 1:], 0.6, ways),
    ):
        sets = [draw(random) for _ in range(times)]
        for name, sample in over.items():
            held: dict[str, list[bool]] = {method: [] for method in METHODS}
            errors, estimates = [], []
            for drawn in sets:
                taken = sample(drawn)
                resampled = bootstrap_of(taken, finish, resamples=RESAMPLES, seed=0)
                made = {method: resampled.interval(0, level=LEVEL, method=method) for method in METHODS}
                if finish is means:
                    made["auto"] = wilson_of(taken, LEVEL)
                for method, each in made.items():
                    held[method].append(each.low <= truth <= each.high)
                errors.append(made["bca"].standard_error)
                estimates.append(resampled.estimate[0])
            ratio = np.mean(errors) / np.std(estimates, ddof=1)
            varies = 100 * np.std(errors, ddof=1) / np.mean(errors)
            rows.append([f"{what}, {name}", *map(share, held.values()), f"{ratio:.2f}", f"{varies:.1f}"])
    header = ["5,000 examples", *METHODS, "error, found / true", "its own spread (%)"]
    return "95 % intervals over buckets hold the truth (%)", header, rows


def alike(random: Random, kind: str, n: int) -> tuple[Rows, Rows, list[int] | None]:
    """Two systems that are equally good, on the same examples, some of which are hard for both."""
    if kind == "F1":
        shared, (common, _) = random.random((n, 1)) < 0.5, f1_like(random, n)
        first, second = (np.where(shared, common, f1_like(random, n)[0]) for _ in range(2))
        return first, second, None
    if kind == "clusters of 20":
        ease = random.beta(7, 3, size=(n // 20, 1, 2)).repeat(20, axis=1).reshape(-1, 2)
        pair = (random.random((n, 2)) < ease).astype(np.float64)
        return pair[:, :1], pair[:, 1:], np.repeat(np.arange(n // 20), 20).tolist()
    chances = random.choice([0.4, 0.95], size=(n, 1))
    return zero_or_one(random, n, chances)[0], zero_or_one(random, n, chances)[0], None


def false_positives(times: int, random: Random) -> Table:
    """p-values under 0.05 of two systems that are equally good, and intervals of their difference without 0."""
    cases = [(kind, n) for kind in ("0/1", "F1") for n in (*SIZES, 50)]
    cases += [("clusters of 20", 20 * count) for count in (3, 10, 30, 50)]
    rows = []
    for kind, n in cases:
        tests = []
        for at in range(times):
            system, baseline, labels = alike(random, kind, n)
            (test,) = compare_systems(system, baseline, resamples=RESAMPLES, seed=at, clusters=labels)
            tests.append(test)
        exact = [test.p_mcnemar for test in tests if test.p_mcnemar is not None]
        boot = [test.p_bootstrap for test in tests if test.p_bootstrap is not None]
        rows.append(
            [
                f"{kind}, n = {n}",
                share(test.permutation.p_value < 0.05 for test in tests),
                share(value < 0.05 for value in exact) if exact else "",
                share(value < 0.05 for value in boot) if boot else "",
                share(not test.interval.low <= 0 <= test.interval.high for test in tests),
            ]
        )
    header = ["systems alike", "permutation", "McNemar", "bootstrap", "interval without 0"]
    return "Equally good systems that are told apart at 0.05 (%)", header, rows


def gate(times: int, random: Random, kept: float = 0.0) -> Table:
    """How often `--fail-if-worse` fails, by its three rules, for true losses; 0/1 scores, 70 % right.

    `kept` is the share of examples whose answer the new version leaves as it was, but for those that it loses.
    """
    from fullmarks.analysis.gate import SURENESS

    rows = []
    n = 500
    for margin in (0.0, 0.005, 0.02):
        for loss in (0.0, 0.005, 0.01, 0.02, 0.05):
            fails = {"evidence": 0, "proof": 0, "points": 0}
            for at in range(times):
                ease = random.choice([0.45, 0.95], size=(n, 1))
                (before, _), (after, _) = zero_or_one(random, n, ease), zero_or_one(random, n, ease - loss)
                if kept:
                    lost = random.random((n, 1)) < loss / 0.7
                    after = np.where(random.random((n, 1)) < kept, before * ~lost, after)
                (test,) = compare_systems(after, before, level=2 * SURENESS - 1, resamples=2, seed=at)
                least, most = -test.interval.high, -test.interval.low
                fails["evidence"] += least > margin
                fails["proof"] += most > margin
                fails["points"] += -test.difference > margin + ROUNDING
            rows.append([f"{margin:g}", f"{100 * loss:g}", *(f"{100 * count / times:.1f}" for count in fails.values())])
    header = ["margin", "true loss, points", "evidence fails", "proof fails", "points fails"]
    how = f"{kept:.0%} of answers kept" if kept else "all answers made anew"
    return f"Gates that fail, {n} examples, {how} (%)", header, rows


def judged(times: int, random: Random) -> Table:
    """Means by a judge and a person: the interval of `ppi`, and how many labels it is worth."""
    rows = []
    for labelled in (20, 30, 60, 200):
        for truth in (0.7, 0.95):
            for right, bias in ((0.9, 0.0), (0.97, 0.0), (0.9, 0.3)):
                found = []
                for _ in range(times):
                    good = random.random(labelled + 1000) < truth
                    said = np.where(random.random(good.size) < right, good, ~good) | (random.random(good.size) < bias)
                    found.append(powered_mean(good[:labelled], said[:labelled], said[labelled:], LEVEL))
                bent = " and kind" if bias else ""
                rows.append(
                    [
                        f"{labelled} labels, p = {truth:g}, judge {100 * right:g} % right{bent}",
                        share(each.low <= truth <= each.high for each in found),
                        f"{np.median([each.worth for each in found]):.0f}",
                    ]
                )
    return "95 % intervals of judged means hold the truth (%)", ["rows", "covers", "labels it is worth"], rows


def distances(times: int, random: Random, dimension: int = 20) -> Table:
    """FID and FID at endless images: means, and how often the interval holds the distance of what was drawn from."""
    variances = 1 / np.arange(1, dimension + 1)

    def drawn(n: int, shift: float, scale: float) -> FeatureSet:
        rows = random.normal(size=(n, dimension)) * np.sqrt(scale * variances)
        rows[:, 0] += shift
        return FeatureSet(GaussianStatistics.from_features([rows]), rows)

    rows = []
    for shift, scale in ((0.0, 1.0), (0.5, 1.0), (1.0, 1.5), (0.0, 2.0)):
        truth = shift**2 + float(((np.sqrt(variances) - np.sqrt(scale * variances)) ** 2).sum())
        for per_dimension in (1, 2, 5, 20):
            found, errors = [], []
            for at in range(times):
                a, b = drawn(per_dimension * dimension, shift, scale), drawn(per_dimension * dimension, 0.0, 1.0)
                moved = frechet_influences(a, b)
                errors.append(sum(float(part.var()) / len(part) for part in moved if part is not None) ** 0.5)
                found.append(fid_infinity(a, b, seed=at))
            plain = np.array([each.distance for each in found])
            rows.append(
                [
                    f"{truth:.2f}, {per_dimension} images per dimension",
                    f"{plain.mean():.2f}",
                    f"{np.mean(errors) / plain.std():.2f}",
                    share(abs(value - truth) <= 1.96 * error for value, error in zip(plain, errors, strict=True)),
                    f"{np.mean([each.value for each in found]):.2f}",
                    share(each.low <= truth <= each.high for each in found),
                ]
            )
    header = ["true distance", "FID", "its error, found / true", "covers", "extrapolated", "covers "]
    return f"FID in {dimension} dimensions", header, rows


PARTS: dict[str, Callable[[int, Random], Table]] = {
    "means": coverage_of_means,
    "buckets": coverage_of_buckets,
    "tests": false_positives,
    "gate": gate,
    "gate-kept": partial(gate, kept=0.8),
    "ppi": judged,
    "fid": lambda times, random: distances(max(50, times // 5), random),
}


def main() -> None:
    """Print the tables as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=2000, help="how many sets are drawn for each line")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="which tables; by default all")
    given = parser.parse_args()
    for name in given.parts or PARTS:
        title, header, rows = PARTS[name](given.times, np.random.default_rng(given.seed))
        print(f"**{title}**\n")
        for row in (header, ["---", *["---:"] * (len(header) - 1)], *rows):
            print(f"| {' | '.join(row)} |")
        print(flush=True)


if __name__ == "__main__":
    main()
