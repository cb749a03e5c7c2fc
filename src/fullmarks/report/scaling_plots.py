"""The scores of systems, with their intervals, over a size of theirs: parameters, training steps, amount of data.

Axes are in the official scale; figures are drawn off screen, without any state shared between calls.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fullmarks.errors import UsageError
from fullmarks.report.figures import check_plots, empty_figure, file_name, free_name, write_figure

if TYPE_CHECKING:
    from fullmarks.analysis.standings import Standings

LOGARITHMIC = 10.0
"""From this ratio of the largest to the smallest size on, equal ratios are equal distances."""


class Point(NamedTuple):
    """One system in the official scale."""

    system: str
    size: float
    value: float
    low: float
    high: float


def write_scaling(folder: Path, standings: Standings, sizes: Mapping[str, float], size_name: str) -> list[Path]:
    """Write a picture for every score that at least two of the sized systems have; returns their paths."""
    check_plots(folder)
    if len(sizes) < 2:
        raise UsageError(f"a scaling plot needs the sizes of at least two systems, found {len(sizes)}")
    written: list[Path] = []
    taken: set[str] = set()
    for score, official in standings.score_names.items():
        points = _points(standings, score, sizes)
        if len(points) > 1:
            figure = _scaling(official, points, size_name, standings.sampling.level)
            written += write_figure(figure, folder, free_name(f"scaling-{file_name(official)}", taken))
    return written


def _points(standings: Standings, score: str, sizes: Mapping[str, float]) -> list[Point]:
    """The sized systems that have the score, from small to large."""
    scale, found = standings.scale, []
    for system, size in sizes.items():
        value, interval = standings.runs[system].scores[score], standings.intervals[system][score]
        if math.isfinite(value):
            ends = [end if math.isfinite(end) else value for end in (interval.low, interval.high)]
            found.append(Point(system, size, scale * value, scale * ends[0], scale * ends[1]))
    return sorted(found, key=lambda point: point.size)


def _scaling(title: str, points: list[Point], size_name: str, level: float) -> Any:
    figure, axes = empty_figure()
    sizes, values = [point.size for point in points], [point.value for point in points]
    # BCa may put the score itself outside of its interval: no bar has a negative length.
    below = [max(0.0, point.value - point.low) for point in points]
    above = [max(0.0, point.high - point.value) for point in points]
    axes.errorbar(sizes, values, yerr=[below, above], fmt="o-", color="tab:blue", ecolor="tab:gray", capsize=3)
    paper = {"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
    for point in points:
        place = {"xy": (point.size, point.value), "xytext": (8, -14), "textcoords": "offset points"}
        axes.annotate(point.system, **place, fontsize=9, bbox=paper)
    if sizes[0] > 0 and sizes[-1] / sizes[0] >= LOGARITHMIC:
        axes.set_xscale("log")
    axes.margins(x=0.12, y=0.12)
    axes.set(xlabel=size_name, ylabel=title)
    axes.set_title(f"{title}, {100 * level:g} % intervals")
    return figure
