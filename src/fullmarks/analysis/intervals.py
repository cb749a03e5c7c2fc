"""How sure a result is: intervals of its scores, as a whole and by slice, from rows that were kept or counted.

Intervals are on the scale of `Result.scores` (0-1); no text is looked at again.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Hashable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from fullmarks.analysis.given_results import check_result
from fullmarks.analysis.interval_tables import Intervals, interval_columns, interval_table
from fullmarks.checks import check_columns, check_instance, check_kind, check_labels
from fullmarks.errors import UsageError
from fullmarks.result import KEPT_WHERE_ASKED, slice_names
from fullmarks.showing import Shown, ShowsItself
from fullmarks.stats.bootstrap import sample_intervals
from fullmarks.stats.interval import Interval, Method, check_method
from fullmarks.stats.resampling import check_resamples, check_seed
from fullmarks.stats.rows import Finish, Floats, checked_rows, means
from fullmarks.stats.sample import Sample, sample_of
from fullmarks.stats.slices import slice_samples
from fullmarks.types import Total

if TYPE_CHECKING:
    from fullmarks.metrics.metric import Metric
    from fullmarks.metrics.tally import Tally
    from fullmarks.result import Result


class Settings(TypedDict):
    """How `stats` resamples."""

    level: float
    method: Method
    resamples: int
    seed: int


@dataclass(frozen=True)
class Sampling:
    """How resampling is done. The same settings on the same rows give the same digits."""

    level: float = 0.95
    method: Method = "auto"
    """"auto": Wilson's and Tango's for means of scores from 0 to 1, otherwise BCa; or "bca", or "percentile"."""
    resamples: int = 10_000
    seed: int = 0
    cluster: str | None = None
    """The column whose values are drawn whole, such as the article that several questions are about."""

    def __post_init__(self) -> None:
        check_kind("level", self.level, float)
        check_method(self.method)
        check_resamples(self.resamples)
        check_seed(self.seed)
        check_kind("cluster", self.cluster, str, or_none=True)

    def settings(self) -> Settings:
        """What the functions of `stats` take by these names; clusters they take as labels."""
        return {"level": self.level, "method": self.method, "resamples": self.resamples, "seed": self.seed}


DEFAULT = Sampling()


def check_sampling(value: object) -> None:
    """An error unless these are settings of resampling."""
    check_instance("sampling", value, Sampling, "a Sampling", "Leave it out for the default")


def confidence(result: Result, sampling: Sampling = DEFAULT) -> Intervals:
    """One interval for each score of the result.

    >>> from fullmarks import score
    >>> result = score("qa", [["a"], ["b"], ["c"], ["d"]], ["a", "b", "c", "x"])
    >>> interval = confidence(result, Sampling(method="percentile"))["exact_match"]
    >>> interval.low, interval.high
    (0.25, 1.0)
    """
    check_result("result", result)
    check_sampling(sampling)
    found = Intervals()
    for metric, sample in _samples(result.tally, sampling.cluster):
        intervals = sample_intervals(sample, finish_of(metric), **sampling.settings())
        found.update(zip(metric.scores, intervals, strict=True))
        for name, note in metric.interval_notes.items():
            if name in found:
                found[name] = replace(found[name], note="; ".join(filter(None, (found[name].note, note))))
    return found


def slice_confidence(result: Result, column: str, sampling: Sampling = DEFAULT) -> dict[Hashable, dict[str, Interval]]:
    """The intervals for each value of a column."""
    found: dict[Hashable, dict[str, Interval]] = {}
    for metric, label, sample in _slice_samples(result.tally, column, sampling.cluster):
        intervals = sample_intervals(sample, finish_of(metric), **sampling.settings())
        found.setdefault(label, {}).update(zip(metric.scores, intervals, strict=True))
    return found


def _samples(tally: Tally, cluster: str | None) -> Iterator[tuple[Metric, Sample]]:
    """Each metric that gives scores with all examples: from the rows that were kept, or from the counts of them."""
    if tally.counts is None:
        clusters = clusters_of(tally, cluster) if tally.keep else None
        for metric, rows in metric_rows(tally):
            yield metric, sample_of(checked_rows(rows), clusters)
    else:
        for place, (metric, total) in enumerate(zip(tally.metrics, tally.totals(), strict=True)):
            if metric.columns and metric.scores:
                yield metric, tally.counts.sample(place, total, cluster)


def _slice_samples(tally: Tally, column: str, cluster: str | None) -> Iterator[tuple[Metric, Hashable, Sample]]:
    """The same for each value of a column, values in order of appearance."""
    if tally.counts is None:
        labels, clusters = labels_of(tally, column) or [], clusters_of(tally, cluster)
        for metric, rows in metric_rows(tally):
            for label, sample in slice_samples(rows, labels, clusters):
                yield metric, label, sample
    else:
        totals = tally.by(column) if column in tally.slice_columns else {}
        for place, metric in enumerate(tally.metrics):
            if metric.columns and metric.scores:
                own = {label: each[place] for label, each in totals.items()}
                for label, sample in tally.counts.slice_samples(place, column, own, cluster):
                    yield metric, label, sample


@dataclass(frozen=True, repr=False)
class Confidence(ShowsItself):
    """The intervals that belong to one result: of the whole, and of the slices that were asked for."""

    sampling: Sampling
    scores: dict[str, Interval]
    slices: dict[str, dict[Hashable, dict[str, Interval]]]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; an end that is undefined is null."""
        return {
            "sampling": asdict(self.sampling),
            "scores": {name: plain_interval(interval) for name, interval in self.scores.items()},
            "slices": {column: _plain_slices(groups) for column, groups in self.slices.items()},
        }

    def to_pandas(self) -> Any:
        """One row per score, then one per slice and score, as a `pandas.DataFrame`; numbers from 0 to 1."""
        from fullmarks.data_frames import pandas_frame

        return pandas_frame(interval_columns(self._parts()))

    def _parts(self) -> dict[tuple[str | None, str | None], dict[str, Interval]]:
        parts: dict[tuple[str | None, str | None], dict[str, Interval]] = {(None, None): self.scores}
        for column, groups in self.slices.items():
            names = slice_names(groups)
            parts |= {(column, names[value]): intervals for value, intervals in groups.items()}
        return parts

    def _shown(self) -> Shown:
        count = sum(map(len, self.slices.values()))
        return Shown("intervals", (interval_table(self.scores),), (f"{count:,} slices",) if count else ())


def _plain_slices(groups: dict[Hashable, dict[str, Interval]]) -> dict[str, dict[str, Any]]:
    names = slice_names(groups)
    return {
        names[value]: {name: plain_interval(interval) for name, interval in intervals.items()}
        for value, intervals in groups.items()
    }


def result_confidence(result: Result, by: tuple[str, ...] = (), sampling: Sampling = DEFAULT) -> Confidence:
    """The intervals of a result and of its slices."""
    slices = {column: slice_confidence(result, column, sampling) for column in by}
    return Confidence(sampling, confidence(result, sampling), slices)


def plain_interval(interval: Interval) -> dict[str, Any]:
    """An interval as plain data, without what all intervals of a run share."""
    return {
        "low": finite(interval.low),
        "high": finite(interval.high),
        "standard_error": finite(interval.standard_error),
        "method": interval.method,
        "units": interval.units,
        "note": interval.note,
    }


def finite(value: float | None) -> float | None:
    """The number, or None where JSON has no word for it."""
    return value if value is not None and math.isfinite(value) else None


def metric_rows(tally: Tally) -> list[tuple[Metric, Floats]]:
    """Each metric that gives scores with its rows, shape (examples, columns); an error if the rows were not kept."""
    if not tally.keep:
        raise UsageError(
            "this run kept only its sums; score with keep=True to resample its examples, or with intervals=True to "
            "have intervals alone"
        )
    return [
        (metric, _view(rows).reshape(-1, width))
        for metric, rows, width in zip(tally.metrics, tally.rows, tally.widths, strict=True)
        if width and metric.scores
    ]


def _view(rows: array[float]) -> Floats:
    """The numbers of a run, which nobody may change: all that is said of it comes from these."""
    view = np.frombuffer(rows, dtype=np.float64)
    view.flags.writeable = False
    return view


def finish_of(metric: Metric) -> Finish:
    """How the sums of resamples become scores: means at once, other metrics by their own `finish`."""
    if metric.is_mean:
        return means

    def finish(sums: Floats, n: Floats) -> Floats:
        lines = sums.reshape(-1, sums.shape[-1]).tolist()
        counts = np.broadcast_to(n, (*sums.shape[:-1], 1)).reshape(-1).tolist()
        totals = (Total(round(count), tuple(line)) for count, line in zip(counts, lines, strict=True))
        scores = [[found[name] for name in metric.scores] for found in map(metric.finish, totals)]
        return np.array(scores, dtype=np.float64).reshape(*sums.shape[:-1], len(metric.scores))

    return finish


def clusters_of(tally: Tally, column: str | None) -> list[Hashable] | None:
    """The cluster of every example; None without a column, an error where an example would be in several.

    Examples without a label are clusters of their own: nothing says that they belong together.
    """
    labels = labels_of(tally, column, may_be_several=False)
    if labels is None or None not in labels:
        return labels
    return [("example", position) if label is None else label for position, label in enumerate(labels)]


def labels_of(tally: Tally, column: str | None, *, may_be_several: bool = True) -> list[Hashable] | None:
    """The values of a column by example; None without a column, an error where there is no such column."""
    if column is None:
        return None
    columns = tally.examples.columns
    check_columns([column], columns, advice=KEPT_WHERE_ASKED.format(column=column))
    check_labels(column, columns[column], may_be_several=may_be_several)
    return list(columns[column])
