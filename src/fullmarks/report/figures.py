"""Figures drawn off screen, without any state shared between calls, and how they are written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from fullmarks.atomic_file import written_whole
from fullmarks.errors import UsageError
from fullmarks.optional import require

FORMATS: dict[str, dict[str, Any]] = {
    "png": {"dpi": 150},
    "svg": {"metadata": {"Date": None}},  # the same bytes on every day
}
MOST_BYTES = 240
"""File systems allow 255 for a name; the rest is for a number and the ending."""


def check_plots(folder: Path) -> None:
    """Complain about what would make plotting fail, before any work is done."""
    require("matplotlib.figure", needed_by="Plotting", extra="plots")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made a folder ({error.strerror}). Name another one") from error


def empty_figure() -> tuple[Any, Any]:
    """A figure drawn off screen, and its axes."""
    module = require("matplotlib.figure", needed_by="Plotting", extra="plots")
    backend = require("matplotlib.backends.backend_agg", needed_by="Plotting", extra="plots")
    figure = module.Figure(figsize=(6.4, 4.8), layout="constrained")
    backend.FigureCanvasAgg(figure)
    return figure, figure.subplots()


def write_figure(figure: Any, folder: Path, name: str) -> list[Path]:
    """Write the figure in every format under this name; returns the paths."""
    paths = [folder / f"{name}.{kind}" for kind in FORMATS]
    for path, (kind, options) in zip(paths, FORMATS.items(), strict=True):
        with written_whole(path) as stream:
            figure.savefig(stream, format=kind, **options)
    return paths


def free_name(name: str, taken: set[str]) -> str:
    """The name, short enough for a file system and numbered where it is taken; from then on it is taken."""
    short = name.encode("utf-8", "backslashreplace")[:MOST_BYTES].decode("utf-8", "ignore")
    free, number = short, 1
    while free.casefold() in taken:
        number += 1
        free = f"{short}-{number}"
    taken.add(free.casefold())
    return free


def file_name(name: str) -> str:
    """A name of a score or a system as a part of a file's name."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-") or "unnamed"
