"""Systems against a baseline on the same examples: how far apart, how surely, where, and on which examples."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
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
)
from fullmarks.analysis.pairs import Paired, alone, pair
from fullmarks.analysis.published import official_names, published_scores
from fullmarks.analysis.run_groups import (
    differences_of_runs,
    have_runs,
    pair_groups,
    run_groups,
    slices_of_runs,
    told_of_runs,
)
from fullmarks.checks import check_instance, check_kind, each_label, listed_names
from fullmarks.errors import UsageError
from fullmarks.result import slice_names
from fullmarks.stats.comparison import PairedTest, compare_systems
from fullmarks.stats.corrections import holm
from fullmarks.stats.paired import Outcomes
from fullmarks.stats.slices import slice_differences, slice_members

if TYPE_CHECKING:
    from fullmarks.result import Result
    from fullmarks.stats.rows import Floats

MOST_SLICES = 200
"""A column with more values than this names examples rather than kinds of them: it is sliced by only when asked."""


def compare(
    runs: Mapping[str, Result | Sequence[Result]],
    *,
    baseline: str | None = None,
    main_score: str | None = None,
    by: str | Sequence[str] | None = None,
    sampling: Sampling = DEFAULT,
) -> Comparison:
    """Each of the systems against the baseline, by default the first one; several runs of a system are a list.

    `by` names the columns whose slices are compared, by default those the protocol has; `main_score` the score that
    slices and examples are judged by, by default the protocol's first. Runs over different questions are an error.
    """
    groups = run_groups(runs)
    first = {name: group[0] for name, group in groups.items()}
    check_compared(first, sampling)
    has_several = any(len(group) > 1 for group in groups.values())
    if has_several and sampling.method != "auto":
        raise UsageError(f"several runs have intervals of their own: leave the method {sampling.method!r} out")
    against = baseline_name(first, baseline)
    score = chosen_score(first[against], main_score)
    columns = chosen_columns(first[against], by)
    paired = pair_groups(groups, against)
    found = compare_paired(first, paired, against, score=score, columns=columns, sampling=sampling)
    return told_of_runs(found, groups, paired) if has_several else found


def check_compared(runs: Mapping[str, Result], sampling: Sampling) -> None:
    """An error unless these are two results or more, and settings of resampling."""
    check_instance("runs", runs, Mapping, "a dictionary of results by name")
    for name, run in runs.items():
        check_result(f"the run '{name}'", run)
    check_sampling(sampling)
    if len(runs) < 2:
        raise UsageError(f"a comparison needs at least two systems, found {len(runs)}")


def compare_paired(
    runs: Mapping[str, Result],
    paired: Mapping[str, Paired],
    against: str,
    *,
    score: str,
    columns: Sequence[str],
    sampling: Sampling,
) -> Comparison:
    """The same for runs that are already paired, with everything chosen."""
    base = runs[against]
    systems = tuple(name for name in runs if name != against)
    sides = _Sides(base, paired[against], {name: paired[name] for name in systems})
    return Comparison(
        protocol=base.protocol,
        baseline=against,
        systems=systems,
        main_score=score,
        scale=base.scale,
        n=base.n,
        sampling=sampling,
        signatures={name: run.signature for name, run in runs.items()},
        scores={name: run.scores for name, run in runs.items()},
        published={name: published_scores(run) for name, run in runs.items()},
        intervals={name: confidence(run, sampling) for name, run in runs.items()},
        differences=_differences(sides, sampling),
        slices=_slices(sides, score, columns, sampling),
        changes=tuple(_changes(name, each, sides, score) for name, each in sides.systems.items()),
        warnings={
            name: tuple(map(str, found)) for name, run in runs.items() if (found := run.audit.at_level("warning"))
        },
        left_out=tuple(_left_out(base, columns, sampling)),
        notes=tuple(note for each in sides.systems.values() for note in each.notes),
    )


@dataclass(frozen=True, eq=False)
class _Sides:
    """The baseline and the systems, in one order of examples."""

    run: Result
    """That of the baseline."""
    baseline: Paired
    systems: dict[str, Paired]


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


def _differences(sides: _Sides, sampling: Sampling) -> tuple[Difference, ...]:
    clusters = clusters_of(sides.run.tally, sampling.cluster)
    found: list[tuple[str, str, PairedTest]] = []
    for name, each in sides.systems.items():
        for place, ((metric, rows), (_, base_rows)) in enumerate(zip(each.rows, sides.baseline.rows, strict=True)):
            if have_runs(each, sides.baseline):
                tests = differences_of_runs(place, each, sides.baseline, sampling=sampling, clusters=clusters)
            else:
                tests = compare_systems(
                    rows,
                    base_rows,
                    finish_of(metric),
                    **sampling.settings(),
                    **_beside_the_rows(place, each, sides.baseline),
                    clusters=clusters,
                )
            found += [(name, *each) for each in zip(metric.scores, tests, strict=True)]
    corrected = _corrected([test for _, _, test in found])
    return tuple(
        Difference(name, score, _wins_turned(test, sides.run, score), p_holm)
        for (name, score, test), p_holm in zip(found, corrected, strict=True)
    )


def difference_of(run: Result, base: Result, score: str, *, level: float) -> PairedTest:
    """One score of a run against the same of another on the same examples."""
    system, baseline = pair(run, base), alone(base.tally)
    place, index, base_rows = _of_score(baseline, score)
    _, _, rows = _of_score(system, score)
    beside = _beside_the_rows(place, system, baseline)
    return compare_systems(rows, base_rows, finish_of(baseline.rows[place][0]), level=level, **beside)[index]


def _slices(sides: _Sides, score: str, columns: Sequence[str], sampling: Sampling) -> tuple[Difference, ...]:
    """The slices of all columns, those where the systems most surely differ from the baseline first."""
    tally = sides.run.tally
    clusters = clusters_of(tally, sampling.cluster)
    place, index, base_rows = _of_score(sides.baseline, score)
    members = {column: slice_members(labels_of(tally, column) or []) for column in columns}
    found = []
    for name, each in sides.systems.items():
        if have_runs(each, sides.baseline):
            of_runs = partial(slices_of_runs, score, each, sides.baseline, sampling=sampling, clusters=clusters)
            found += [(name, column, part) for column in columns for part in of_runs(members[column])]
            continue
        _, _, rows = _of_score(each, score)
        beside = _beside_the_rows(place, each, sides.baseline)
        for column in columns:
            parts = slice_differences(
                rows,
                base_rows,
                members[column],
                finish_of(each.rows[place][0]),
                score_index=index,
                **sampling.settings(),
                **beside,
                clusters=clusters,
            )
            found += [(name, column, part) for part in parts]
    corrected = _corrected([part.test for _, _, part in found])
    names = {column: slice_names(label for label, _ in members[column].by_label) for column in columns}
    order = sorted(range(len(found)), key=lambda at: found[at][2].sureness, reverse=True)
    return tuple(
        Difference(
            name,
            score,
            _wins_turned(part.test, sides.run, score),
            corrected[at],
            column,
            part.label,
            names[column][part.label],
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


def _beside_the_rows(place: int, system: Paired, baseline: Paired) -> _BesideTheRows:
    metric, _ = system.rows[place]
    if metric.is_mean:
        return {}
    ours, theirs = (np.array([side.scores[name] for name in metric.scores]).T for side in (system, baseline))
    held = {*system.held[place], *baseline.held[place]}
    return {
        "example_scores": (ours, theirs),
        "held": tuple(at for at, name in enumerate(metric.columns) if name in held),
    }


def _wins_turned(test: PairedTest, base: Result, score: str) -> PairedTest:
    """The same test, with a win where the system is better though its score is lower."""
    if not less_is_better(base, score):
        return test
    counts = test.outcomes
    return replace(test, outcomes=Outcomes(counts.losses, counts.wins, counts.ties))


def _of_score(paired: Paired, score: str) -> tuple[int, int, Floats]:
    """The place of a score's metric, the score's own among those that its rows give, and the rows.

    The columns of means do not touch each other, so of these the score's own is enough.
    """
    for place, (metric, numbers) in enumerate(paired.rows):
        if score in metric.scores:
            index = metric.scores.index(score)
            return (place, 0, numbers[:, [index]]) if metric.is_mean else (place, index, numbers)
    raise UsageError(f"no metric gives the score '{score}'")


def _corrected(tests: Sequence[PairedTest]) -> list[float]:
    """Holm's correction over the permutation tests; one that has no p-value is none of the questions asked."""
    p_values = [test.permutation.p_value for test in tests]
    asked = [position for position, value in enumerate(p_values) if not math.isnan(value)]
    adjusted = dict(zip(asked, holm([p_values[position] for position in asked]), strict=True))
    return [adjusted.get(position, math.nan) for position in range(len(p_values))]


def _changes(name: str, each: Paired, sides: _Sides, score: str) -> Changes:
    ours, theirs = each.scores[score], sides.baseline.scores[score]
    examples = sides.run.tally.examples
    after, before = np.array(ours), np.array(theirs)
    changed = [
        ExampleChange(
            examples.ids[position],
            examples.references[position],
            sides.baseline.predictions[position],
            each.predictions[position],
            theirs[position],
            ours[position],
        )
        for position in np.flatnonzero((before < after) | (before > after)).tolist()  # an undefined score is neither
    ]
    changed.sort(key=lambda change: -abs(change.system_score - change.baseline_score))
    higher = tuple(change for change in changed if change.system_score > change.baseline_score)
    lower = tuple(change for change in changed if change.system_score < change.baseline_score)
    return Changes(name, lower, higher) if less_is_better(sides.run, score) else Changes(name, higher, lower)
