"""A comparison of systems as text, Markdown and CSV, in the official scale. Reads the record and computes nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fullmarks.report.delimited import delimited
from fullmarks.report.documents import decimals
from fullmarks.report.intervals import interval_notes
from fullmarks.report.markdown import escaped, markdown_table
from fullmarks.report.sampling_line import resampling_words

if TYPE_CHECKING:
    from rich.console import RenderableType

    from fullmarks.analysis.comparison import Changes, Comparison, Difference, ExampleChange
    from fullmarks.report.terminal import Page
    from fullmarks.stats.interval import Interval
    from fullmarks.stats.several_runs import RunSpread

Table = tuple[str, list[str], list[list[str]]]
"""A title, a header and rows."""

SLICES = 10
"""How many slices are shown: those where the systems most surely differ."""

MOST_SCORES_ACROSS = 3
"""More scores than this stand in rows, with the systems across."""

_CSV_COLUMNS = (
    *("system", "baseline", "score", "column", "value", "n"),
    *("value_system", "value_baseline", "difference", "low", "high"),
    *("p_permutation", "p_holm", "p_bootstrap", "p_mcnemar"),
    *("effect", "effect_size", "wins", "losses", "ties", "note"),
)

_CSV_RUNS = tuple(
    f"{part}_{side}" for side in ("system", "baseline") for part in ("runs", "between_examples", "between_runs")
)
"""What is added where a system has several runs."""


def comparison_tables(comparison: Comparison, examples: int) -> list[Table]:
    """All tables in their order; what there is nothing of is left out."""
    level = f"{100 * comparison.sampling.level:g} %"
    tables = [
        *_run_tables(comparison),
        (
            f"difference from {comparison.baseline}",
            ["system", "score", "difference", f"{level} interval", "p", "p (Holm)"],
            [_difference_row(each, comparison.scale) for each in comparison.differences],
        ),
        (
            "the same, by other measures",
            ["system", "score", "p (bootstrap)", "p (McNemar)", "effect", "wins", "losses", "ties"],
            [_measures_row(each) for each in comparison.differences],
        ),
        (
            f"slices where {comparison.main_score} differs most surely",
            ["system", "slice", "n", "difference", f"{level} interval", "p (Holm)"],
            [_slice_row(each, comparison.scale) for each in comparison.slices[:SLICES]],
        ),
    ]
    if len(comparison.systems) == 1:
        of_all = len(_run_tables(comparison))
        tables[of_all:] = [_of_one_system(table, comparison.systems[0]) for table in tables[of_all:]]
    for changes in comparison.changes:
        tables += _change_tables(changes, comparison, examples)
    return [table for table in [("", *_score_table(comparison)), *tables] if table[2]]


def _run_tables(comparison: Comparison) -> list[Table]:
    """How far questions and runs lie apart, where a system has several runs."""
    header = ["system", "score", "runs", "sd of questions", "sd of runs", "standard error"]
    rows = [
        [name, score, str(spread.runs), *(_deviation(part, comparison.scale) for part in _parts(spread))]
        for name, spreads in comparison.runs.items()
        for score, spread in spreads.items()
    ]
    return [("runs: their mean is the score, and questions and runs both move it", header, rows)] if rows else []


def _parts(spread: RunSpread) -> tuple[float | None, ...]:
    return spread.between_examples, spread.between_runs, spread.standard_error


def _deviation(value: float | None, scale: float) -> str:
    return "unknown" if value is None else f"{scale * value:.{decimals(scale)}f}"


def _of_one_system(table: Table, system: str) -> Table:
    """The table without its first column, the system's name, which the title says instead."""
    title, header, rows = table
    return f"{system}: {title}", header[1:], [row[1:] for row in rows]


def comparison_lines(comparison: Comparison) -> list[str]:
    """What stands below the tables: how the numbers were made."""
    kinds = {each.test.permutation.method for each in comparison.differences}
    tests = [f"p: paired permutation test ({' or '.join(sorted(kinds - {'runs'}))})"] if kinds - {"runs"} else []
    if "runs" in kinds:
        tests.append("p (several runs): Student's t for questions and runs")
    intervals = [
        *(interval for found in comparison.intervals.values() for interval in found.values()),
        *(each.test.interval for each in comparison.differences),
    ]
    return [
        f"{comparison.n} examples; differences are system minus {comparison.baseline}",
        f"intervals: {resampling_words(comparison.sampling, intervals)}",
        *tests,
        "p (Holm): the same, corrected for all tests of its table",
        *interval_notes(_noted(comparison)),
        *comparison.left_out,
        *(f"note: {note}" for note in comparison.notes),
        *(f"{name}: {signature}" for name, signature in comparison.signatures.items()),
    ]


def _noted(comparison: Comparison) -> Iterator[tuple[str, Interval]]:
    """The intervals of the tables by name, without those of systems that do not differ at all."""
    for each in (*comparison.differences, *comparison.slices[:SLICES]):
        if each.test.difference:
            name = f"{each.column}={each.label}" if each.column else each.score
            yield (name if len(comparison.systems) == 1 else f"{each.system} {name}"), each.test.interval


def comparison_text(comparison: Comparison, page: Page, examples: int) -> str:
    """The tables for a terminal."""
    from fullmarks.report.terminal import draw, line, table

    parts: list[RenderableType] = []
    for title, header, rows in comparison_tables(comparison, examples):
        parts += [*([line(f" {title}", "bold")] if title else []), table(page, header, rows, numbers=_numeric(header))]
    return draw(page, *parts, *(line(f" {text}") for text in comparison_lines(comparison)))


def _numeric(header: Sequence[str]) -> list[int]:
    """The places of the columns that hold numbers."""
    if header[0] == "id":
        return []
    return [place for place, title in enumerate(header) if title not in ("system", "score", "slice")]


def comparison_markdown(comparison: Comparison, examples: int) -> str:
    """The tables as Markdown."""
    heading = f"{comparison.protocol}: {', '.join(comparison.systems)} against {comparison.baseline}"
    parts = [f"## {escaped(heading)}"]
    for title, header, rows in comparison_tables(comparison, examples):
        parts += [*([f"### {escaped(title)}"] if title else []), markdown_table(header, rows)]
    parts.append("\n".join(f"- {escaped(line)}" for line in comparison_lines(comparison)))
    return "\n\n".join(parts) + "\n"


def comparison_csv(comparison: Comparison, *, spreadsheet: bool = False) -> str:
    """One line per system and score, then one per slice; numbers in full, in the official scale."""
    found = (*comparison.differences, *comparison.slices)
    rows = [
        (*_CSV_COLUMNS, *(_CSV_RUNS if comparison.runs else ())),
        *([*_csv_row(each, comparison), *_csv_runs(each, comparison)] for each in found),
    ]
    return delimited(rows, spreadsheet=spreadsheet)


def _csv_row(each: Difference, comparison: Comparison) -> list[object]:
    test, scale = each.test, comparison.scale
    numbers = [scale * number for number in (test.difference, test.interval.low, test.interval.high)]
    values = [scale * test.system, scale * test.baseline]
    if not each.column:
        values = [comparison.published[name][each.score] for name in (each.system, comparison.baseline)]
    p_bootstrap, p_mcnemar = ("" if p is None else repr(p) for p in (test.p_bootstrap, test.p_mcnemar))
    return [
        *(each.system, comparison.baseline, each.score, each.column, each.label, test.examples),
        *map(repr, (*values, *numbers)),
        *(repr(test.permutation.p_value), repr(each.p_holm), p_bootstrap, p_mcnemar),
        *(test.effect.name, repr(test.effect.value)),
        *(test.outcomes.wins, test.outcomes.losses, test.outcomes.ties, test.interval.note),
    ]


def _csv_runs(each: Difference, comparison: Comparison) -> list[object]:
    """The runs of both sides; how far they lie apart belongs to the whole, not to a slice."""
    found: list[object] = []
    for name in (each.system, comparison.baseline) if comparison.runs else ():
        spread = comparison.runs[name][each.score]
        parts = (None, None) if each.column else (spread.between_examples, spread.between_runs)
        found += [spread.runs, *("" if part is None else repr(comparison.scale * part) for part in parts)]
    return found


def _score_table(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """Systems down and scores across; the other way round where the scores are many and the systems fewer."""
    scores = list(comparison.scores[comparison.baseline])
    header, rows = ["system", *scores], [_score_row(comparison, name, scores) for name in comparison.scores]
    if len(scores) > MOST_SCORES_ACROSS and len(scores) > len(rows):
        header, *rows = map(list, zip(["score", *scores], *rows, strict=True))
    return header, rows


def _score_row(comparison: Comparison, name: str, scores: Sequence[str]) -> list[str]:
    marked = f"{name} (baseline)" if name == comparison.baseline else name
    values, intervals = comparison.scores[name], comparison.intervals[name]
    return [marked, *(_with_interval(values[score], intervals[score], comparison.scale) for score in scores)]


def _difference_row(each: Difference, scale: float) -> list[str]:
    test = each.test
    return [
        each.system,
        each.score,
        f"{scale * test.difference:+.{decimals(scale)}f}",
        _ends(test.interval, scale),
        shown_p(test.permutation.p_value),
        shown_p(each.p_holm),
    ]


def _measures_row(each: Difference) -> list[str]:
    test = each.test
    counts = test.outcomes
    effect = f"{test.effect.value:+.3f} {test.effect.name.removeprefix('cohen ')}"
    if math.isnan(test.effect.value):
        effect = ""
    mcnemar = "" if test.p_mcnemar is None else shown_p(test.p_mcnemar)
    tallies = [str(count) for count in (counts.wins, counts.losses, counts.ties)]
    if test.difference and not counts.wins and not counts.losses:  # single examples have no such score
        tallies = ["", "", ""]
    p_bootstrap = "" if test.p_bootstrap is None else shown_p(test.p_bootstrap)
    return [each.system, each.score, p_bootstrap, mcnemar, effect, *tallies]


def _slice_row(each: Difference, scale: float) -> list[str]:
    test = each.test
    return [
        each.system,
        f"{each.column}={each.label}",
        str(test.examples),
        f"{scale * test.difference:+.{decimals(scale)}f}",
        _ends(test.interval, scale),
        shown_p(each.p_holm),
    ]


def _change_tables(changes: Changes, comparison: Comparison, examples: int) -> list[Table]:
    header = ["id", "change", comparison.baseline, changes.system, "references"]
    return [
        (
            f"{kind} by {changes.system}: {shown_count(len(changed), examples)}",
            header,
            [_change_row(change) for change in changed[:examples]],
        )
        for kind, changed in (("fixed", changes.fixed), ("broken", changes.broken))
    ]


def shown_count(total: int, shown: int) -> str:
    """How many examples there are, and how many of them are shown where that is fewer."""
    noun = "example" if total == 1 else "examples"
    return f"{total} {noun}" + (f", {shown} shown" if total > shown else "")


def _change_row(change: ExampleChange) -> list[str]:
    texts = (change.baseline_prediction, change.system_prediction)
    references: Sequence[object] = list(dict.fromkeys(map(str, change.references)))
    wanted = " / ".join(map(str, references)) or "(no answer)"
    scores = f"{change.baseline_score:.2f} -> {change.system_score:.2f}"
    return [str(change.id), scores, *(cut(str(text)) for text in texts), cut(wanted)]


def cut(text: str, width: int = 60) -> str:
    """The text, shortened where it is long and named where it is nothing."""
    shown = text if len(text) <= width else text[: width - 3] + "..."
    return shown or "(empty)"


def _with_interval(value: float, interval: Interval, scale: float) -> str:
    return f"{scale * value:.{decimals(scale)}f} {_ends(interval, scale)}"


def _ends(interval: Interval, scale: float) -> str:
    digits = decimals(scale)
    return f"[{scale * interval.low:.{digits}f}, {scale * interval.high:.{digits}f}]"


def shown_p(value: float) -> str:
    """A p-value for people."""
    if math.isnan(value):
        return "undefined"
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"
