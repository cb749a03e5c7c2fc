"""A comparison of systems as tables, Markdown and CSV, in the official scale. Reads the record and computes nothing."""

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
    from fullmarks.analysis.comparison import Changes, Comparison, Difference, ExampleChange
    from fullmarks.stats.interval import Interval
    from fullmarks.stats.ranks import RankSet
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
    *("effect", "effect_size", "wins", "losses", "ties", "equivalent_within", "p_equivalence", "note"),
)

_CSV_RUNS = tuple(
    f"{part}_{side}" for side in ("system", "baseline") for part in ("runs", "between_examples", "between_runs")
)
"""What is added where a system has several runs."""


def comparison_tables(comparison: Comparison, examples: int) -> list[Table]:
    """All tables in their order; what there is nothing of is left out."""
    tables = [
        score_table(comparison),
        *run_tables(comparison),
        *(make(comparison) for make in (difference_table, measures_table, slice_table)),
    ]
    for changes in comparison.changes:
        tables += _change_tables(changes, comparison, examples)
    return [table for table in tables if table[2]]


def difference_table(comparison: Comparison) -> Table:
    """How far every system is from the baseline, and how surely; a row for each of the differences."""
    header = ["system", "score", "difference", f"{shown_level(comparison)} interval", "p", "p (Holm)"]
    rows = [_difference_row(each, comparison.scale) for each in comparison.differences]
    return _of_one_system((f"difference from {comparison.baseline}", header, rows), comparison)


def measures_table(comparison: Comparison) -> Table:
    """The same by other measures; the same rows."""
    header = ["system", "score", "p (bootstrap)", "p (McNemar)", "effect", "wins", "losses", "ties"]
    rows = [_measures_row(each, comparison) for each in comparison.differences]
    return _of_one_system(("the same, by other measures", [*header, "equivalent within"], rows), comparison)


def slice_table(comparison: Comparison) -> Table:
    """The slices where the systems most surely differ; a row for each of the first so many."""
    header = ["system", "slice", "n", "difference", f"joint {shown_level(comparison)} interval", "p", "p (Holm)"]
    rows = [_slice_row(each, comparison.scale) for each in comparison.slices[:SLICES]]
    return _of_one_system((f"slices by how surely {comparison.main_score} differs", header, rows), comparison)


def shown_level(comparison: Comparison) -> str:
    """How sure the intervals are, as a percentage."""
    return f"{100 * comparison.sampling.level:g} %"


def run_tables(comparison: Comparison) -> list[Table]:
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


def _of_one_system(table: Table, comparison: Comparison) -> Table:
    """The table, of a single system without its first column, the system's name, which the title says instead."""
    title, header, rows = table
    if len(comparison.systems) > 1:
        return table
    return f"{comparison.systems[0]}: {title}", header[1:], [row[1:] for row in rows]


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
        "p (Holm): the same, corrected for all tests of its kind",
        *(["joint intervals of slices: sure of all slices and systems at once"] if comparison.slices else []),
        *_rank_lines(comparison),
        *_equivalence_lines(comparison),
        *interval_notes(_noted(comparison)),
        *comparison.left_out,
        *(f"note: {note}" for note in (*comparison.test_notes, *comparison.notes)),
        *(f"{name}: {signature}" for name, signature in comparison.signatures.items()),
    ]


def _rank_lines(comparison: Comparison) -> Iterator[str]:
    if comparison.ranks:
        sure = f"{shown_level(comparison)} sure"
        yield f"rank: by {comparison.main_score}; in brackets the ranks that all systems may have at once, {sure}"


def _equivalence_lines(comparison: Comparison) -> Iterator[str]:
    yield f"equivalent within: the systems differ by less than this, {shown_level(comparison)} sure"
    if comparison.equivalence is None:
        return
    for each in comparison.differences:
        _, p_value = _alike(each, comparison)
        if p_value is not None:
            verdict = "equivalent" if p_value <= 1 - comparison.sampling.level else "not shown to be equivalent"
            yield f"{each.system} {each.score}: {verdict} within {comparison.equivalence:g} (p = {shown_p(p_value)})"


def _noted(comparison: Comparison) -> Iterator[tuple[str, Interval]]:
    """The intervals of the tables by name, without those of systems that do not differ at all."""
    for each in (*comparison.differences, *comparison.slices[:SLICES]):
        if each.test.difference:
            name = f"{each.column}={each.label}" if each.column else each.score
            yield (name if len(comparison.systems) == 1 else f"{each.system} {name}"), each.test.interval


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
    within, p_equivalence = _alike(each, comparison)
    p_values = (test.p_bootstrap, test.p_mcnemar, within, p_equivalence)
    p_bootstrap, p_mcnemar, *alike = ("" if number is None else repr(number) for number in p_values)
    effect, counts = test.effect, test.outcomes
    return [
        *(each.system, comparison.baseline, each.score, each.column, each.label, test.examples),
        *map(repr, (*values, *numbers)),
        *(repr(test.permutation.p_value), repr(each.p_holm), p_bootstrap, p_mcnemar),
        *(("", "") if effect is None else (effect.name, repr(effect.value))),
        *(("", "", "") if counts is None else (counts.wins, counts.losses, counts.ties)),
        *(*alike, test.interval.note),
    ]


def _csv_runs(each: Difference, comparison: Comparison) -> list[object]:
    """The runs of both sides; how far they lie apart belongs to the whole, not to a slice."""
    found: list[object] = []
    for name in (each.system, comparison.baseline) if comparison.runs else ():
        spread = comparison.runs[name][each.score]
        parts = (None, None) if each.column else (spread.between_examples, spread.between_runs)
        found += [spread.runs, *("" if part is None else repr(comparison.scale * part) for part in parts)]
    return found


def _alike(each: Difference, comparison: Comparison) -> tuple[float | None, float | None]:
    """The margin of equivalence in the official scale, and the p-value for the one asked for."""
    found = each.test.equivalence
    if found is None:
        return None, None
    return (None if found.within is None else comparison.scale * found.within), found.p_value


def score_table(comparison: Comparison) -> Table:
    """Systems down and scores across; the other way round where the scores are many and the systems fewer."""
    scores = list(dict.fromkeys(each.score for each in comparison.differences))
    header, rows = ["system", *scores], [_score_row(comparison, name, scores) for name in comparison.scores]
    if comparison.ranks:
        header = [*header, "rank"]
        rows = [[*row, shown_rank(comparison.ranks[name])] for name, row in zip(comparison.scores, rows, strict=True)]
    if len(scores) > MOST_SCORES_ACROSS and len(scores) > len(rows):
        header, *rows = map(list, zip(["score", *header[1:]], *rows, strict=True))
    return "", header, rows


def shown_rank(found: RankSet) -> str:
    """The rank and, in brackets, those that the system may have.

    >>> from fullmarks.stats.ranks import RankSet
    >>> shown_rank(RankSet(2, 1, 3))
    '2 (1-3)'
    """
    return f"{found.rank} ({found.best}-{found.worst})" if found.best < found.worst else f"{found.rank} ({found.best})"


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


def _measures_row(each: Difference, comparison: Comparison) -> list[str]:
    test, counts = each.test, each.test.outcomes
    effect = ""
    if test.effect is not None and not math.isnan(test.effect.value):
        effect = f"{test.effect.value:+.3f} {test.effect.name.removeprefix('cohen ')}"
    tallies = ["", "", ""] if counts is None else [str(count) for count in (counts.wins, counts.losses, counts.ties)]
    p_values = ["" if p_value is None else shown_p(p_value) for p_value in (test.p_bootstrap, test.p_mcnemar)]
    within, _ = _alike(each, comparison)
    alike = "" if within is None else f"{within:.{decimals(comparison.scale)}f}"
    return [each.system, each.score, *p_values, effect, *tallies, alike]


def _slice_row(each: Difference, scale: float) -> list[str]:
    test = each.test
    return [
        each.system,
        f"{each.column}={each.label}",
        str(test.examples),
        f"{scale * test.difference:+.{decimals(scale)}f}",
        _ends(test.interval, scale),
        shown_p(test.permutation.p_value),
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
