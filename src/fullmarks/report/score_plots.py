"""How the scores of single examples are spread, as one picture per score and system: PNG and SVG.

Axes are in the official scale; figures are drawn off screen, without any state shared between calls.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fullmarks.report.figures import check_plots, empty_figure, file_name, free_name, write_figure

BINS = 20


def write_distributions(folder: Path, scores: Mapping[str, Mapping[str, Sequence[float]]], scale: float) -> list[Path]:
    """Write the pictures of `scores` (system, then score, then one number per example); returns their paths."""
    check_plots(folder)
    written: list[Path] = []
    taken: set[str] = set()  # different names may be the same as names of files
    for system, by_score in scores.items():
        for score, values in by_score.items():
            figure = _distribution(f"{score}, {system}", values, scale)
            written += write_figure(figure, folder, free_name(f"{file_name(score)}-{file_name(system)}", taken))
    return written


def _distribution(title: str, values: Sequence[float], scale: float) -> Any:
    figure, axes = empty_figure()
    defined = [scale * value for value in values if math.isfinite(value)]
    low, high = min([0.0, *defined]), max([scale, *defined])
    axes.hist(
        defined,
        bins=BINS,
        range=(low, high),
        weights=[100 / len(defined)] * len(defined) if defined else None,
        color="tab:blue",
        rwidth=0.92,
    )
    axes.set(xlabel="score of the example", ylabel="% of the examples that have it", xlim=(low, high))
    axes.set_title(f"{title} ({len(defined):,} examples)")
    return figure
