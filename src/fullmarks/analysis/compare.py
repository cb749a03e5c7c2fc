"""Systems against a baseline on the same examples: how far apart, how surely, where, and on which examples."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from fullmarks.analysis.comparison import Changes, Comparison, Difference, ExampleChange
from fullmarks.analysis.direction import less_is_better
from fullmarks.analysis.given_results import check_result
from fullmarks.analysis.intervals import (
    DEFAULT,
    Sampling,
    check_sampling,
    clusters_of,
    confidence,
    finish_of,
    labels_of,
    metric_rows,
)
from fullmarks.analysis.pairs import Paired, alone, buffer_of, pair
from fullmarks.analysis.published import official_names, published_scores
from fullmarks.checks import check_instance, check_kind, each_label, listed_names
from fullmarks.errors import UsageError
from fullmarks.metrics.held_columns import HasHeldColumns
from fullmarks.result import slice_names
from fullmarks.stats.comparison import PairedTest, compare_systems
from fullmarks.stats.corrections import holm
from fullmarks.stats.paired import Outcomes
from fullmarks.stats.slices import slice_differences

if TYPE_CHECKING:
    from fullmarks.metrics.metric import Metric
    from fullmarks.result import Result
    from fullmarks.stats.rows import Floats

MOST_SLICES = 200
"""A column with more values than this names examples rather than kinds of them: it is sliced by only when asked."""


def compare(
    runs: Mapping[str, Result],
    *,
    baseline: str | None = None,
    main_score: str | None = None,
    by: str | Sequence[str] | None = None,
    sampling: Sampling = DEFAULT,
) -> Comparison:
    """Each of the runs against the baseline, by default the first one.

    `by` names the columns whose slices are compared, by default those the protocol has; `main_score` the score that
    slices and examples are judged by, by default the protocol's first. Runs over different questions are an error.
    """
    check_instance("runs", runs, Mapping, "a dictionary of results by name")
    for name, run in runs.items():
        check_result(f"the run '{name}'", run)
    check_sampling(sampling)
    if len(runs) < 2:
        raise UsageError(f"a comparison needs at least two systems, found {len(runs)}")
    against = baseline_name(runs, baseline)
    base = runs[against]
    paired = {name: pair(run, base, (name, against)) for name, run in runs.items() if name != against}
    score = chosen_score(base, main_score)
    columns = chosen_columns(base, by)
    return Comparison(
        protocol=base.protocol,
        baseline=against,
        systems=tuple(paired),
        main_score=score,
        scale=base.scale,
        n=base.n,
        sampling=sampling,
        signatures={name: run.signature for name, run in runs.items()},
        scores={name: run.scores for name, run in runs.items()},
        published={name: published_scores(run) for name, run in runs.items()},
        intervals={name: confidence(run, sampling) for name, run in runs.items()},
        differences=_differences(paired, base, sampling),
        slices=_slices(paired, base, score, columns, sampling),
        changes=tuple(_changes(name, each, base, score) for name, each in paired.items()),
        warnings={
            name: tuple(map(str, found)) for name, run in runs.items() if (found := run.audit.at_level("warning"))
        },
        left_out=tuple(_left_out(base, columns, sampling)),
        notes=tuple(note for each in paired.values() for note in each.notes),
    )


def baseline_name(runs: Mapping[str, Result], wanted: str | None) -> str:
    """The name of the run that the others are compared with, by default the first."""
    check_kind("baseline", wanted, str, or_none=True)
    if wanted is None:
        return next(iter(runs))
    if wanted not in runs:
        known = ", ".join(f"'{name}'" for name in runs)
        raise UsageError(f"no system '{wanted}' to be the baseline; there are {known}")
    return wanted


def chosen_score(base: Result, wanted: str | None) -> str:
    """The score of that name, its own or its official one, by default the first; an error where there is none."""
    names = official_names(base)
    if wanted is None:
        return next(iter(names))
    for name, official in names.items():
        if wanted in (name, official):
            return name
    raise UsageError(f"{base.protocol} has no score '{wanted}'; it has {', '.join(names)}")


def chosen_columns(base: Result, by: str | Sequence[str] | None) -> tuple[str, ...]:
    """The columns of these names, by default those of the run and of its protocol."""
    if by is None:
        return slice_columns(base)
    return listed_names("by", by, "a column's name or a list of them")


def slice_columns(base: Result) -> tuple[str, ...]:
    """The columns that say what kind of example each one is: those of the run and of its protocol."""
    offered = dict.fromkeys((*base.tally.slice_columns, *base.rules.slices))
    columns = base.tally.examples.columns
    return tuple(
        name for name in offered if name in columns and 1 < len(set(each_label(columns[name])[1])) <= MOST_SLICES
    )


def _differences(paired: Mapping[str, Paired], base: Result, sampling: Sampling) -> tuple[Difference, ...]:
    clusters = clusters_of(base.tally, sampling.cluster)
    found: list[tuple[str, str, PairedTest]] = []
    for name, each in paired.items():
        for (metric, rows), base_rows in zip(each.rows, metric_rows(base.tally), strict=True):
            tests = compare_systems(
                rows,
                base_rows[1],
                finish_of(metric),
                **sampling.settings(),
                **_beside_the_rows(metric, rows, base_rows[1]),
                clusters=clusters,
            )
            found += [(name, *each) for each in zip(metric.scores, tests, strict=True)]
    corrected = _corrected([test for _, _, test in found])
    return tuple(
        Difference(name, score, _wins_turned(test, base, score), p_holm)
        for (name, score, test), p_holm in zip(found, corrected, strict=True)
    )


def difference_of(run: Result, base: Result, score: str, *, level: float) -> PairedTest:
    """One score of a run against the same of another on the same examples."""
    metric, index, rows = _of_score(pair(run, base).rows, score)
    _, _, base_rows = _of_score(metric_rows(base.tally), score)
    beside = _beside_the_rows(metric, rows, base_rows)
    return compare_systems(rows, base_rows, finish_of(metric), level=level, **beside)[index]


def _slices(
    paired: Mapping[str, Paired], base: Result, score: str, columns: Sequence[str], sampling: Sampling
) -> tuple[Difference, ...]:
    """The slices of all columns, those where the systems most surely differ from the baseline first."""
    clusters = clusters_of(base.tally, sampling.cluster)
    found = []
    for name, each in paired.items():
        metric, index, rows = _of_score(each.rows, score)
        _, _, base_rows = _of_score(metric_rows(base.tally), score)
        beside = _beside_the_rows(metric, rows, base_rows)
        for column in columns:
            parts = slice_differences(
                rows,
                base_rows,
                labels_of(base.tally, column) or [],
                finish_of(metric),
                score_index=index,
                **sampling.settings(),
                **beside,
                clusters=clusters,
            )
            found += [(name, column, part) for part in parts]
    corrected = _corrected([part.test for _, _, part in found])
    labels = {column: slice_names(each_label(labels_of(base.tally, column) or [])[1]) for column in columns}
    order = sorted(range(len(found)), key=lambda at: found[at][2].sureness, reverse=True)
    return tuple(
        Difference(
            name,
            score,
            _wins_turned(part.test, base, score),
            corrected[at],
            column,
            part.label,
            labels[column][part.label],
        )
        for at, (name, column, part) in ((at, found[at]) for at in order)
    )


def _left_out(base: Result, columns: Sequence[str], sampling: Sampling) -> Iterator[str]:
    """What is to be said about the slices that cannot be compared."""
    clusters = clusters_of(base.tally, sampling.cluster)
    for column in columns:
        positions, labels = each_label(labels_of(base.tally, column) or [])
        units: dict[Hashable, set[Hashable]] = {}
        for position, label in zip(positions, labels, strict=True):
            units.setdefault(label, set()).add(position if clusters is None else clusters[position])
        count = sum(len(found) < 2 for found in units.values())
        if count:
            kind = "example" if clusters is None else f"value of '{sampling.cluster}'"
            yield f"{count} slices by '{column}' are left out, each of a single {kind}: their spread cannot be known"


class _BesideTheRows(TypedDict, total=False):
    """What a metric that is no mean knows about its rows and `stats` does not."""

    example_scores: tuple[Floats, Floats]
    held: tuple[int, ...]


def _beside_the_rows(metric: Metric, rows: Floats, base_rows: Floats) -> _BesideTheRows:
    if metric.is_mean:
        return {}
    buffers = buffer_of(rows), buffer_of(base_rows)
    by_example = [metric.scores_alone(buffer) for buffer in buffers]
    ours, theirs = (np.array([found[name] for name in metric.scores]).T for found in by_example)
    held: set[str] = set()
    if isinstance(metric, HasHeldColumns):
        held.update(*map(metric.held_columns, buffers))
    return {
        "example_scores": (ours, theirs),
        "held": tuple(place for place, name in enumerate(metric.columns) if name in held),
    }


def _wins_turned(test: PairedTest, base: Result, score: str) -> PairedTest:
    """The same test, with a win where the system is better though its score is lower."""
    if not less_is_better(base, score):
        return test
    counts = test.outcomes
    return replace(test, outcomes=Outcomes(counts.losses, counts.wins, counts.ties))


def _of_score(rows: Sequence[tuple[Metric, Floats]], score: str) -> tuple[Metric, int, Floats]:
    """The metric of a score, the score's place among those that its rows give, and the rows.

    The columns of means do not touch each other, so of these the score's own is enough.
    """
    for metric, numbers in rows:
        if score in metric.scores:
            index = metric.scores.index(score)
            return (metric, 0, numbers[:, [index]]) if metric.is_mean else (metric, index, numbers)
    raise UsageError(f"no metric gives the score '{score}'")


def _corrected(tests: Sequence[PairedTest]) -> list[float]:
    """Holm's correction over the permutation tests; one that has no p-value is none of the questions asked."""
    p_values = [test.permutation.p_value for test in tests]
    asked = [position for position, value in enumerate(p_values) if not math.isnan(value)]
    adjusted = dict(zip(asked, holm([p_values[position] for position in asked]), strict=True))
    return [adjusted.get(position, math.nan) for position in range(len(p_values))]


def _changes(name: str, each: Paired, base: Result, score: str) -> Changes:
    ours = each.each(score)
    theirs = alone(base.tally).each(score)
    examples = base.tally.examples
    changed = [
        ExampleChange(
            examples.ids[position],
            examples.references[position],
            examples.predictions[position],
            each.predictions[position],
            before,
            after,
        )
        for position, (before, after) in enumerate(zip(theirs, ours, strict=True))
        if before < after or before > after  # an undefined score is neither
    ]
    changed.sort(key=lambda change: -abs(change.system_score - change.baseline_score))
    higher = tuple(change for change in changed if change.system_score > change.baseline_score)
    lower = tuple(change for change in changed if change.system_score < change.baseline_score)
    return Changes(name, lower, higher) if less_is_better(base, score) else Changes(name, higher, lower)
