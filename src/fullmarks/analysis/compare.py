"""Systems against a baseline on the same examples: how far apart, how surely, where, and on which examples."""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from fullmarks.analysis.chosen import baseline_name, chosen_columns, shared_score
from fullmarks.analysis.comparison import Changes, Comparison, Difference, ExampleChange
from fullmarks.analysis.direction import less_is_better
from fullmarks.analysis.given_results import check_result
from fullmarks.analysis.given_runs import loaded_runs, named_runs
from fullmarks.analysis.intervals import (
    DEFAULT,
    Sampling,
    check_sampling,
    clusters_of,
    confidence,
    finish_of,
    labels_of,
)
from fullmarks.analysis.pairs import Paired, pair
from fullmarks.analysis.published import published_scores
from fullmarks.analysis.run_groups import (
    differences_of_runs,
    have_runs,
    pair_groups,
    run_groups,
    run_warnings,
    slices_of_runs,
    told_of_runs,
)
from fullmarks.analysis.spread import finest, spread
from fullmarks.checks import check_instance, check_kind, each_label
from fullmarks.errors import UsageError
from fullmarks.result import slice_names
from fullmarks.stats.comparison import PairedTest, compare_systems
from fullmarks.stats.corrections import Corrected, tarone_holm
from fullmarks.stats.paired import Outcomes
from fullmarks.stats.ranks import RankSet, joint_ranks
from fullmarks.stats.slices import simultaneous_level, slice_differences, slice_members, testable

if TYPE_CHECKING:
    from fullmarks.analysis.given_runs import Run
    from fullmarks.result import Result
    from fullmarks.stats.rows import Floats


def compare(
    runs: Mapping[str, Run | Sequence[Run]] | Sequence[str | os.PathLike[str]],
    *,
    baseline: str | None = None,
    main_score: str | None = None,
    by: str | Sequence[str] | None = None,
    sampling: Sampling = DEFAULT,
    equivalence: float | None = None,
) -> Comparison:
    """Each of the systems against the baseline, by default the first one; several runs of a system are a list.

    Systems are results by name. The path of a saved run, or of a folder of them, may stand for a result; a list of
    such paths is called by the files' names, or as in "bert=run.json".
    `by` names the columns whose slices are compared, by default those the protocol has; `main_score` the score that
    slices, examples and ranks are judged by, by default the protocol's first. `equivalence` is the margin, in the
    official scale, within which systems count as alike. Runs over different questions are an error.
    """
    groups = run_groups(_given(runs))
    first = {name: group[0] for name, group in groups.items()}
    check_compared(first, sampling)
    check_kind("equivalence", equivalence, float, or_none=True)
    if equivalence is not None and not 0 < equivalence < math.inf:
        raise UsageError(
            f"equivalence {equivalence} is not a number above 0; give the largest difference without weight"
        )
    has_several = any(len(group) > 1 for group in groups.values())
    if has_several and sampling.method != "auto":
        raise UsageError(f"several runs have intervals of their own: leave the method {sampling.method!r} out")
    if has_several and equivalence is not None:
        raise UsageError("equivalence is not tested where a system has several runs: leave it out")
    against = baseline_name(first, baseline)
    paired = pair_groups(groups, against)
    score = shared_score(first[against], paired[against], main_score)
    columns = chosen_columns(first[against], by)
    found = compare_paired(
        first, paired, against, score=score, columns=columns, sampling=sampling, equivalence=equivalence
    )
    return told_of_runs(found, groups, paired) if has_several else found


def _given(runs: Any) -> Any:
    """The runs by name with results in place of paths; what else it may be is complained about later."""
    if isinstance(runs, Mapping):
        return loaded_runs(runs)
    are_paths = isinstance(runs, (list, tuple)) and runs and all(isinstance(run, (str, os.PathLike)) for run in runs)
    return named_runs(runs) if are_paths else runs


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
    equivalence: float | None = None,
) -> Comparison:
    """The same for runs that are already paired, with everything chosen."""
    base = runs[against]
    systems = tuple(name for name in runs if name != against)
    sides = _Sides(base, paired[against], {name: paired[name] for name in systems})
    differences = _differences(sides, sampling, None if equivalence is None else equivalence / base.scale)
    slices, slice_level = _slices(sides, score, columns, sampling)
    ranks = _ranks(paired, base, score, sampling)
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
        differences=differences,
        slices=slices,
        slice_level=slice_level,
        ranks=ranks or {},
        equivalence=equivalence,
        changes=tuple(_changes(name, each, sides, score, columns) for name, each in sides.systems.items()),
        warnings={
            name: told for name, run in runs.items() if (told := tuple(run_warnings(name, run, (against, base))))
        },
        left_out=tuple(_left_out(base, columns, sampling)),
        less_is_better=frozenset(name for name in base.scores if less_is_better(base, name)),
        notes=tuple(dict.fromkeys(note for each in sides.systems.values() for note in each.notes)),
        test_notes=tuple(_test_notes(differences, slices, sampling, without_ranks=ranks is None)),
    )


@dataclass(frozen=True, eq=False)
class _Sides:
    """The baseline and the systems, in one order of examples."""

    run: Result
    """That of the baseline."""
    baseline: Paired
    systems: dict[str, Paired]


def _differences(sides: _Sides, sampling: Sampling, margin: float | None) -> tuple[Difference, ...]:
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
                    margin=margin,
                )
            found += [(name, *each) for each in zip(metric.scores, tests, strict=True)]
    corrected = _corrected([test for _, _, test in found], sampling)
    return tuple(
        Difference(name, score, _wins_turned(test, sides.run, score), each.p_value, each.is_counted)
        for (name, score, test), each in zip(found, corrected, strict=True)
    )


def difference_of(run: Result, base: Result, score: str, *, level: float, sampling: Sampling = DEFAULT) -> PairedTest:
    """One score of a run against the same of another on the same examples, its interval at the given level."""
    system, baseline = pair(run, base)
    place, index, base_rows = baseline.of_score(score)
    _, _, rows = system.of_score(score)
    beside = _beside_the_rows(place, system, baseline)
    finish = finish_of(baseline.rows[place][0])
    settings = replace(sampling, level=level).settings()
    clusters = clusters_of(base.tally, sampling.cluster)
    return compare_systems(rows, base_rows, finish, **settings, **beside, clusters=clusters, in_full=False)[index]


def _slices(
    sides: _Sides, score: str, columns: Sequence[str], sampling: Sampling
) -> tuple[tuple[Difference, ...], float]:
    """The slices of all columns, those where the systems most surely differ from the baseline first.

    Their intervals hold all at once: the best of many would else exclude zero by luck. The level of each comes beside.
    """
    tally = sides.run.tally
    clusters = clusters_of(tally, sampling.cluster)
    place, index, base_rows = sides.baseline.of_score(score)
    members = {column: slice_members(labels_of(tally, column) or []) for column in columns}
    counts = [len(testable(each, len(base_rows), clusters)) for each in members.values()]
    level = simultaneous_level(sampling.level, len(sides.systems) * sum(counts))
    settings = replace(sampling, level=level).settings()
    found = []
    for name, each in sides.systems.items():
        if have_runs(each, sides.baseline):
            jointly = replace(sampling, level=level)
            of_runs = partial(slices_of_runs, score, each, sides.baseline, sampling=jointly, clusters=clusters)
            found += [(name, column, part) for column in columns for part in of_runs(members[column])]
            continue
        _, _, rows = each.of_score(score)
        beside = _beside_the_rows(place, each, sides.baseline)
        for column in columns:
            parts = slice_differences(
                rows,
                base_rows,
                members[column],
                finish_of(each.rows[place][0]),
                score_index=index,
                **settings,
                **beside,
                clusters=clusters,
            )
            found += [(name, column, part) for part in parts]
    corrected = _corrected([part.test for _, _, part in found], sampling)
    names = {column: slice_names(label for label, _ in members[column].by_label) for column in columns}
    order = sorted(range(len(found)), key=lambda at: found[at][2].sureness, reverse=True)
    slices = tuple(
        Difference(
            name,
            score,
            _wins_turned(part.test, sides.run, score),
            corrected[at].p_value,
            corrected[at].is_counted,
            column,
            part.label,
            names[column][part.label],
        )
        for at, (name, column, part) in ((at, found[at]) for at in order)
    )
    return slices, level


def _ranks(paired: Mapping[str, Paired], base: Result, score: str, sampling: Sampling) -> dict[str, RankSet] | None:
    """The rank of every system and those it may have, for three systems or more; None where that cannot be told."""
    if len(paired) < 3 or have_runs(*paired.values()):  # several runs have no joint resamples
        return {}
    found = [each.of_score(score) for each in paired.values()]
    place, index, _ = found[0]
    sets = joint_ranks(
        [rows for _, _, rows in found],
        finish_of(next(iter(paired.values())).rows[place][0]),
        score_index=index,
        level=sampling.level,
        resamples=sampling.resamples,
        seed=sampling.seed,
        clusters=clusters_of(base.tally, sampling.cluster),
        less_is_better=less_is_better(base, score),
    )
    return None if sets is None else dict(zip(paired, sets, strict=True))


def _test_notes(
    differences: Sequence[Difference], slices: Sequence[Difference], sampling: Sampling, *, without_ranks: bool
) -> Iterator[str]:
    """What is to be known of the tests."""
    alpha = f"{1 - sampling.level:g}"
    for name, family in (("tests", differences), ("tests of slices", slices)):
        tested = [each for each in family if not math.isnan(each.p_holm)]
        counted = sum(each.is_counted for each in tested)
        if counted < len(tested):
            yield f"{len(tested) - counted} of {len(tested)} {name} could not have reached {alpha} and were not counted"
        stuck = [each for each in tested if each.test.permutation.is_floor and each.p_holm > 1 - sampling.level]
        if stuck:
            most = max(each.test.permutation.permutations for each in stuck)
            yield (
                f"{len(stuck)} of {len(tested)} {name} have the least p-value of {most:,} random permutations, "
                f"which corrected for {counted} tests is above {alpha} whatever the difference: give more --resamples"
            )
    whole = list(dict.fromkeys(each.score for each in differences if each.test.effect is None))
    if whole:
        yield f"{', '.join(whole)}: no mean over examples, hence without effect, wins and losses"
    if without_ranks:
        yield "no sets of ranks: too few examples or clusters, or an undefined score"


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
    counts = test.outcomes
    if counts is None or not less_is_better(base, score):
        return test
    return replace(test, outcomes=Outcomes(counts.losses, counts.wins, counts.ties))


def _corrected(tests: Sequence[PairedTest], sampling: Sampling) -> list[Corrected]:
    """Holm's correction over the permutation tests; one that has no p-value is none of the questions asked."""
    asked = [at for at, test in enumerate(tests) if not math.isnan(test.permutation.p_value)]
    found = [tests[at].permutation for at in asked]
    corrected = tarone_holm([test.p_value for test in found], [test.smallest for test in found], 1 - sampling.level)
    adjusted = dict(zip(asked, corrected, strict=True))
    return [adjusted.get(at, Corrected(math.nan, is_counted=False)) for at in range(len(tests))]


def _changes(name: str, each: Paired, sides: _Sides, score: str, columns: Sequence[str]) -> Changes:
    ours, theirs = each.scores[score], sides.baseline.scores[score]
    after, before = np.array(ours), np.array(theirs)
    higher, lower = (  # an undefined score is neither
        _changed(each, sides, score, columns, np.flatnonzero(change).tolist())
        for change in (before < after, before > after)
    )
    return Changes(name, lower, higher) if less_is_better(sides.run, score) else Changes(name, higher, lower)


def _changed(
    each: Paired, sides: _Sides, score: str, columns: Sequence[str], positions: Sequence[int]
) -> tuple[ExampleChange, ...]:
    """These examples, the largest changes first, those of one size spread over the slices."""
    ours, theirs = each.scores[score], sides.baseline.scores[score]
    examples = sides.run.tally.examples
    values = [[examples.columns[column][position] for position in positions] for column in columns]
    order = spread([abs(ours[position] - theirs[position]) for position in positions], values)
    column = finest({column: examples.columns[column] for column in columns})
    labels = [] if column is None else examples.columns[column]
    names = slice_names(dict.fromkeys(labels[position] for position in positions) if labels else ())
    return tuple(
        ExampleChange(
            examples.ids[position],
            examples.references[position],
            sides.baseline.predictions[position],
            each.predictions[position],
            theirs[position],
            ours[position],
            "" if column is None else f"{column}={names[labels[position]]}",
        )
        for position in (positions[place] for place in order)
    )
