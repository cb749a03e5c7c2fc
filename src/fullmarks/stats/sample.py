"""What intervals are made from: the units of a run, from all of its rows or from counts of them.

A run that kept its rows and one that counted them as they came have the same distinct units, in the same order, and the
same totals: every digit of their intervals is the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fullmarks.stats.rows import (
    Finish,
    Floats,
    Integers,
    Units,
    apply_finish,
    cluster_sums,
    collapse,
    column_totals,
    means,
)


@dataclass(frozen=True, eq=False)
class Sample:
    """Some examples with what resampling and formulas need to know of them."""

    lines: Floats
    """One line per unit, or for several that are alike: the column sums over its examples, then their number."""
    weights: Integers | None
    """How many units each line stands for; None where it is one each."""
    totals: Floats
    """The column sums over all examples, as they are published, shape (k,)."""
    examples: int
    values: Floats
    """Rows that tell whether all numbers of a column are 0 or 1, or lie between: all, or all that are different."""
    is_bucketed: bool = False
    """Whether units are buckets that examples were thrown into by chance, to be named in every interval."""

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.totals)

    def part(self, columns: Sequence[int]) -> Sample:
        """The same examples with these columns alone."""
        chosen = list(columns)
        return replace(
            self, lines=self.lines[:, [*chosen, -1]], totals=self.totals[chosen], values=self.values[:, chosen]
        )

    def units(self) -> Units:
        """The distinct units, most frequent first."""
        distinct, multiplicity = collapse(self.lines, self.weights)
        return Units(distinct[:, :-1], distinct[:, -1:], multiplicity)

    def scores(self, finish: Finish = means) -> Floats:
        """The scores of all examples together, shape (m,)."""
        return apply_finish(finish, self.totals, np.array([float(self.examples)]))


def sample_of(rows: Floats, clusters: Sequence[Hashable] | None = None) -> Sample:
    """The sample of checked rows; units are clusters of them where labels are given."""
    return Sample(np.hstack(cluster_sums(rows, clusters)), None, column_totals(rows), len(rows), rows)
