"""How the scores of single examples are spread, as one picture per score and system: PNG and SVG.

Axes are in the official scale; figures are drawn off screen, without any state shared between calls.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fullmarks.atomic_file import written_whole
from fullmarks.report.plots import check_plots, empty_figure

BINS = 20
FORMATS: dict[str, dict[str, Any]] = {
    "png": {"dpi": 150},
    "svg": {"metadata": {"Date": None}},  # the same bytes on every day
}


def write_distributions(folder: Path, scores: Mapping[str, Mapping[str, Sequence[float]]], scale: float) -> list[Path]:
    """Write the pictures of `scores` (system, then score, then one number per example); returns their paths."""
    check_plots(folder)
    written = []
    for system, by_score in scores.items():
        for score, values in by_score.items():
            figure = _distribution(f"{score}, {system}", values, scale)
            written += write_figure(figure, folder, f"{file_name(score)}-{file_name(system)}")
    return written


def write_figure(figure: Any, folder: Path, name: str) -> list[Path]:
    """Write the figure in every format under this name; returns the paths."""
    paths = [folder / f"{name}.{kind}" for kind in FORMATS]
    for path, (kind, options) in zip(paths, FORMATS.items(), strict=True):
        with written_whole(path) as stream:
            figure.savefig(stream, format=kind, **options)
    return paths


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


def file_name(name: str) -> str:
    """A name of a score or a system as a part of a file's name."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-") or "unnamed"
