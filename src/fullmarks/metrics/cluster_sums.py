"""Sums of rows by cluster, as left folds in input order. They grow with the number of clusters."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from fullmarks.stats.rows import Floats, Integers


class LabelNumbers:
    """Labels numbered in order of first appearance."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def labels(self) -> list[Hashable]:
        """All labels so far."""
        return list(self._numbers)

    def of(self, labels: Sequence[Hashable]) -> Integers:
        """The number of every label; those that are new have the next ones."""
        known = self._numbers
        for label in dict.fromkeys(labels):
            known.setdefault(label, len(known))
        return np.fromiter(map(known.__getitem__, labels), dtype=np.int64, count=len(labels))


class ClusterSums:
    """The column sums of every cluster and then its number of examples."""

    def __init__(self, width: int) -> None:
        self._lines: Floats = np.zeros((1 + width, 0))

    def add(self, rows: Floats, numbers: Integers) -> None:
        """Take in the next rows with the numbers of their clusters."""
        if not len(rows):
            return
        more = int(numbers.max()) + 1 - self._lines.shape[1]
        if more > 0:
            self._lines = np.pad(self._lines, ((0, 0), (0, max(more, self._lines.shape[1]))))
        for line, values in zip(self._lines, rows.T, strict=False):
            np.add.at(line, numbers, values)
        np.add.at(self._lines[-1], numbers, 1.0)

    def lines(self, clusters: int) -> Floats:
        """The lines of so many clusters, shape (clusters, width + 1)."""
        return np.ascontiguousarray(self._lines[:, :clusters].T)
