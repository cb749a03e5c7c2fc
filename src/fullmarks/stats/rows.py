"""Rows of sufficient statistics, checked and made ready for resampling.

A row holds the numbers of one example; a score is `finish(column sums, number of examples)`. Resampling draws
whole units, an example or a cluster of them, so units with equal sums and sizes are kept once, with how often
they occur: the distribution of every resample is unchanged and the work shrinks to the distinct units.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from fullmarks.errors import InputError, MismatchError

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]

Finish: TypeAlias = Callable[[Floats, Floats], Floats]
"""`finish(sums (..., k), n (..., 1)) -> scores (..., m)`, vectorised over the leading axes."""

ROUNDING = 1e-12
"""Scores closer than this part of their size differ by rounding alone and count as equal."""


def means(sums: Floats, n: Floats) -> Floats:
    """The mean of every column: the `finish` of metrics that are averages over examples."""
    return sums / n


@dataclass(frozen=True, eq=False)
class Units:
    """What a resample draws from: the distinct units, most frequent first, and how often each occurs."""

    sums: Floats
    """One line per distinct unit: the column sums over its examples, shape (d, k)."""
    sizes: Floats
    """The number of examples in the unit, shape (d, 1)."""
    multiplicity: Integers
    """How many units look like this one, shape (d,)."""

    @property
    def count(self) -> int:
        """The number of units, repeats included."""
        return int(self.multiplicity.sum())


def checked_rows(rows: npt.ArrayLike, where: str = "rows") -> Floats:
    """The rows as a float64 array of shape (n, k); an error if there are none, or if one is not finite."""
    array = np.asarray(rows, dtype=np.float64)
    if array.ndim != 2:
        found = f"expected an array of shape (examples, columns), found shape {array.shape}"
        raise InputError(where, found, "Give one row per example.")
    if 0 in array.shape:
        raise InputError(
            where,
            f"expected at least one example and one column, found shape {array.shape}",
            "There is nothing to resample: check that the run is not empty.",
        )
    unusable = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if unusable.size:
        raise unusable_rows(where, unusable.size, len(array), int(unusable[0]))
    return array


def unusable_rows(where: str, count: int, n: int, first: int) -> InputError:
    """The error about rows that nothing can be said of."""
    return InputError(
        where,
        f"{count} of {n} rows hold NaN or infinity, the first at index {first}",
        "Statistics must be finite numbers: score these examples or leave them out.",
    )


def checked_pair(system: npt.ArrayLike, baseline: npt.ArrayLike) -> tuple[Floats, Floats]:
    """The rows of two systems over the same examples; an error unless their shapes are equal."""
    first, second = checked_rows(system, "rows of the system"), checked_rows(baseline, "rows of the baseline")
    if first.shape != second.shape:
        raise MismatchError(
            "rows of the system",
            f"found shape {first.shape}, but the baseline has {second.shape}",
            "A paired test needs the same examples, in the same order, scored by the same metric.",
        )
    return first, second


def label_codes(labels: Iterable[Hashable], n: int, where: str) -> tuple[list[Hashable], Integers]:
    """The distinct labels in order of appearance, and for each of the `n` rows the position of its label."""
    positions: dict[Hashable, int] = {}
    codes = [positions.setdefault(label, len(positions)) for label in labels]
    if len(codes) != n:
        raise MismatchError(where, f"found {len(codes)} labels for {n} rows", "Give one label per example.")
    return list(positions), np.array(codes, dtype=np.int64)


def column_totals(rows: Floats) -> Floats:
    """The column sums as left folds, the digits that scores are published with."""
    total: Floats = np.add.accumulate(rows, axis=0)[-1]
    return total


def score(rows: Floats, finish: Finish = means) -> Floats:
    """The scores of all rows together, shape (m,)."""
    return apply_finish(finish, column_totals(rows), np.array([float(len(rows))]))


def apply_finish(finish: Finish, sums: Floats, n: Floats) -> Floats:
    """`finish`, without NumPy's warnings: a score that is undefined comes back as NaN or infinity."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return finish(sums, n)


def cluster_sums(rows: Floats, clusters: Sequence[Hashable] | None) -> tuple[Floats, Floats]:
    """The units before collapsing, sums (u, k) and sizes (u, 1): the rows themselves without `clusters`."""
    if clusters is None:
        return rows, np.ones((len(rows), 1))
    labels, codes = label_codes(clusters, len(rows), "clusters")
    columns = [np.bincount(codes, weights=column, minlength=len(labels)) for column in rows.T]
    sizes = np.bincount(codes, minlength=len(labels)).astype(np.float64)
    return np.stack(columns, axis=1), sizes[:, None]


def collapse(lines: Floats, weights: Integers | None = None) -> tuple[Floats, Integers]:
    """The distinct lines, most frequent first, and how often each occurs; `weights` say how often each line stands."""
    order = np.lexsort(lines.T[::-1])
    ordered = lines[order]
    starts = np.flatnonzero(np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1)))
    if weights is None:
        multiplicity = np.diff(np.append(starts, len(ordered)))
    else:
        multiplicity = np.add.reduceat(weights[order], starts)
    frequent_first = np.argsort(-multiplicity, kind="stable")
    return ordered[starts[frequent_first]], multiplicity[frequent_first].astype(np.int64)


def units_of(rows: Floats, clusters: Sequence[Hashable] | None = None) -> Units:
    """The units of checked rows: examples, or clusters of them when labels are given."""
    distinct, multiplicity = collapse(np.hstack(cluster_sums(rows, clusters)))
    return Units(distinct[:, :-1], distinct[:, -1:], multiplicity)
