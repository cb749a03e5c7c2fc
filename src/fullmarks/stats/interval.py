"""An interval for a score, and the names of the ways to make one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from fullmarks.checks import check_kind
from fullmarks.errors import UsageError

Method: TypeAlias = Literal["auto", "bca", "percentile"]
"""What can be asked for: the rule of this package, or a bootstrap whatever the rows are."""
Used: TypeAlias = Literal[
    "wilson",
    "tango",
    "student",
    "bca",
    "percentile",
    "runs",
    "bucket-wilson",
    "bucket-student",
    "bucket-bca",
    "bucket-percentile",
]

METHODS: tuple[Method, ...] = ("auto", "bca", "percentile")
OF_BUCKETS: dict[Used, Used] = {
    "wilson": "bucket-wilson",
    "student": "bucket-student",
    "bca": "bucket-bca",
    "percentile": "bucket-percentile",
}
"""The names of the methods over buckets of examples instead of examples."""
FEW_UNITS = 20
"""Below so many units a bootstrap knows too little about their spread: its intervals are too short."""


@dataclass(frozen=True)
class Interval:
    """Where the score would fall if other examples of the same kind had been drawn."""

    low: float
    high: float
    level: float
    method: Used
    """The method that was used, which is "percentile" where BCa was asked for and has no value."""
    resamples: int
    """0 where a formula gave the ends."""
    seed: int
    standard_error: float | None
    """None for a single unit, whose spread cannot be known."""
    standard_error_from: Literal["formula", "resamples"]
    units: int
    """How many examples, or clusters of them, are independent of each other."""
    note: str = ""
    """What the reader must know: a method that fell back, resamples without a score. Mostly empty."""


def of_buckets(interval: Interval) -> Interval:
    """An interval over buckets of examples under the name of that method, with a note on what it is."""
    note = "too many different rows to count: the units are buckets that examples fell into by chance"
    return replace(interval, method=OF_BUCKETS[interval.method], note="; ".join(filter(None, (interval.note, note))))


def few_clusters(units: int, *, is_clustered: bool) -> str:
    """What is to be said about an interval over few clusters; nothing where there are enough."""
    if not is_clustered or not 1 < units < FEW_UNITS:
        return ""
    return f"only {units} clusters: wider for it by Student's t, and still no surer than they are alike"


def check_level(level: float) -> None:
    """An error unless the level is between 0 and 1."""
    check_kind("level", level, float)
    if not 0 < level < 1:
        raise UsageError(f"level {level} is not between 0 and 1; for 95 % give 0.95")


def check_method(method: str) -> None:
    """An error unless there is such a method."""
    if method not in METHODS:
        raise UsageError(f"unknown interval method {method!r}; give 'auto', 'bca' or 'percentile'")
