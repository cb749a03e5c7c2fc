"""Systems on several benchmarks as text and as a table for papers, in the official scales."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fullmarks.report.comparison_tables import shown_p
from fullmarks.report.comparison_text import judged_row, verdict
from fullmarks.report.documents import UNDEFINED, decimals
from fullmarks.report.intervals import interval_notes
from fullmarks.report.paper_tables import MARKS, Cell, PaperTable, significance_mark

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from fullmarks.analysis.across import Across, Benchmark, Overall
    from fullmarks.report.drawing import Page
    from fullmarks.stats.interval import Interval

DIFFERENCE = 3
"""The place of the difference in the row of a system."""
FEW_SETS = 10
"""On fewer benchmarks ranks can hardly show anything."""


def across_text(across: Across, page: Page) -> str:
    """A table for each benchmark, one of all together, and how the numbers were made."""
    from fullmarks.report.drawing import draw, line, table

    parts: list[RenderableType] = []
    level = f"{100 * across.sampling.level:g} %"
    for benchmark in across.benchmarks:
        header = ["system", benchmark.score, f"{level} interval", "difference", f"{level} interval", "p (Holm)", ""]
        title = f"{benchmark.name}: {benchmark.n:,} examples" + (", less is better" * benchmark.less_is_better)
        rows = [
            _judged(row, system, across, benchmark)
            for row, system in zip(_rows(across, benchmark), across.systems, strict=True)
        ]
        parts += [line(f" {title}", "bold"), table(page, header, rows, numbers=range(1, len(header) - 1))]
    if across.overall is not None:
        parts += [line(" all benchmarks", "bold"), table(page, *_overall(across, across.overall), numbers=(1, 2))]
    return draw(page, *parts, *(line(f" {text}") for text in across_lines(across)))


def _judged(row: list[str], system: str, across: Across, benchmark: Benchmark) -> list[str | Text]:
    """The row of a system with the verdict on its difference, if it has one."""
    cell = benchmark.cells.get(system)
    if cell is None or cell.test is None:
        return [*row, ""]
    alpha = 1 - across.sampling.level
    word = verdict(cell.test.difference, cell.p_holm, alpha=alpha, less_is_better=benchmark.less_is_better)
    return judged_row(row, DIFFERENCE, word)


def _gap(difference: float, benchmark: Benchmark) -> str:
    return f"{benchmark.scale * difference:+.{decimals(benchmark.scale)}f}"


def across_lines(across: Across) -> list[str]:
    """What stands below the tables."""
    noted = (
        (f"{system} on {benchmark.name}", interval)
        for benchmark in across.benchmarks
        for system, cell in benchmark.cells.items()
        for interval in (cell.interval, *([cell.test.interval] if cell.test is not None else []))
    )
    return [
        f"differences are system minus {across.baseline}; p (Holm): paired permutation test, corrected for all of them",
        *_missing(across),
        *_overall_lines(across),
        *interval_notes(noted),
    ]


def _missing(across: Across) -> list[str]:
    left_out = "it is left out of what is said of all benchmarks"
    return [f"missing: {system} on {', '.join(lacks)}; {left_out}" for system, lacks in across.missing.items()]


def _overall_lines(across: Across) -> list[str]:
    found = across.overall
    if found is None:
        why = "one benchmark" if len(across.benchmarks) == 1 else "one system with a run of every benchmark"
        return [f"nothing is said of all benchmarks together: there is only {why}"]
    test, gap = found.friedman, found.friedman.critical_difference
    p_value = f"p {shown_p(test.p_value)} ({test.method})"
    lines = [f"average rank: 1 is best; Friedman's statistic {test.statistic:.2f}, {p_value}"]
    if gap is not None:
        lines.append(f"average ranks differ where they are more than {gap:.2f} apart (Nemenyi, 0.05)")
    if len(across.benchmarks) < FEW_SETS:
        lines.append(f"{len(across.benchmarks)} benchmarks: too few for ranks to show more than large differences")
    lines.append("surely better: on at least so many benchmarks, at 0.05 (partial conjunctions, Bonferroni)")
    return lines


def _rows(across: Across, benchmark: Benchmark) -> list[list[str]]:
    rows = []
    for system in across.systems:
        cell = benchmark.cells.get(system)
        if cell is None:
            rows.append([system, UNDEFINED, "", "", "", ""])
            continue
        digits = decimals(benchmark.scale)
        row = [system, f"{cell.published:.{digits}f}", _ends(cell.interval, benchmark.scale)]
        if cell.test is None:
            row += ["(baseline)", "", ""]
        else:
            row += [
                _gap(cell.test.difference, benchmark),
                _ends(cell.test.interval, benchmark.scale),
                shown_p(cell.p_holm),
            ]
        rows.append(row)
    return rows


def _overall(across: Across, found: Overall) -> tuple[list[str], list[list[str]]]:
    rows = []
    names = [benchmark.name for benchmark in across.benchmarks]
    ranked = zip(found.systems, found.friedman.average_ranks, strict=True)
    for system, rank in sorted(ranked, key=lambda each: each[1]):
        better = found.better.get(system)
        count = "(baseline)" if better is None else f"{better.count} of {len(names)}"
        those = "" if better is None else ", ".join(names[at] for at in better.named)
        rows.append([system, f"{rank:.2f}", count, those])
    return ["system", "average rank", f"surely better than {across.baseline}", "among them"], rows


def _ends(interval: Interval, scale: float) -> str:
    digits = decimals(scale)
    return f"[{scale * interval.low:.{digits}f}, {scale * interval.high:.{digits}f}]"


def across_paper(across: Across) -> PaperTable:
    """Systems down, benchmarks and the average rank across."""
    rows: dict[str, list[Cell]] = {system: [] for system in across.systems}
    for benchmark in across.benchmarks:
        for system, cell in _cells(across, benchmark).items():
            rows[system].append(cell)
    columns = [f"{benchmark.name} {benchmark.score}" for benchmark in across.benchmarks]
    if across.overall is not None:
        columns.append("average rank")
        ranks = dict(zip(across.overall.systems, across.overall.friedman.average_ranks, strict=True))
        least = min(ranks.values())
        for system, cells in rows.items():
            rank = ranks.get(system, math.nan)
            cells.append(Cell(rank, math.nan, math.nan, 2, rank == least, "", None))
    about = f"{100 * across.sampling.level:g} % intervals"
    return PaperTable("benchmarks", columns, rows, _legend(across), about)


def _cells(across: Across, benchmark: Benchmark) -> dict[str, Cell]:
    digits, scale = decimals(benchmark.scale), benchmark.scale
    shown = {system: round(cell.published, digits) for system, cell in benchmark.cells.items()}
    best = (min if benchmark.less_is_better else max)(shown.values())
    cells = {}
    for system in across.systems:
        found = benchmark.cells.get(system)
        if found is None:
            cells[system] = Cell(math.nan, math.nan, math.nan, digits, best=False, mark="", p_holm=None)
            continue
        p_holm = found.p_holm if math.isfinite(found.p_holm) else None
        cells[system] = Cell(
            found.published,
            scale * found.interval.low,
            scale * found.interval.high,
            digits,
            best=len(shown) > 1 and shown[system] == best,
            mark=significance_mark(p_holm),
            p_holm=p_holm,
        )
    return cells


def _legend(across: Across) -> str:
    marks = ", ".join(f"{mark} p < {level:g}" for mark, level in reversed(MARKS))
    tests = sum(cell.test is not None for benchmark in across.benchmarks for cell in benchmark.cells.values())
    told = [
        f"Best in bold. {marks} against {across.baseline}: paired permutation test, Holm-corrected over {tests}.",
        *(f"{text[0].upper()}{text[1:]}." for text in _missing(across)),
    ]
    if across.overall is not None:
        found = across.overall.friedman
        told.append(f"Average rank over {len(across.benchmarks)} benchmarks; Friedman p = {shown_p(found.p_value)}")
        if found.critical_difference is not None:
            told[-1] += f", critical difference {found.critical_difference:.2f} (Nemenyi, 0.05)"
        told[-1] += "."
    return " ".join(told)
