"""Scores and differences of parts of the data: the rows that share a label."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fullmarks.checks import each_label, has_several
from fullmarks.errors import MismatchError, UsageError
from fullmarks.stats.bootstrap import sample_intervals
from fullmarks.stats.comparison import PairedTest, compare_systems
from fullmarks.stats.interval import Interval, Method
from fullmarks.stats.rows import Finish, Integers, checked_pair, checked_rows, label_codes, means, score
from fullmarks.stats.sample import Sample, sample_of


@dataclass(frozen=True)
class SliceScores:
    """The scores of the examples with one label."""

    label: Hashable
    examples: int
    scores: tuple[float, ...]
    intervals: tuple[Interval, ...]


@dataclass(frozen=True)
class SliceDifference:
    """How far two systems are apart on the examples with one label."""

    label: Hashable
    test: PairedTest

    @property
    def sureness(self) -> tuple[float, float]:
        """What slices are ordered by: the part of the difference that the interval is sure of, which is its end
        nearer to zero, or zero; then the difference itself.
        """
        interval = self.test.interval
        return max(0.0, interval.low, -interval.high), abs(self.test.difference)


@dataclass(frozen=True, eq=False)
class Members:
    """The positions of the rows of every label, in order of appearance: found once for many systems."""

    by_label: tuple[tuple[Hashable, Integers], ...]
    rows: int


def slice_scores(
    rows: npt.ArrayLike,
    labels: Sequence[Hashable],
    finish: Finish = means,
    *,
    level: float = 0.95,
    method: Method = "auto",
    resamples: int = 10_000,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
) -> tuple[SliceScores, ...]:
    """The scores of every slice with their intervals, in order of appearance.

    Every slice starts from the same seed, so its digits do not depend on which other slices there are.
    """
    return tuple(
        SliceScores(
            label,
            sample.examples,
            tuple(sample.scores(finish).tolist()),
            sample_intervals(sample, finish, level=level, method=method, resamples=resamples, seed=seed),
        )
        for label, sample in slice_samples(rows, labels, clusters)
    )


def slice_samples(
    rows: npt.ArrayLike, labels: Sequence[Hashable], clusters: Sequence[Hashable] | None = None
) -> Iterator[tuple[Hashable, Sample]]:
    """Each label in order of appearance with its examples."""
    checked = checked_rows(rows)
    for label, members in _grouped(labels, len(checked)):
        yield label, sample_of(checked[members], _members_of(clusters, members))


def slice_differences(
    system: npt.ArrayLike,
    baseline: npt.ArrayLike,
    labels: Sequence[Hashable] | Members,
    finish: Finish = means,
    *,
    score_index: int = 0,
    level: float = 0.95,
    method: Method = "auto",
    resamples: int = 10_000,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
    example_scores: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
    held: Sequence[int] = (),
) -> tuple[SliceDifference, ...]:
    """The slices, those where the systems most surely differ first, without those of a single unit.

    A slice of three examples can differ by a whole point through luck alone, so the order is by the part of
    the difference that the interval is sure of, and by the difference itself where that is nothing. Of a slice that
    is one example, or lies in one cluster, nothing is known about the spread. Slices have no p-value by the bootstrap
    and no equivalence: these are for the whole.
    """
    first, second = checked_pair(system, baseline)
    columns = len(score(first, finish))
    if not 0 <= score_index < columns:
        raise UsageError(f"score_index {score_index} is out of range: the metric has {columns} scores")
    given = example_scores and (np.asarray(example_scores[0]), np.asarray(example_scores[1]))
    found = [
        SliceDifference(
            label,
            compare_systems(
                first[members],
                second[members],
                finish,
                level=level,
                method=method,
                resamples=resamples,
                seed=seed,
                clusters=_members_of(clusters, members),
                example_scores=given and (given[0][members], given[1][members]),
                held=held,
                in_full=False,
            )[score_index],
        )
        for label, members in testable(labels, len(first), clusters)
    ]
    return tuple(sorted(found, key=lambda each: each.sureness, reverse=True))


def testable(
    labels: Sequence[Hashable] | Members, n: int, clusters: Sequence[Hashable] | None
) -> list[tuple[Hashable, Integers]]:
    """The slices of more than one unit."""
    return [
        (label, members)
        for label, members in _grouped(labels, n)
        if (len(members) if clusters is None else len(set(_members_of(clusters, members) or ()))) > 1
    ]


def simultaneous_level(level: float, intervals: int) -> float:
    """The level of each of so many intervals that are to hold all at once, by Bonferroni's inequality.

    >>> round(simultaneous_level(0.95, 5), 4)
    0.99
    """
    return 1 - (1 - level) / max(1, intervals)


def _grouped(labels: Sequence[Hashable] | Members, n: int) -> tuple[tuple[Hashable, Integers], ...]:
    found = labels if isinstance(labels, Members) else slice_members(labels)
    if found.rows != n:
        raise MismatchError("slice labels", f"found {found.rows} labels for {n} rows", "Give one label per example.")
    return found.by_label


def slice_members(labels: Sequence[Hashable]) -> Members:
    """Each label with the positions of its rows; a row whose label is a tuple belongs to each label in it."""
    n = rows = len(labels)
    places: Integers | None = None
    if has_several(labels):
        positions, labels = each_label(labels)
        places, n = np.array(positions, dtype=np.int64), len(positions)
    names, codes = label_codes(labels, n, "slice labels")
    ends = np.cumsum(np.bincount(codes, minlength=len(names)))
    order = np.argsort(codes, kind="stable")
    members = np.split(order if places is None else places[order], ends[:-1])
    return Members(tuple(zip(names, members, strict=True)), rows)


def _members_of(clusters: Sequence[Hashable] | None, members: Integers) -> list[Hashable] | None:
    return None if clusters is None else [clusters[position] for position in members.tolist()]
