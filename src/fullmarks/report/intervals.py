"""Intervals as tables: the scores of a result in the official scale, each with its low and high end."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from fullmarks.analysis.published import score_named
from fullmarks.report.documents import UNDEFINED, largest_slices, shown_number
from fullmarks.report.markdown import escaped, markdown_table
from fullmarks.report.sampling_line import resampling_words
from fullmarks.result import slice_names

if TYPE_CHECKING:
    from fullmarks.analysis.intervals import Confidence
    from fullmarks.result import Result
    from fullmarks.stats.interval import Interval

Table = tuple[list[str], list[list[str]]]
NAMED = 3
"""How many scores or slices a note names before it counts the others."""


def interval_tables(result: Result, confidence: Confidence) -> list[Table]:
    """Header and rows for the whole, then for each column that was sliced by."""
    low, high = f"{100 * confidence.sampling.level:g} % low", "high"
    whole = [
        [name, *_cells(result.scores[name], interval, result.scale)] for name, interval in confidence.scores.items()
    ]
    tables: list[Table] = [(["score", "value", low, high, "standard error"], whole)]
    for column, groups in confidence.slices.items():
        scores, labels = result.by(column), slice_names(groups)
        rows = [
            [labels[value], name, *_cells(scores[value][name], interval, result.scale)]
            for value, intervals in groups.items()
            for name, interval in intervals.items()
            if not math.isnan(scores[value][name])  # a slice need not have every score
        ]
        tables.append(([column, "score", "value", low, high, "standard error"], rows))
    return tables


def score_intervals(
    result: Result, confidence: Confidence, rows: list[list[str]]
) -> tuple[list[str], list[list[str]], list[list[str]]]:
    """Header and rows of official keys and numbers with the interval of each that is a score, and the other scores."""
    header = [result.protocol, "", *_titles(confidence)]
    scores = {key: score_named(result, key) for key, _ in rows}
    placed = [[key, number, *_ends_and_error(confidence.scores.get(scores[key] or ""), result)] for key, number in rows]
    rest = [
        [name, shown_number(result.scale * result.scores[name]), *_ends_and_error(interval, result)]
        for name, interval in confidence.scores.items()
        if name not in scores.values()
    ]
    return header, placed, rest


def slice_intervals(result: Result, confidence: Confidence, column: str, most: int) -> tuple[Table, Table]:
    """The breakdown by a column with intervals: scores across, each with its interval beside it; and scores down."""
    groups, scores = confidence.slices[column], result.by(column)
    labels = slice_names(scores)
    values = largest_slices(scores, most)
    names = [name for name in next(iter(scores.values())) if name != "n"]
    interval, error = _titles(confidence)
    across, down = [], []
    for value in values:
        ends = [_ends_and_error(groups[value].get(name), result) for name in names]
        numbers = [shown_number(result.scale * scores[value][name]) for name in names]
        cells = [cell for number, (both, _) in zip(numbers, ends, strict=True) for cell in (number, both)]
        across.append([labels[value], *cells, str(scores[value]["n"])])
        known = [at for at, number in enumerate(numbers) if number != UNDEFINED]  # a slice need not have every score
        down += [
            [labels[value] if at == known[0] else "", names[at], numbers[at], *ends[at], across[-1][-1]] for at in known
        ]
    header = [column, *(title for name in names for title in (name, interval)), "n"]
    return (header, across), ([column, "score", "", interval, error, "n"], down)


def _titles(confidence: Confidence) -> list[str]:
    return [f"{100 * confidence.sampling.level:g} % interval", "standard error"]


def _ends_and_error(interval: Interval | None, result: Result) -> list[str]:
    """Both ends in brackets, and the standard error, in the official scale; empty where there is no interval."""
    if interval is None or math.isnan(interval.low):
        return ["", ""]
    _, low, high, error = _cells(0.0, interval, result.scale)
    return [f"[{low}, {high}]", error]


def interval_lines(confidence: Confidence) -> list[str]:
    """How the intervals were made, and what is to be known about single ones."""
    parts: dict[str, Mapping[str, Interval]] = {"": confidence.scores}
    for column, groups in confidence.slices.items():
        labels = slice_names(groups)
        parts.update({f"{column}={labels[value]}: ": intervals for value, intervals in groups.items()})
    found = [
        (f"{where}{name}", interval)
        for where, intervals in parts.items()
        for name, interval in intervals.items()
        if not where or not math.isnan(interval.low)
    ]
    return [resampling_words(confidence.sampling, confidence.scores.values()), *interval_notes(found)]


def interval_notes(intervals: Iterable[tuple[str, Interval]]) -> list[str]:
    """What is to be known about single intervals, said once for all that it holds for."""
    names: dict[str, list[str]] = {}
    for name, interval in intervals:
        if interval.note:
            names.setdefault(interval.note, []).append(name)
    return [f"{_some(those)}: {note}" for note, those in names.items()]


def _some(names: list[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def interval_markdown(result: Result, confidence: Confidence) -> str:
    """The tables as Markdown, below a heading."""
    tables = [markdown_table(*table) for table in interval_tables(result, confidence)]
    return "\n\n".join(["### Intervals", *tables, *map(escaped, interval_lines(confidence))]) + "\n"


def interval_records(result: Result, confidence: Confidence) -> Iterator[list[str]]:
    """Lines for the CSV of a result: column, value, name of the end, number in full."""
    for name, interval in confidence.scores.items():
        yield from _records(["", ""], name, interval, result.scale)
    for column, groups in confidence.slices.items():
        labels = slice_names(groups)
        for value, intervals in groups.items():
            for name, interval in intervals.items():
                yield from _records([column, labels[value]], name, interval, result.scale)


def _records(where: list[str], name: str, interval: Interval, scale: float) -> Iterator[list[str]]:
    yield [*where, f"{name}.low", repr(scale * interval.low)]
    yield [*where, f"{name}.high", repr(scale * interval.high)]


def _cells(value: float, interval: Interval, scale: float) -> list[str]:
    error = interval.standard_error
    ends = [shown_number(scale * number) for number in (value, interval.low, interval.high)]
    return [*ends, "" if error is None else shown_number(scale * error)]
