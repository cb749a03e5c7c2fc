"""Tables for papers: systems down, scores across, the best in bold, marks where a difference is significant.

Numbers are in the official scale under the official names. What is bold is decided by the digits that are shown.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fullmarks.analysis.direction import less_is_better
from fullmarks.analysis.published import published_scores
from fullmarks.report.delimited import delimited
from fullmarks.report.documents import UNDEFINED, decimals
from fullmarks.report.markdown import Markup, escaped, markdown_table
from fullmarks.report.sampling_line import sampling_line
from fullmarks.showing import visible

if TYPE_CHECKING:
    from fullmarks.analysis.standings import Standings

MARKS = (("‡", 0.01), ("†", 0.05))
"""The mark of each level, the strictest first."""

_LATEX_MARKS = {"‡": r"$^{\ddagger}$", "†": r"$^{\dagger}$"}
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": "$<$",
        ">": "$>$",
        **{character: f"\\{character}" for character in "&%$#_{}"},
        **{character: f"{{{character}}}" for character in "[]*"},  # after a line's end they would be its options
    }
)


@dataclass(frozen=True)
class Cell:
    """One score of one system: its numbers in the official scale, and how it is set."""

    value: float
    low: float
    high: float
    digits: int
    best: bool
    mark: str
    p_holm: float | None

    @property
    def number(self) -> str:
        """The score as it is shown; a mark where there is none."""
        return f"{self.value:.{self.digits}f}" if math.isfinite(self.value) else UNDEFINED

    @property
    def ends(self) -> str:
        """The interval as it is shown; nothing where it is undefined."""
        return f"[{self.low:.{self.digits}f}, {self.high:.{self.digits}f}]" if math.isfinite(self.low) else ""


@dataclass(frozen=True)
class PaperTable:
    """A table that every format is written from."""

    protocol: str
    scores: list[str]
    rows: dict[str, list[Cell]]
    legend: str
    """What marks and bold type mean, and what was measured."""
    about_intervals: str


def paper_table(standings: Standings) -> PaperTable:
    """The table of all systems and scores."""
    p_values = _p_values(standings)
    digits = decimals(standings.scale)
    rows: dict[str, list[Cell]] = {system: [] for system in standings.runs}
    published = {system: published_scores(run) for system, run in standings.runs.items()}
    for score in standings.score_names:
        values = {system: scores[score] for system, scores in published.items()}
        shown = {system: round(value, digits) for system, value in values.items() if math.isfinite(value)}
        best = (min if less_is_better(standings.base, score) else max)(shown.values(), default=math.nan)
        for system, value in values.items():
            interval = standings.intervals[system].get(score)
            ends = (math.nan, math.nan) if interval is None else (interval.low, interval.high)
            p_holm = p_values.get((system, score))
            rows[system].append(
                Cell(
                    value,
                    standings.scale * ends[0],
                    standings.scale * ends[1],
                    digits,
                    best=len(values) > 1 and shown.get(system) == best,
                    mark=significance_mark(p_holm),
                    p_holm=p_holm,
                )
            )
    sampling = sampling_line(standings.sampling, standings.intervals[standings.baseline].values())
    return PaperTable(standings.base.protocol, list(standings.score_names.values()), rows, _legend(standings), sampling)


def paper_markdown(table: PaperTable, *, intervals: bool = True) -> str:
    """A Markdown table and its legend."""
    rows = [[system, *(_markdown_cell(cell, intervals) for cell in cells)] for system, cells in table.rows.items()]
    return f"{markdown_table(['system', *table.scores], rows)}\n\n{escaped(_explained(table, intervals))}\n"


def paper_latex(table: PaperTable, *, intervals: bool = True) -> str:
    """A LaTeX table with the legend as its caption; needs the package booktabs."""
    lines = [
        " & ".join([_latex(system), *(_latex_cell(cell, intervals) for cell in cells)]) + r" \\"
        for system, cells in table.rows.items()
    ]
    caption = _latex(_explained(table, intervals))
    for mark, command in _LATEX_MARKS.items():
        caption = caption.replace(mark, command)
    head = " & ".join(["system", *map(_latex, table.scores)]) + r" \\"
    return "\n".join(
        [
            r"\begin{table}[t]",
            r"\centering",
            rf"\begin{{tabular}}{{l{'r' * len(table.scores)}}}",
            r"\toprule",
            head,
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{{caption}}}",
            rf"\label{{tab:{table.protocol}}}",
            r"\end{table}",
            "",
        ]
    )


def paper_csv(table: PaperTable, *, intervals: bool = True, spreadsheet: bool = False) -> str:
    """One line per system with its scores, their intervals and corrected p-values, floats in full."""
    parts = ["", *([".low", ".high"] if intervals else []), ".p_holm"]
    rows = [["system", *(f"{score}{part}" for score in table.scores for part in parts)]]
    for system, cells in table.rows.items():
        rows.append([system, *(number for cell in cells for number in _csv_cells(cell, intervals))])
    return delimited(rows, spreadsheet=spreadsheet)


def _p_values(standings: Standings) -> dict[tuple[str, str], float]:
    if standings.comparison is None:
        return {}
    return {
        (each.system, each.score): each.p_holm
        for each in standings.comparison.differences
        if math.isfinite(each.p_holm)
    }


def significance_mark(p_holm: float | None) -> str:
    """The mark of the strictest level that the p-value is under; nothing where it is under none."""
    return next((mark for mark, level in MARKS if p_holm is not None and p_holm < level), "")


def _legend(standings: Standings) -> str:
    measured = f"{standings.base.protocol}, {standings.base.n:,} examples."
    if standings.comparison is None:
        return measured
    marks = ", ".join(f"{mark} p < {level:g}" for mark, level in reversed(MARKS))
    tests = sum(each.is_counted for each in standings.comparison.differences)
    corrected = f", Holm-corrected over {tests} comparisons" if tests > 1 else ""
    return f"{measured} Best in bold. {marks} against {standings.baseline}: paired permutation test{corrected}."


def _explained(table: PaperTable, intervals: bool) -> str:
    return f"{table.legend} In brackets: {table.about_intervals}." if intervals else table.legend


def _markdown_cell(cell: Cell, intervals: bool) -> str:
    number = f"**{cell.number}**" if cell.best else cell.number
    return Markup(f"{number}{cell.mark}" + (f" {cell.ends}" if intervals and cell.ends else ""))


def _latex_cell(cell: Cell, intervals: bool) -> str:
    number = rf"\textbf{{{cell.number}}}" if cell.best else cell.number
    ends = rf" {{\scriptsize {cell.ends}}}" if intervals and cell.ends else ""
    return f"{number}{_LATEX_MARKS.get(cell.mark, '')}{ends}"


def _latex(text: str) -> str:
    """The text on one line, nothing in it a command."""
    return visible(" ".join(text.split())).translate(_LATEX)


def _csv_cells(cell: Cell, intervals: bool) -> list[str]:
    numbers = [cell.value, *([cell.low, cell.high] if intervals else [])]
    p_holm = "" if cell.p_holm is None else repr(cell.p_holm)
    return [*(repr(number) if math.isfinite(number) else "" for number in numbers), p_holm]
