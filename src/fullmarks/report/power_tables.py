"""How many questions are enough, as text and as a picture, in the official scale."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fullmarks.atomic_file import written_whole
from fullmarks.errors import UsageError
from fullmarks.report.documents import decimals
from fullmarks.report.figures import FORMATS, check_plots, empty_figure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fullmarks.analysis.power import PowerAnalysis, PowerRow
    from fullmarks.report.terminal import Page

POINTS = 200
COLOURS = ("tab:blue", "tab:orange", "tab:green")


def power_text(found: PowerAnalysis, page: Page) -> str:
    """The plans for a terminal, one line for each correlation."""
    from fullmarks.report.terminal import draw, line, table

    header = ["correlation", "standard error", "smallest"]
    if found.difference is not None:
        header += [f"for {_number(found.difference, found)}", f"power of {found.n:,}"]
    if found.rows[0].simulation is not None:
        header.append("simulated")
    drawn = table(page, header, [_cells(row, found) for row in found.rows], numbers=range(len(header)))
    return draw(page, drawn, *(line(f" {text}") for text in power_lines(found)))


def _cells(row: PowerRow, found: PowerAnalysis) -> list[str]:
    cells = ["undefined" if row.correlation is None else f"{row.correlation:.2f}"]
    cells += [_number(row.standard_error, found), _number(row.smallest_difference, found)]
    if row.power is not None:
        cells += [f"{row.examples_needed:,}", f"{row.power:.3f}"]
    if row.simulation is not None:
        cells.append(f"{row.simulation.found:.3f}")
    return cells


def power_lines(found: PowerAnalysis) -> Iterator[str]:
    """What stands below the table: what the numbers are about."""
    plan = found.plan
    where = f" in {found.units:,} clusters of '{found.cluster}'" if found.cluster else ""
    yield f"{found.score} of {found.protocol}, {found.n:,} questions{where}"
    yield f"smallest: the difference that they show with power {plan.power:g} at level {plan.level:g}"
    if found.difference is not None:
        wanted = _number(found.difference, found)
        units = found.rows[0].units_needed
        in_clusters = f", {units:,} clusters" if found.cluster and len(found.rows) == 1 else ""
        yield f"for {wanted}: the questions that such a difference needs{in_clusters}"
        yield f"power of {found.n:,}: the chance that those at hand show it"
    if found.found_difference is None:
        yield "correlation: supposed of the scores of two systems, for one run does not tell"
    else:
        yield f"correlation: that of the two runs, which differ by {_number(found.found_difference, found)}"
    simulated = found.rows[0].simulation
    if simulated is not None:
        planned = "the smallest difference" if found.difference is None else "the questions needed"
        yield f"simulated: how often {simulated.repetitions:,} permutation tests find it, with {planned}"


def _number(value: float, found: PowerAnalysis) -> str:
    return f"{found.scale * value:.{decimals(found.scale)}f}"


def check_power_plot(path: Path) -> None:
    """Complain about what would make the plot fail, before any work is done."""
    if path.suffix.lower().removeprefix(".") not in FORMATS:
        raise UsageError(f"--plot {path}: a plot is written as .svg or .png. Name it so")
    check_plots(path.parent)


def write_power_plot(path: Path, found: PowerAnalysis) -> None:
    """Write a picture of the power over the number of questions, for a few differences."""
    kind = path.suffix.lower().removeprefix(".")
    with written_whole(path) as stream:
        _figure(found).savefig(stream, format=kind, **FORMATS[kind])


def _figure(found: PowerAnalysis) -> Any:
    figure, axes = empty_figure()
    row = found.rows[len(found.rows) // 2]
    middle = row.smallest_difference if found.difference is None else found.difference
    most = max(4 * found.n, 2 * (row.examples_needed or 0))
    least = max(2.0, found.n / 20)
    sizes = [least * (most / least) ** (step / (POINTS - 1)) for step in range(POINTS)]
    for colour, factor in zip(COLOURS, (2.0, 1.0, 0.5), strict=True):
        difference = factor * middle
        errors = (row.standard_error * math.sqrt(found.n / size) for size in sizes)
        chances = [found.plan.power_of(difference, error) for error in errors]
        axes.plot(sizes, chances, color=colour, label=_number(difference, found))
    axes.axhline(found.plan.power, color="tab:gray", linestyle="--", linewidth=0.8)
    axes.axvline(found.n, color="tab:gray", linestyle=":", linewidth=0.8)
    axes.set_xscale("log")
    axes.set(xlabel="questions", ylabel="power", ylim=(0.0, 1.02))
    axes.legend(title="difference", loc="lower right")
    known = "" if row.correlation is None else f", correlation {row.correlation:.2f}"
    axes.set_title(f"{found.score} of {found.protocol}, level {found.plan.level:g}{known}")
    return figure
