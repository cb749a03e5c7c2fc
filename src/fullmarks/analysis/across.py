"""Several systems on several benchmarks: the main score of each, differences from a baseline, and what they come to.

A benchmark is a protocol, the rules that it was scored by, and its questions with their references: runs that differ in
one of these are of different benchmarks. A system without a run of some benchmark is named, and has no place in what is
said of all benchmarks together.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from fullmarks.analysis.chosen import chosen_score
from fullmarks.analysis.compact_json import compact_json
from fullmarks.analysis.compare import compare
from fullmarks.analysis.direction import less_is_better
from fullmarks.analysis.intervals import DEFAULT, Sampling, check_sampling, confidence, finite, plain_interval
from fullmarks.analysis.published import official_names, published_scores
from fullmarks.analysis.run_folder import FoundRun, read_folder
from fullmarks.errors import InputError, UsageError
from fullmarks.result import Result, rules_part
from fullmarks.showing import Shown, ShowsItself, Table, named, scaled
from fullmarks.stats.comparison import PairedTest
from fullmarks.stats.corrections import holm
from fullmarks.stats.friedman import Friedman, friedman
from fullmarks.stats.interval import Interval
from fullmarks.stats.replicability import Replicability, replicability


@dataclass(frozen=True)
class Cell:
    """The main score of one system on one benchmark, and its difference from the baseline's."""

    value: float
    published: float
    """The same in the official scale, with the official digits."""
    interval: Interval
    test: PairedTest | None = None
    """System minus baseline; None for the baseline itself."""
    p_holm: float = math.nan
    """Corrected for all systems and benchmarks."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        plain: dict[str, Any] = {"value": finite(self.value), "interval": plain_interval(self.interval)}
        if self.test is not None:
            plain |= {
                "difference": finite(self.test.difference),
                "difference_interval": plain_interval(self.test.interval),
                "p_permutation": finite(self.test.permutation.p_value),
                "p_holm": finite(self.p_holm),
            }
        return plain


@dataclass(frozen=True)
class Benchmark:
    """One benchmark and the systems that have a run of it."""

    name: str
    protocol: str
    rules: str
    score: str
    """The official name of its main score."""
    scale: float
    n: int
    less_is_better: bool
    cells: dict[str, Cell]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; scores from 0 to 1."""
        cells = {system: cell.to_dict() for system, cell in self.cells.items()}
        shared = ("name", "protocol", "rules", "score", "scale", "n", "less_is_better")
        return {**{name: getattr(self, name) for name in shared}, "systems": cells}


@dataclass(frozen=True)
class Overall:
    """What the benchmarks say together, of the systems that have a run of each."""

    systems: tuple[str, ...]
    friedman: Friedman
    better: dict[str, Replicability]
    """On how many benchmarks each system is surely better than the baseline; the baseline is left out."""

    def to_dict(self, benchmarks: Sequence[str]) -> dict[str, Any]:
        """Plain data for JSON."""
        found = self.friedman
        return {
            "systems": list(self.systems),
            "average_ranks": dict(zip(self.systems, found.average_ranks, strict=True)),
            "friedman": {
                "statistic": found.statistic,
                "p": found.p_value,
                "method": found.method,
                "permutations": found.permutations,
            },
            "critical_difference": found.critical_difference,
            "better_than_baseline": {
                system: {"at_least": each.count, "named": [benchmarks[at] for at in each.named], "level": each.level}
                for system, each in self.better.items()
            },
        }


@dataclass(frozen=True, repr=False)
class Across(ShowsItself):
    """Systems by benchmarks; what is printed reads this and computes nothing."""

    baseline: str
    systems: tuple[str, ...]
    benchmarks: tuple[Benchmark, ...]
    overall: Overall | None
    """None where it would be about one benchmark or one system."""
    missing: dict[str, tuple[str, ...]]
    """The benchmarks that a system has no run of."""
    sampling: Sampling
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; scores from 0 to 1."""
        names = [benchmark.name for benchmark in self.benchmarks]
        return {
            "baseline": self.baseline,
            "systems": list(self.systems),
            "benchmarks": [benchmark.to_dict() for benchmark in self.benchmarks],
            "overall": None if self.overall is None else self.overall.to_dict(names),
            "missing": {system: list(lacking) for system, lacking in self.missing.items()},
            "sampling": asdict(self.sampling),
            "warnings": list(self.warnings),
        }

    def _shown(self) -> Shown:
        rows = [
            (each.name, each.score, *(_shown_cell(each, system) for system in self.systems)) for each in self.benchmarks
        ]
        header = ("benchmark", "score", *self.systems)
        title = f"{named(self.systems)} on {len(self.benchmarks):,} benchmark{'s' * (len(self.benchmarks) != 1)}"
        return Shown(title, (Table(header, rows, tuple(range(2, len(header)))),), self.warnings)


def _shown_cell(benchmark: Benchmark, system: str) -> str:
    cell = benchmark.cells.get(system)
    return "" if cell is None else scaled(cell.value, benchmark.scale)


def across_folder(
    folder: str | os.PathLike[str],
    *,
    baseline: str | None = None,
    main_score: str | None = None,
    sampling: Sampling = DEFAULT,
) -> Across:
    """All saved runs below a folder, which has a folder for each system."""
    found = read_folder(folder)
    runs = across(found.systems, baseline=baseline, main_score=main_score, sampling=sampling)
    if not found.others:
        return runs
    told = f"{len(found.others)} files of JSON are no saved runs and are left out (first: {found.others[0]})"
    return replace(runs, warnings=(told, *runs.warnings))


def across(
    runs: Mapping[str, Sequence[FoundRun]],
    *,
    baseline: str | None = None,
    main_score: str | None = None,
    sampling: Sampling = DEFAULT,
) -> Across:
    """The runs of each system by benchmark; the baseline is by default the first system that has all of them."""
    check_sampling(sampling)
    if len(runs) < 2:
        raise UsageError(f"a comparison needs at least two systems, found {len(runs)}: {', '.join(runs)}")
    grouped = _by_benchmark(runs)
    names = _names(grouped)
    lacking = {system: _lacking(system, grouped, names) for system in runs}
    missing = {system: lacks for system, lacks in lacking.items() if lacks}
    against = _baseline(tuple(runs), missing, baseline)
    made = [
        _benchmark(names[key], {system: run.result for system, run in of.items()}, against, main_score, sampling)
        for key, of in grouped.items()
    ]
    benchmarks = _corrected([benchmark for benchmark, _ in made])
    complete = tuple(system for system in runs if system not in missing)
    return Across(
        baseline=against,
        systems=tuple(runs),
        benchmarks=benchmarks,
        overall=_overall(complete, against, benchmarks, sampling.seed),
        missing=missing,
        sampling=sampling,
        warnings=tuple(warning for _, warnings in made for warning in warnings),
    )


_Key = tuple[str, str, str]
_Grouped = dict[_Key, dict[str, FoundRun]]


def _by_benchmark(runs: Mapping[str, Sequence[FoundRun]]) -> _Grouped:
    grouped: _Grouped = {}
    for system, found in runs.items():
        for run in found:
            of_benchmark = grouped.setdefault(_identity(run.result), {})
            if system in of_benchmark:
                raise InputError(
                    run.path,
                    f"this is the same benchmark as {of_benchmark[system].path}, of the same system '{system}'",
                    "Keep one run of a system and benchmark.",
                )
            of_benchmark[system] = run
    return dict(sorted(grouped.items(), key=lambda each: (each[0][0], next(iter(each[1].values())).name, each[0])))


def _identity(result: Result) -> _Key:
    examples = result.tally.examples
    questions = sorted(
        compact_json([identifier, references])
        for identifier, references in zip(examples.ids, examples.references, strict=True)
    )
    digest = hashlib.sha256(b"\n".join(questions)).hexdigest()
    return result.protocol, rules_part(result.signature), digest


def _names(grouped: _Grouped) -> dict[_Key, str]:
    """The protocol where there is one benchmark of it, else with what tells it apart: its file, its path, its rules."""
    paths = {key: next(iter(of.values())).name for key, of in grouped.items()}
    named: dict[_Key, str] = {}
    for protocol in dict.fromkeys(key[0] for key in grouped):
        those = [key for key in grouped if key[0] == protocol]
        offered = (
            [protocol for _ in those],
            [f"{protocol} {paths[key].rpartition('/')[2]}" for key in those],
            [f"{protocol} {paths[key]}" for key in those],
            [f"{protocol} {paths[key]} ({key[1]}, questions {key[2][:8]})" for key in those],
        )
        chosen = next((names for names in offered if len(set(names)) == len(those)), offered[-1])
        named.update(zip(those, chosen, strict=True))
    return {key: named[key] for key in grouped}


def _lacking(system: str, grouped: _Grouped, names: dict[_Key, str]) -> tuple[str, ...]:
    return tuple(names[key] for key, of in grouped.items() if system not in of)


def _baseline(systems: tuple[str, ...], missing: Mapping[str, Sequence[str]], wanted: str | None) -> str:
    known = ", ".join(f"'{name}'" for name in systems)
    if wanted is None:
        complete = [system for system in systems if system not in missing]
        if not complete:
            lacks = "; ".join(f"'{system}' lacks {', '.join(of)}" for system, of in missing.items())
            raise UsageError(f"no system has a run of every benchmark, so none can be the baseline: {lacks}")
        return complete[0]
    if wanted not in systems:
        raise UsageError(f"no system '{wanted}' to be the baseline; there are {known}")
    if wanted in missing:
        raise UsageError(f"'{wanted}' cannot be the baseline: it has no run of {', '.join(missing[wanted])}")
    return wanted


def _benchmark(
    name: str, runs: dict[str, Result], baseline: str, main_score: str | None, sampling: Sampling
) -> tuple[Benchmark, list[str]]:
    base = runs[baseline]
    score = chosen_score(base, main_score)
    tests: dict[str, PairedTest] = {}
    warnings: list[str] = []
    if len(runs) == 1:
        intervals: dict[str, dict[str, Interval]] = {baseline: confidence(base, sampling)}
    else:
        comparison = compare(runs, baseline=baseline, main_score=score, by=(), sampling=sampling)
        intervals = comparison.intervals
        tests = {each.system: each.test for each in comparison.differences if each.score == score}
        told = ((system, text) for system, texts in comparison.warnings.items() for text in texts)
        warnings = [f"{system}, {name}: {text}" for system, text in told]
    cells = {
        system: Cell(run.scores[score], published_scores(run)[score], intervals[system][score], tests.get(system))
        for system, run in runs.items()
    }
    undefined = [system for system, cell in cells.items() if not math.isfinite(cell.value)]
    if undefined:
        raise InputError(
            name,
            f"the score '{score}' of '{undefined[0]}' is undefined, so that it has no rank",
            "Choose another with --score, or leave the benchmark out.",
        )
    made = Benchmark(
        name=name,
        protocol=base.protocol,
        rules=rules_part(base.signature),
        score=official_names(base)[score],
        scale=base.scale,
        n=base.n,
        less_is_better=less_is_better(base, score),
        cells=cells,
    )
    return made, warnings


def _corrected(benchmarks: Sequence[Benchmark]) -> tuple[Benchmark, ...]:
    """The same with p-values corrected over every system and benchmark; one without a p-value is none of the tests."""
    asked = [
        (at, system, cell.test.permutation.p_value)
        for at, benchmark in enumerate(benchmarks)
        for system, cell in benchmark.cells.items()
        if cell.test is not None and math.isfinite(cell.test.permutation.p_value)
    ]
    adjusted = holm([p_value for _, _, p_value in asked])
    found = {(at, system): p_holm for (at, system, _), p_holm in zip(asked, adjusted, strict=True)}
    return tuple(
        replace(benchmark, cells=dict(_with_p_values(at, benchmark, found))) for at, benchmark in enumerate(benchmarks)
    )


def _with_p_values(at: int, benchmark: Benchmark, found: Mapping[tuple[int, str], float]) -> Iterator[tuple[str, Cell]]:
    for system, cell in benchmark.cells.items():
        yield system, replace(cell, p_holm=found.get((at, system), math.nan))


def _overall(systems: tuple[str, ...], baseline: str, benchmarks: Sequence[Benchmark], seed: int) -> Overall | None:
    if len(systems) < 2 or len(benchmarks) < 2:
        return None
    scores = [
        [(-1.0 if benchmark.less_is_better else 1.0) * benchmark.cells[system].value for system in systems]
        for benchmark in benchmarks
    ]
    better = {
        system: replicability([_p_better(benchmark, system) for benchmark in benchmarks])
        for system in systems
        if system != baseline
    }
    return Overall(systems, friedman(scores, seed=seed), better)


def _p_better(benchmark: Benchmark, system: str) -> float:
    """The one-sided p-value of a system being better: swapping is symmetric, so it is half of the two-sided one."""
    test = benchmark.cells[system].test
    if test is None or not math.isfinite(test.permutation.p_value) or not test.difference:
        return 1.0
    half = test.permutation.p_value / 2
    return half if (test.difference < 0) == benchmark.less_is_better else 1 - half
