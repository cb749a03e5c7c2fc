"""What a tally that keeps no rows collects to have intervals later, and the samples that are made of it.

For the whole and for every value of a column these are counts of distinct rows, or sums in buckets; for clusters the
sums of each. Memory grows with the number of values and of clusters, not with that of examples; an example without a
label is a cluster of its own, and counted as rows are.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fullmarks.checks import check_labels, each_label, has_several, no_column
from fullmarks.metrics.bucket_sums import buckets_of
from fullmarks.metrics.cluster_sums import ClusterSums, LabelNumbers
from fullmarks.metrics.row_counts import GroupedRowCounts, Lines, RowCounts, split
from fullmarks.stats.rows import Floats, Integers, unusable_rows
from fullmarks.stats.sample import Sample
from fullmarks.types import Total

if TYPE_CHECKING:
    from array import array

_PIECE = 1 << 16
"""Examples that are counted at once."""
_SHIFT = 32
"""A group and a cluster are one number, the cluster in so many lower bits."""
_COUNTED_WHERE_ASKED = "score with keep=True, or name it in {argument}, to have intervals of it"


class Counts:
    """The counts of every metric of a tally; those of width 0 give no scores and have none."""

    def __init__(self, widths: Sequence[int], by: Sequence[str], cluster: str | None) -> None:
        self.n = 0
        self.cluster = cluster
        self._clusters = LabelNumbers()
        self._whole = {metric: _Whole(width) for metric, width in enumerate(widths) if width}
        self._slices = {column: _ByValue(widths) for column in by}

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns whose labels have to be told."""
        return (*self._slices, *filter(None, [self.cluster]))

    def add(self, n: int, columns: Mapping[str, Sequence[Any]], rows: Sequence[array[float]]) -> None:
        """Take in the next examples, in input order: how many, the labels of columns, the rows of every metric."""
        if self.cluster is not None:
            check_labels(self.cluster, columns[self.cluster], may_be_several=False)
        if not n:
            return
        tables = {metric: np.frombuffer(rows[metric], dtype=np.float64).reshape(n, -1) for metric in self._whole}
        for start in range(0, n, _PIECE):
            part = slice(start, min(n, start + _PIECE))
            pieces = {metric: table[part] for metric, table in tables.items()}
            buckets = buckets_of(self.n, part.stop - start)
            clusters = None if self.cluster is None else self._numbers(columns[self.cluster][part])
            for metric, piece in pieces.items():
                self._whole[metric].add(piece, self.n, buckets, clusters)
            for column, slices in self._slices.items():
                slices.add(columns[column][part], pieces, buckets, clusters)
                for metric in pieces:
                    if not self._whole[metric].has_rows:
                        slices.give_up_rows(metric)
            self.n += part.stop - start

    def sample(self, metric: int, total: Total, cluster: str | None) -> Sample:
        """All examples, as the metric at this place has them."""
        self._check(cluster)
        self._whole[metric].check(self.n)
        units = self._whole[metric].units(None if cluster is None else len(self._clusters))
        return _sample(units, total)

    def slice_samples(
        self, metric: int, column: str, totals: Mapping[Hashable, Total], cluster: str | None
    ) -> Iterator[tuple[Hashable, Sample]]:
        """Each value of a column in order of appearance with its examples."""
        self._check(cluster)
        self._whole[metric].check(self.n)
        if column not in self._slices:
            raise no_column(column, self._slices, advice=f"{_COUNTED_WHERE_ASKED.format(argument='by')}.")
        for label, units in self._slices[column].units(metric, is_clustered=cluster is not None):
            yield label, _sample(units, totals[label])

    def _numbers(self, labels: Sequence[Hashable]) -> Integers:
        """The numbers of clusters; -1 where there is no label."""
        if None not in labels:
            return self._clusters.of(labels)
        has_label = np.fromiter((label is not None for label in labels), dtype=bool, count=len(labels))
        numbers = np.full(len(labels), -1)
        numbers[has_label] = self._clusters.of([label for label in labels if label is not None])
        return numbers

    def _check(self, cluster: str | None) -> None:
        if cluster is not None and cluster != self.cluster:
            offered = () if self.cluster is None else (self.cluster,)
            raise no_column(cluster, offered, advice=f"{_COUNTED_WHERE_ASKED.format(argument='cluster')}.")


class _Whole:
    """All rows of one metric."""

    def __init__(self, width: int) -> None:
        self._rows = RowCounts(width)
        self._clusters, self._without = ClusterSums(width), RowCounts(width)
        self._unusable, self._first_unusable = 0, -1

    def add(self, rows: Floats, first: int, buckets: Integers, clusters: Integers | None) -> None:
        if not np.isfinite(rows).all():
            unusable = np.flatnonzero(~np.isfinite(rows).all(axis=1))
            if not self._unusable:
                self._first_unusable = first + int(unusable[0])
            self._unusable += len(unusable)
        self._rows.add(rows, buckets)
        if clusters is not None:
            has_label = clusters >= 0
            self._clusters.add(rows[has_label], clusters[has_label])
            self._without.add(rows[~has_label], buckets[~has_label])

    @property
    def has_rows(self) -> bool:
        """Whether the distinct rows are counted still."""
        return self._rows.has_rows

    def check(self, n: int) -> None:
        """An error if a row is not finite."""
        if self._unusable:
            raise unusable_rows("rows", self._unusable, n, self._first_unusable)

    def units(self, clusters: int | None) -> Lines:
        """The rows, or so many clusters."""
        rows = self._rows.units()
        return rows if clusters is None else _clustered(self._clusters.lines(clusters), self._without.units(), rows)


class _ByValue:
    """The rows of every metric by the values of a column."""

    def __init__(self, widths: Sequence[int]) -> None:
        counted = {metric: width for metric, width in enumerate(widths) if width}
        self._values, self._pairs = LabelNumbers(), LabelNumbers()
        self._rows = {metric: GroupedRowCounts(width) for metric, width in counted.items()}
        self._clusters = {metric: ClusterSums(width) for metric, width in counted.items()}
        self._without = {metric: GroupedRowCounts(width) for metric, width in counted.items()}

    def add(
        self, labels: Sequence[Any], rows: Mapping[int, Floats], buckets: Integers, clusters: Integers | None
    ) -> None:
        """Take in the next rows; an example with several values counts for each."""
        if has_several(labels):
            where, labels = each_label(labels)
            rows = {metric: table[where] for metric, table in rows.items()}
            buckets, clusters = buckets[where], None if clusters is None else clusters[where]
        groups = self._values.of(labels)
        for metric, table in rows.items():
            self._rows[metric].add(table, buckets, groups)
        if clusters is None:
            return
        has_label = clusters >= 0
        pairs = self._pairs.of((groups[has_label] << _SHIFT | clusters[has_label]).tolist())
        for metric, table in rows.items():
            self._clusters[metric].add(table[has_label], pairs)
            self._without[metric].add(table[~has_label], buckets[~has_label], groups[~has_label])

    def give_up_rows(self, metric: int) -> None:
        """Count no more distinct rows of a metric."""
        self._rows[metric].give_up_rows()
        self._without[metric].give_up_rows()

    def units(self, metric: int, *, is_clustered: bool) -> Iterator[tuple[Hashable, Lines]]:
        """Each value with its rows, or with its clusters."""
        count = len(self._values)
        rows = self._rows[metric].units(count)
        if is_clustered:
            lines, without = self._clusters[metric].lines(len(self._pairs)), self._without[metric].units(count)
            members = split(np.array(self._pairs.labels(), dtype=np.int64) >> _SHIFT, count)
            rows = [_clustered(lines[members[group]], without[group], rows[group]) for group in range(count)]
        return zip(self._values.labels(), rows, strict=True)


def _clustered(lines: Floats, without: Lines, rows: Lines) -> Lines:
    """Clusters, and examples that are in none as clusters of their own; sums begin with 0.0, so that none is -0.0."""
    return Lines(
        np.concatenate([lines, without.lines]) + 0.0,
        np.concatenate([np.ones(len(lines), dtype=np.int64), without.weights]),
        rows.values,
        without.is_bucketed,
    )


def _sample(units: Lines, total: Total) -> Sample:
    sums = np.array(total.sums)
    is_negative = ((units.values == 0) & np.signbit(units.values)).all(axis=0)  # a sum of nothing but -0.0 is one
    totals = np.where(is_negative, -0.0, sums)
    return Sample(units.lines, units.weights, totals, total.n, units.values, units.is_bucketed)
