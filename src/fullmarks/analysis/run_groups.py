"""Systems that ran several times on the same questions: seeds of a training, samples of an answer.

The score of such a system is the mean of its runs; questions and runs both make it move. A system of one run may stand
beside them: how far its runs would lie apart is unknown, and a note says so.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

import numpy as np

from fullmarks.analysis.fingerprint import rules_changed
from fullmarks.analysis.given_results import check_result
from fullmarks.analysis.intervals import Sampling, clusters_of, confidence, finish_of
from fullmarks.analysis.pairs import Paired, pair_all
from fullmarks.analysis.published import published_scores
from fullmarks.checks import check_instance
from fullmarks.errors import UsageError
from fullmarks.stats.several_runs import RunSpread, compare_runs, run_spreads
from fullmarks.stats.slices import Members, SliceDifference

if TYPE_CHECKING:
    from fullmarks.analysis.comparison import Comparison
    from fullmarks.result import Result
    from fullmarks.stats.comparison import PairedTest
    from fullmarks.stats.interval import Interval
    from fullmarks.stats.rows import Floats

Groups: TypeAlias = Mapping[str, "tuple[Result, ...]"]


@dataclass(frozen=True, eq=False)
class PairedRuns(Paired):
    """The runs of one system in the baseline's order; predictions are lists of what each run answered.

    The rows are those of the first run: only what is said of all runs is of use.
    """

    runs: tuple[Paired, ...] = ()

    @cached_property
    def scores(self) -> dict[str, list[float]]:
        """All scores of every example by name, the mean over the runs."""
        each = [run.scores for run in self.runs]
        return {name: np.mean([scores[name] for scores in each], axis=0).tolist() for name in each[0]}


def run_groups(given: Mapping[str, Result | Sequence[Result]]) -> dict[str, tuple[Result, ...]]:
    """The runs of every system; an error unless each is a result, and none is given twice."""
    check_instance("runs", given, Mapping, "a dictionary of results by name")
    groups: dict[str, tuple[Any, ...]] = {}
    for name, runs in given.items():
        groups[name] = tuple(runs) if isinstance(runs, (list, tuple)) else (runs,)
        if not groups[name]:
            raise UsageError(f"the system '{name}' has no run; give one result or several")
        for number, run in enumerate(groups[name], start=1):
            check_result(f"the run '{name}'" if len(groups[name]) == 1 else f"run {number} of '{name}'", run)
        if len({id(run) for run in groups[name]}) < len(groups[name]):
            raise UsageError(f"a run of '{name}' is given twice; every run counts once")
    return groups


def pair_groups(groups: Groups, against: str) -> dict[str, Paired]:
    """Every system in the order of the baseline's first run; one of several runs with all of them."""
    names = {
        name: [_named(name, number, group) for number in range(1, len(group) + 1)] for name, group in groups.items()
    }
    runs = {each: run for name, group in groups.items() for each, run in zip(names[name], group, strict=True)}
    paired = pair_all(runs, names[against][0])
    return {
        name: paired[own[0]] if len(own) == 1 else _together(tuple(paired[each] for each in own))
        for name, own in names.items()
    }


def _named(name: str, number: int, group: Sequence[Result]) -> str:
    return name if len(group) == 1 else f"{name} (run {number})"


def _together(runs: tuple[Paired, ...]) -> PairedRuns:
    first = runs[0]
    answers = [list(each) for each in zip(*(run.predictions for run in runs), strict=True)]
    unanswered = sorted(set[int]().union(*(run.unanswered for run in runs)))
    notes = tuple(dict.fromkeys(note for run in runs for note in run.notes))
    return PairedRuns(answers, first.rows, first.places, unanswered, notes, runs)


def have_runs(*systems: Paired) -> bool:
    """Whether one of them ran several times."""
    return any(isinstance(each, PairedRuns) for each in systems)


def _runs_of(system: Paired) -> tuple[Paired, ...]:
    return system.runs if isinstance(system, PairedRuns) else (system,)


def _rows_of(system: Paired, place: int) -> Floats:
    """The rows of a metric in every run, shape (runs, n, k)."""
    return np.stack([run.rows[place][1] for run in _runs_of(system)])


class _Settings(TypedDict):
    """How resampling is done, where it is."""

    level: float
    resamples: int
    seed: int


def _settings(sampling: Sampling) -> _Settings:
    return {"level": sampling.level, "resamples": sampling.resamples, "seed": sampling.seed}


def differences_of_runs(
    place: int, system: Paired, baseline: Paired, *, sampling: Sampling, clusters: Sequence[Hashable] | None
) -> tuple[PairedTest, ...]:
    """The scores of one metric, system against baseline."""
    metric, _ = system.rows[place]
    by_example = [np.array([side.scores[name] for name in metric.scores]).T for side in (system, baseline)]
    return compare_runs(
        _rows_of(system, place),
        _rows_of(baseline, place),
        finish_of(metric),
        example_scores=(by_example[0], by_example[1]),
        **_settings(sampling),
        clusters=clusters,
    )


def slices_of_runs(
    score: str,
    system: Paired,
    baseline: Paired,
    members: Members,
    *,
    sampling: Sampling,
    clusters: Sequence[Hashable] | None,
) -> tuple[SliceDifference, ...]:
    """One score by slice, without the slices of a single unit."""
    place = next(at for at, (metric, _) in enumerate(system.rows) if score in metric.scores)
    metric, _ = system.rows[place]
    index = metric.scores.index(score)
    taken = [index] if metric.is_mean else list(range(len(metric.columns)))
    ours, theirs = (_rows_of(side, place)[:, :, taken] for side in (system, baseline))
    names = (score,) if metric.is_mean else metric.scores
    by_example = [np.array([side.scores[name] for name in names]).T for side in (system, baseline)]
    found = []
    for label, where in members.by_label:
        own = None if clusters is None else [clusters[at] for at in where.tolist()]
        if len(where if own is None else set(own)) > 1:
            tests = compare_runs(
                ours[:, where],
                theirs[:, where],
                finish_of(metric),
                example_scores=(by_example[0][where], by_example[1][where]),
                **_settings(sampling),
                clusters=own,
            )
            found.append(SliceDifference(label, tests[names.index(score)]))
    return tuple(found)


def told_of_runs(comparison: Comparison, groups: Groups, paired: Mapping[str, Paired]) -> Comparison:
    """The comparison of first runs with what is to be said of all of them instead."""
    base = groups[comparison.baseline][0]
    sampling = comparison.sampling
    clusters = clusters_of(base.tally, sampling.cluster)
    spreads: dict[str, dict[str, RunSpread]] = {}
    intervals: dict[str, dict[str, Interval]] = {}
    scores, published = {}, {}
    for name, group in groups.items():
        spreads[name], intervals[name] = {}, {}
        for place, (metric, _) in enumerate(paired[name].rows):
            rows = _rows_of(paired[name], place)
            found = run_spreads(rows, finish_of(metric), **_settings(sampling), clusters=clusters)
            for score, (spread, interval) in zip(metric.scores, found, strict=True):
                spreads[name][score], intervals[name][score] = spread, interval
        if len(group) == 1:
            intervals[name] = confidence(group[0], sampling)
        scores[name] = {score: _mean([run.scores[score] for run in group]) for score in group[0].scores}
        in_scale = [published_scores(run) for run in group]
        published[name] = {score: _mean([found[score] for found in in_scale]) for score in in_scale[0]}
    return replace(
        comparison,
        signatures={name: _signature(group) for name, group in groups.items()},
        scores=scores,
        published=published,
        intervals=intervals,
        warnings={
            name: told
            for name, group in groups.items()
            if (told := tuple(_warnings(name, group, (comparison.baseline, base))))
        },
        notes=(*dict.fromkeys((*paired[comparison.baseline].notes, *comparison.notes)), *_unknown(groups)),
        runs=spreads,
    )


def _mean(values: Sequence[float]) -> float:
    return values[0] if len(values) == 1 else float(np.mean(values))


def _signature(group: Sequence[Result]) -> str:
    signature = group[0].signature
    return signature if len(group) == 1 else f"{signature}|runs:{len(group)}"


def _warnings(name: str, group: Sequence[Result], baseline: tuple[str, Result]) -> Iterator[str]:
    for number, run in enumerate(group, start=1):
        for told in run_warnings(_named(name, number, group), run, baseline):
            yield told if len(group) == 1 else f"run {number}: {told}"


def run_warnings(name: str, run: Result, baseline: tuple[str, Result]) -> Iterator[str]:
    """What is doubtful about a run: what its audit warns of, and rules that are not those of the baseline."""
    yield from map(str, run.audit.at_level("warning"))
    against, base = baseline
    changed = "" if run is base else rules_changed(run, base, name, against)
    if changed:
        yield changed


def _unknown(groups: Groups) -> Iterator[str]:
    for name, group in groups.items():
        if len(group) == 1:
            yield f"{name} has a single run: how far its runs would lie apart is unknown, and counts as nothing"
