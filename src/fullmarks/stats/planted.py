"""How often a test finds a difference that was planted in the rows of two systems.

Units are drawn from the rows with chances that are tilted until the systems differ as wanted: no row is changed, so 0/1
scores stay 0/1 and clusters stay whole. Source of the tilting: Efron, Nonparametric Standard Errors and Confidence
Intervals (1981).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fullmarks.errors import UsageError
from fullmarks.stats.permutation import permutation_test
from fullmarks.stats.resampling import generator
from fullmarks.stats.rows import Finish, Floats, Integers, apply_finish, checked_pair, label_codes, means

_STEEPEST = 500.0
"""No tilt is steeper: the unit that speaks most for a difference is then all there is."""
_HALVINGS = 60
_LITTLE = 1e-3
_OTHERS = 5
"""With so many other examples each one is paired where a second system is made of the rows of the first."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Rows of two systems over the same examples, and what is drawn of them at once, each with its chance."""

    system: Floats
    baseline: Floats
    members: tuple[Integers, ...]
    """The examples of every unit."""
    chances: Floats
    finish: Finish = means
    index: int = 0
    """Which of the scores is meant."""
    held: tuple[int, ...] = ()


def paired_rows(
    system: npt.ArrayLike,
    baseline: npt.ArrayLike,
    finish: Finish = means,
    *,
    index: int = 0,
    held: Sequence[int] = (),
    clusters: Sequence[Hashable] | None = None,
) -> Pairs:
    """The rows of two systems, every unit with the same chance."""
    first, second = checked_pair(system, baseline)
    if clusters is None:
        members = tuple(np.arange(len(first))[:, None])
    else:
        labels, codes = label_codes(clusters, len(first), "clusters")
        ends = np.cumsum(np.bincount(codes, minlength=len(labels)))[:-1]
        members = tuple(np.split(np.argsort(codes, kind="stable"), ends))
    return Pairs(first, second, members, np.full(len(members), 1 / len(members)), finish, index, tuple(held))


def correlated_rows(rows: npt.ArrayLike, correlation: float, finish: Finish = means, *, index: int = 0) -> Pairs:
    """The rows of one system and of one as good: the same row with this chance, otherwise that of any example."""
    if not 0 <= correlation < 1:
        raise UsageError(f"systems are simulated with a correlation from 0 to below 1, found {correlation}")
    baseline, _ = checked_pair(rows, rows)
    count = len(baseline)
    others = generator(0).integers(0, count, size=count * _OTHERS)
    system = np.concatenate([baseline, baseline[others]])
    twice = np.concatenate([baseline, np.repeat(baseline, _OTHERS, axis=0)])
    chances = np.concatenate(
        [np.full(count, correlation / count), np.full(len(others), (1 - correlation) / len(others))]
    )
    return Pairs(system, twice, tuple(np.arange(len(system))[:, None]), chances, finish, index)


def share_found(
    pairs: Pairs, difference: float, units: int, *, level: float, repetitions: int, permutations: int, seed: int = 0
) -> float:
    """The share of repetitions, each of so many drawn units, whose permutation test finds the planted difference."""
    chances = Tilt(pairs).chances(difference)
    is_clustered = len(pairs.members) < len(pairs.system)
    random = generator(seed)
    found = 0
    for repetition in range(repetitions):
        drawn = random.choice(len(pairs.members), size=units, p=chances)
        positions = np.concatenate([pairs.members[unit] for unit in drawn]) if is_clustered else drawn
        sizes = [len(pairs.members[unit]) for unit in drawn] if is_clustered else None
        test = permutation_test(
            pairs.system[positions],
            pairs.baseline[positions],
            pairs.finish,
            permutations=permutations,
            seed=seed + repetition,
            clusters=None if sizes is None else np.repeat(np.arange(units), sizes).tolist(),
            held=pairs.held,
        )[pairs.index]
        found += test.p_value <= level
    return found / repetitions


class Tilt:
    """The chances of units, moved towards those that speak for a difference or away from them."""

    def __init__(self, pairs: Pairs) -> None:
        both = np.hstack([pairs.system, pairs.baseline])
        self._pairs = pairs
        self._sums = np.array([both[members].sum(axis=0) for members in pairs.members])
        self._sizes = np.array([[float(len(members))] for members in pairs.members])
        total, n = self._totals(pairs.chances)
        # What a little more of each unit would change.
        changes = self._differences(total + _LITTLE * self._sums, n + _LITTLE * self._sizes)
        pull = changes - self.difference(pairs.chances)
        largest = float(np.abs(pull).max())
        if not np.isfinite(largest) or largest == 0:
            raise UsageError("no example of these rows speaks for a difference, so none can be planted")
        self._pull = pull / largest

    @property
    def limits(self) -> tuple[float, float]:
        """The lowest and the highest difference that can be had."""
        return self.difference(self._moved(-_STEEPEST)), self.difference(self._moved(_STEEPEST))

    def difference(self, chances: Floats) -> float:
        """That of the systems, if units are drawn with these chances."""
        return float(self._differences(*self._totals(chances)))

    def chances(self, difference: float) -> Floats:
        """Those under which the systems differ so, as near to the given ones as that allows."""
        least, most = self.limits
        if not least <= difference <= most:
            found = f"what is drawn from these rows differs by {least:g} to {most:g}"
            raise UsageError(f"a difference of {difference:g} cannot be planted: {found}")
        low, high = -_STEEPEST, _STEEPEST
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.difference(self._moved(middle)) < difference else (low, middle)
        return self._moved(high)

    def _moved(self, by: float) -> Floats:
        grown = by * self._pull
        weights = self._pairs.chances * np.exp(grown - grown.max())
        found: Floats = weights / weights.sum()
        return found

    def _totals(self, chances: Floats) -> tuple[Floats, Floats]:
        count = len(self._sums)
        return count * chances @ self._sums, count * chances @ self._sizes

    def _differences(self, totals: Floats, n: Floats) -> Floats:
        halves = np.split(totals, 2, axis=-1)
        ours, theirs = (apply_finish(self._pairs.finish, half, n)[..., self._pairs.index] for half in halves)
        found: Floats = ours - theirs
        return found
