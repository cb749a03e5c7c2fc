"""How small a difference so many questions can show, and how many a wanted difference needs, from saved runs.

Of two runs the error of their paired difference is known. Of one, how the scores of a second system would go with its
own is not: the answer is given for several correlations. Numbers of the record are from 0 to 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fullmarks.analysis.chosen import chosen_score
from fullmarks.analysis.given_results import check_result
from fullmarks.analysis.intervals import clusters_of, finish_of
from fullmarks.analysis.pairs import alone, pair
from fullmarks.analysis.published import official_names
from fullmarks.checks import check_kind
from fullmarks.errors import UsageError
from fullmarks.showing import Shown, ShowsItself, Table, figure, scaled
from fullmarks.stats.bootstrap import score_intervals
from fullmarks.stats.comparison import bootstrap_difference
from fullmarks.stats.planted import Pairs, Tilt, correlated_rows, paired_rows, share_found
from fullmarks.stats.power import LEVEL, POWER, Plan, paired_error
from fullmarks.stats.rows import ROUNDING
from fullmarks.stats.score_intervals import are_scores
from fullmarks.stats.standard_error import mean_standard_errors

if TYPE_CHECKING:
    from fullmarks.result import Result

CORRELATIONS = (0.0, 0.5, 0.8)
"""What is supposed of a second system of which nothing is known."""
PERMUTATIONS = 1_000
"""Of every simulated test; a tenth of what `compare` draws, and enough to tell on which side of a level it ends."""
MOST_SIMULATED = 500_000
"""With more examples than this in every repetition a simulation would take hours."""


@dataclass(frozen=True)
class Simulation:
    """How often the test of `compare` found a difference that was there."""

    difference: float
    units: int
    repetitions: int
    found: float
    """The share, which is the power."""


@dataclass(frozen=True)
class PowerRow:
    """The plan for one correlation between the systems' scores of an example."""

    correlation: float | None
    """Supposed, where there is one run; found in the examples, where there are two. None where it is undefined."""
    standard_error: float
    """Of the difference, with the examples at hand."""
    smallest_difference: float
    """What the examples at hand can show."""
    power: float | None
    """The chance that they show the wanted difference."""
    units_needed: int | None
    """How many examples, or clusters of them, the wanted difference needs."""
    examples_needed: int | None
    """The same in examples, clusters being as large as those at hand."""
    simulation: Simulation | None = None


@dataclass(frozen=True, repr=False)
class PowerAnalysis(ShowsItself):
    """What one run or two say about how many questions are enough."""

    protocol: str
    score: str
    """The official name of the score."""
    scale: float
    n: int
    units: int
    """Examples, or clusters of them."""
    cluster: str | None
    plan: Plan
    difference: float | None
    """The one that is wanted."""
    found_difference: float | None
    """That of the two runs; None for one."""
    rows: tuple[PowerRow, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON, scores and differences in the official scale."""
        return {
            "protocol": self.protocol,
            "score": self.score,
            "scale": self.scale,
            "n": self.n,
            "units": self.units,
            "cluster": self.cluster,
            "level": self.plan.level,
            "power": self.plan.power,
            "difference": self._scaled(self.difference),
            "found_difference": self._scaled(self.found_difference),
            "plans": [self._plain(row) for row in self.rows],
        }

    def _plain(self, row: PowerRow) -> dict[str, Any]:
        plain = asdict(row)
        for name in ("standard_error", "smallest_difference"):
            plain[name] = self._scaled(plain[name])
        if plain["simulation"] is not None:
            plain["simulation"]["difference"] = self._scaled(plain["simulation"]["difference"])
        return plain

    def _scaled(self, value: float | None) -> float | None:
        return None if value is None else self.scale * value

    def _shown(self) -> Shown:
        asked = self.difference is not None
        header: tuple[str, ...] = ("correlation", "standard error", "smallest difference")
        header += (f"examples for {scaled(self.difference, self.scale)}", f"power of {self.n:,}") if asked else ()
        rows = [
            (
                figure(row.correlation, 2),
                *(scaled(value, self.scale) for value in (row.standard_error, row.smallest_difference)),
                *((figure(row.examples_needed), figure(row.power, 3)) if asked else ()),
            )
            for row in self.rows
        ]
        title = f"{self.protocol}: {self.score} of {self.n:,} examples, level {self.plan.level:g}"
        return Shown(title, (Table(header, rows, tuple(range(len(header)))),))


def power(
    run: Result,
    other: Result | None = None,
    *,
    difference: float | None = None,
    power: float = POWER,
    level: float = LEVEL,
    cluster: str | None = None,
    score: str | None = None,
    correlation: float | None = None,
    simulate: int = 0,
    seed: int = 0,
) -> PowerAnalysis:
    """The smallest difference that the questions of a run can show, and how many a wanted difference needs.

    `difference` is from 0 to 1, as scores of results are. With a second run the error is that of the paired difference;
    with one, `correlation` is what is supposed of a second system. `simulate` repetitions of the permutation test are
    run on resampled rows with the difference planted.
    """
    plan = Plan(level, power)
    name = _checked_score(run, other, difference, score, correlation)
    check_kind("cluster", cluster, str, or_none=True)
    check_kind("simulate", simulate, int, least=0)
    clusters = clusters_of(run.tally, cluster)
    _check_possible(run, name, difference)
    data = _Data(run.n, run.n if clusters is None else len(set(clusters)))
    if data.units < 2:
        kind = "example" if clusters is None else f"value of '{cluster}'"
        raise UsageError(f"a plan needs more than a single {kind}: the spread of one cannot be known")
    if other is not None:
        evidence = [_of_two(run, other, name, clusters)]
    else:
        supposed = CORRELATIONS if correlation is None else (correlation,)
        evidence = [_of_one(run, name, each, clusters) for each in supposed]
    rows = [_row(plan, difference, each, data) for each in evidence]
    if simulate:
        rows = [
            replace(row, simulation=_simulation(row, _Asked(plan, difference, run.scale, simulate, seed), each, data))
            for row, each in zip(rows, evidence, strict=True)
        ]
    return PowerAnalysis(
        protocol=run.protocol,
        score=official_names(run)[name],
        scale=run.scale,
        n=data.examples,
        units=data.units,
        cluster=cluster,
        plan=plan,
        difference=difference,
        found_difference=evidence[0].difference,
        rows=tuple(rows),
    )


@dataclass(frozen=True)
class _Data:
    """How many examples and units there are."""

    examples: int
    units: int


class _Asked(NamedTuple):
    """The plan to be tried out, and how often."""

    plan: Plan
    difference: float | None
    scale: float
    repetitions: int
    seed: int


@dataclass(frozen=True, eq=False)
class _Evidence:
    """What is known, or supposed, of two systems."""

    correlation: float | None
    standard_error: float
    difference: float | None
    pairs: Callable[[], Pairs]
    """The rows that a simulation draws from."""


def _checked_score(
    run: Result, other: Result | None, difference: float | None, score: str | None, correlation: float | None
) -> str:
    check_result("run", run)
    if other is not None:
        check_result("other", other)
        if correlation is not None:
            raise UsageError("two runs have a correlation of their own: leave the correlation out, or one of the runs")
    check_kind("correlation", correlation, float, or_none=True)
    if correlation is not None and not -1 <= correlation < 1:
        raise UsageError(f"a correlation between different systems is from -1 to below 1, found {correlation}")
    check_kind("difference", difference, float, or_none=True)
    if difference is not None and not difference > 0:
        raise UsageError(f"a wanted difference must be more than 0, found {run.scale * difference:g}")
    return chosen_score(run, score)


def _check_possible(run: Result, score: str, difference: float | None) -> None:
    """An error for a difference that means of scores from 0 to 1 cannot have: one in another scale, mostly."""
    base = alone(run.tally)
    place, _, rows = base.of_score(score)
    if difference is not None and difference >= 1 and base.rows[place][0].is_mean and are_scores(rows):
        found = f"a difference of {run.scale * difference:g} is the whole scale of {run.protocol}, which ends at"
        raise UsageError(f"{found} {run.scale:g}. Give one in that scale")


def _of_two(run: Result, other: Result, score: str, clusters: Sequence[Hashable] | None) -> _Evidence:
    system, baseline = pair(other, run, ("the second run", "the first"))
    place, index, theirs = baseline.of_score(score)
    ours = system.of_score(score)[2]
    metric = baseline.rows[place][0]
    finish = finish_of(metric)
    if metric.is_mean:
        error = float(mean_standard_errors(ours - theirs, clusters=clusters)[0])
        found = float((ours - theirs).mean())
    else:
        resampled = bootstrap_difference(ours, theirs, finish, clusters=clusters)
        error = resampled.intervals()[index].standard_error or 0.0
        found = float(resampled.estimate[index])
    if not error > ROUNDING:
        raise UsageError(f"the runs differ by the same on every example in '{score}': there is nothing to plan with")
    names = {*baseline.held[place], *system.held[place]}
    held = [at for at, name in enumerate(metric.columns) if name in names] if not metric.is_mean else []
    pairs = partial(paired_rows, ours, theirs, finish, index=index, held=held, clusters=clusters)
    return _Evidence(_correlation(system.scores[score], baseline.scores[score]), error, found, pairs)


def _correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Of the examples' scores; None where one of the two does not vary."""
    both = np.array([first, second])
    defined = both[:, np.isfinite(both).all(axis=0)]
    if defined.shape[1] < 2 or not defined.std(axis=1).all():
        return None
    return float(np.corrcoef(defined)[0, 1])


def _of_one(run: Result, score: str, correlation: float, clusters: Sequence[Hashable] | None) -> _Evidence:
    base = alone(run.tally)
    place, index, rows = base.of_score(score)
    finish = finish_of(base.rows[place][0])
    error = score_intervals(rows, finish, clusters=clusters)[index].standard_error or 0.0
    if not error > ROUNDING:
        where = "every example" if clusters is None else "every cluster"
        raise UsageError(f"'{score}' is the same on {where} of this run: there is nothing to plan with")

    def pairs() -> Pairs:
        if clusters is not None:
            raise UsageError("a simulation with clusters needs two runs: one does not say how a second would cluster")
        return correlated_rows(rows, correlation, finish, index=index)

    return _Evidence(correlation, paired_error(error, error, correlation), None, pairs)


def _row(plan: Plan, difference: float | None, evidence: _Evidence, data: _Data) -> PowerRow:
    error = evidence.standard_error
    units = None if difference is None else plan.units_needed(difference, error, data.units)
    return PowerRow(
        correlation=evidence.correlation,
        standard_error=error,
        smallest_difference=plan.smallest_difference(error),
        power=None if difference is None else plan.power_of(difference, error),
        units_needed=units,
        examples_needed=None if units is None else math.ceil(units * data.examples / data.units),
    )


def _simulation(row: PowerRow, asked: _Asked, evidence: _Evidence, data: _Data) -> Simulation:
    """The wanted difference with the units that it needs, or the smallest one with those at hand."""
    planted = row.smallest_difference if asked.difference is None else asked.difference
    units = row.units_needed or data.units
    examples = row.examples_needed or data.examples
    if examples > MOST_SIMULATED:
        raise UsageError(f"{examples} examples are too many to simulate; up to {MOST_SIMULATED} are")
    pairs = evidence.pairs()
    least, most = Tilt(pairs).limits
    if not least <= planted <= most:
        ends = " to ".join(f"{asked.scale * end:g}" for end in (least, most))
        found = f"what is drawn from these runs differs by {ends}, whatever is drawn most"
        raise UsageError(f"a difference of {asked.scale * planted:g} cannot be simulated: {found}")
    share = share_found(
        pairs,
        planted,
        units,
        level=asked.plan.level,
        repetitions=asked.repetitions,
        permutations=PERMUTATIONS,
        seed=asked.seed,
    )
    return Simulation(planted, units, asked.repetitions, share)
