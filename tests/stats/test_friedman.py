"""Ranks over data sets: against SciPy, against Demsar's worked example, and against every order counted one by one."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from fullmarks.errors import InputError
from fullmarks.stats import friedman as module
from fullmarks.stats.friedman import NEMENYI, critical_difference, friedman

# Demsar 2006, table 6: AUC of C4.5, C4.5+m, C4.5+cf, C4.5+m+cf on 14 data sets. On voting the paper prints 0.975 twice
# and ranks the two apart, by a digit that it does not print: here 0.9751.
DEMSAR = [
    [0.763, 0.768, 0.771, 0.798],
    [0.599, 0.591, 0.590, 0.569],
    [0.954, 0.971, 0.968, 0.967],
    [0.628, 0.661, 0.654, 0.657],
    [0.882, 0.888, 0.886, 0.898],
    [0.936, 0.931, 0.916, 0.931],
    [0.661, 0.668, 0.609, 0.685],
    [0.583, 0.583, 0.563, 0.625],
    [0.775, 0.838, 0.866, 0.875],
    [1.000, 1.000, 1.000, 1.000],
    [0.940, 0.962, 0.965, 0.962],
    [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.9751, 0.975],
    [0.957, 0.978, 0.946, 0.970],
]


@pytest.mark.parametrize(
    ("cells", "method"), [(1 << 10, "monte carlo"), pytest.param(module.EXACT_CELLS, "exact", marks=pytest.mark.deep)]
)
def test_the_example_of_the_paper(cells: int, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EXACT_CELLS", cells)
    found = friedman(DEMSAR, draws=10_000)
    assert found.method == method
    assert found.average_ranks == pytest.approx((3.143, 2.000, 2.893, 1.964), abs=5e-4)
    assert found.critical_difference == pytest.approx(1.25, abs=5e-3)  # 2.569 sqrt(4 5 / (6 14))
    assert found.p_value < 0.05  # as the paper finds


@pytest.mark.parametrize("digits", [1, 3])
@pytest.mark.parametrize(("sets", "systems"), [(3, 3), (6, 4), (10, 5), (8, 9)])
def test_the_statistic_is_that_of_scipy(sets: int, systems: int, digits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs scipy: make install")
    monkeypatch.setattr(module, "EXACT_CELLS", 0)  # the p-value is not looked at
    scores = np.random.default_rng(sets + systems).random((sets, systems)).round(digits)
    found = friedman(scores, draws=2000)
    ranks = stats.rankdata(-scores, axis=1).mean(axis=0)
    assert found.average_ranks == pytest.approx(tuple(ranks))
    assert found.statistic == pytest.approx(stats.friedmanchisquare(*scores.T).statistic)


def counted(scores: np.ndarray) -> float:
    """The p-value by every order of every data set."""
    stats = pytest.importorskip("scipy.stats", reason="needs scipy: make install")
    ranks = stats.rankdata(-scores, axis=1)
    observed = (ranks.sum(axis=0) ** 2).sum()
    outcomes = [
        (np.sum(each, axis=0) ** 2).sum() >= observed - 1e-9
        for each in product(*(list(permutations(row)) for row in ranks))
    ]
    return float(np.mean(outcomes))


@pytest.mark.parametrize(("sets", "systems", "digits"), [(4, 3, 3), (4, 3, 1), (2, 4, 3), (3, 4, 1)])
def test_the_exact_p_value_counts_every_order(sets: int, systems: int, digits: int) -> None:
    scores = np.random.default_rng(5 + sets).random((sets, systems)).round(digits)
    found = friedman(scores)
    assert found.method == "exact"
    assert found.p_value == pytest.approx(counted(scores), abs=1e-12)


def test_drawn_orders_come_near_to_all(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = friedman(DEMSAR[:6])
    monkeypatch.setattr(module, "EXACT_CELLS", 0)
    drawn = friedman(DEMSAR[:6], draws=40_000)
    assert (exact.method, drawn.method) == ("exact", "monte carlo")
    assert drawn.p_value == pytest.approx(exact.p_value, abs=0.01)  # four standard errors of 40,000 draws
    assert friedman(DEMSAR[:6], draws=40_000) == drawn


def test_ties_everywhere() -> None:
    found = friedman([[1, 1, 1]] * 4)
    assert (found.statistic, found.p_value, found.average_ranks) == (0.0, 1.0, (2.0, 2.0, 2.0))


def test_the_quantiles_are_those_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs scipy: make install")
    known = [stats.studentized_range.ppf(0.95, systems, np.inf) / 2**0.5 for systems in range(2, 21)]
    assert list(NEMENYI) == pytest.approx(known, abs=5.1e-4)
    assert critical_difference(20, 10) is not None
    assert critical_difference(21, 10) is None


def test_what_is_no_table() -> None:
    for wrong in ([[1.0]], [1.0, 2.0], [[1.0, float("nan")]]):
        with pytest.raises(InputError, match="finite scores of at least 1 data set and 2 systems"):
            friedman(wrong)
