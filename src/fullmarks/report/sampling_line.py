"""How intervals and p-values were made, in one line for readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fullmarks.stats.interval import OF_BUCKETS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fullmarks.analysis.intervals import Sampling
    from fullmarks.stats.interval import Interval, Used

METHODS: dict[Used, str] = {
    "wilson": "Wilson",
    "tango": "Tango",
    "student": "Student's t",
    "bca": "BCa bootstrap",
    "percentile": "percentile bootstrap",
    "runs": "Student's t by runs",
    "bucket-wilson": "Wilson by buckets",
    "bucket-student": "Student's t by buckets",
    "bucket-bca": "BCa bootstrap by buckets",
    "bucket-percentile": "percentile bootstrap by buckets",
}


def resampling_words(sampling: Sampling, intervals: Iterable[Interval]) -> str:
    """The methods that were used, over what and over how many of them, and how resamples were drawn if any were."""
    made = list(intervals)
    used = [method for method in METHODS if any(interval.method == method for interval in made)]
    by_buckets = all(interval.method in OF_BUCKETS.values() for interval in made)
    units = f"clusters of '{sampling.cluster}'" if sampling.cluster else "buckets" if by_buckets else "examples"
    most = max((interval.units for interval in made), default=0)
    words = f"{' and '.join(METHODS[method] for method in used)} over {most:,} {units}"
    if any(interval.resamples for interval in made):
        words += f", {sampling.resamples:,} resamples, seed {sampling.seed}"
    return words


def sampling_line(sampling: Sampling, intervals: Iterable[Interval]) -> str:
    """The same with the level before."""
    return f"{100 * sampling.level:g} % intervals, {resampling_words(sampling, intervals)}"
