"""All cases: discovered from the registries and the samples, and listed in the table of golden sets."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from fullmarks.metrics import METRICS
from fullmarks.protocols import PROTOCOLS
from fullmarks.protocols.sample import read_sample, sample_folder, sample_names
from tools.freeze.golden_sets import GOLDEN_SETS
from tools.freeze.metric_inputs import EXTRACTORS, INPUTS, NEURAL, PLAIN, chatty_texts
from tools.freeze.observations import Observation, Run, of_extractor, of_metric
from tools.freeze.option_values import other_values

ALL_STEPS = 6
FEW_STEPS = 2
GAPS = ("on_missing", "on_duplicate", "strict")
"""The options that are tried on every golden set; the others are tried on the first one of a benchmark."""
COSTLY = ("webqa",)
"""Benchmarks whose options are tried in the long comparison alone."""


@dataclass(frozen=True)
class Case:
    """One thing to observe; `observe` takes the number of examples to explain."""

    name: str
    observe: Callable[[int], Observation]
    steps: int = ALL_STEPS
    """How many examples are explained."""
    quick_steps: int = ALL_STEPS
    """The same in the quick comparison; the steps of the others are not compared there."""
    is_quick: bool = True
    """Whether the quick comparison has it."""

    @property
    def group(self) -> str:
        """The benchmark, or what else it is about."""
        return self.name.partition("/")[0]


@lru_cache
def all_cases() -> tuple[Case, ...]:
    """Every case, sorted by name."""
    found = [*_samples(), *_golden_sets(), *_metrics(), *_extractors()]
    return tuple(sorted(found, key=lambda case: case.name))


def chosen_cases(only: str = "", *, quick: bool = False) -> list[Case]:
    """The cases below a name, such as squad2/golden; all of them for an empty text."""
    below = f"{only.rstrip('/')}/" if only else ""
    return [case for case in all_cases() if f"{case.name}/".startswith(below) and (case.is_quick or not quick)]


def _samples() -> Iterator[Case]:
    for benchmark in sample_names():
        sample, folder = read_sample(benchmark), sample_folder(benchmark)
        run, name = _run(benchmark, *sample.arguments(folder), sample.keywords(folder)), f"{benchmark}/sample"
        yield Case(f"{name}/crosscheck", run.crosscheck)
        yield from _variants(name, run, quick_steps=ALL_STEPS)
        yield from _options(name, run, is_quick=benchmark not in COSTLY)


def _golden_sets() -> Iterator[Case]:
    seen: set[str] = set()
    for golden in GOLDEN_SETS:
        run, name = _run(golden.benchmark, *golden.arguments()), f"{golden.benchmark}/golden/{golden.name}"
        is_first = golden.benchmark not in seen
        yield from _variants(name, run, quick_steps=FEW_STEPS, is_quick=is_first)
        yield from _options(name, run, is_quick=False, only=() if is_first else GAPS)
        seen.add(golden.benchmark)


def _run(benchmark: str, gold: Any, predictions: Any, options: dict[str, Any]) -> Run:
    kind = PROTOCOLS.get(benchmark)
    return Run(benchmark, gold, predictions, options, (*kind.slices, *kind.other_columns))


def _variants(name: str, run: Run, *, quick_steps: int, is_quick: bool = True) -> Iterator[Case]:
    """The run as it is, which is always quick, and by every other variant."""
    yield Case(name, run.observe, ALL_STEPS, quick_steps)
    for variant in PROTOCOLS.get(run.benchmark).variants:
        if variant != run.options.get("variant", "script"):
            changed = run.changed("variant", variant)
            yield Case(f"{name}/variant={variant}", changed.observe, ALL_STEPS, quick_steps, is_quick)


def _options(name: str, run: Run, *, is_quick: bool, only: tuple[str, ...] = ()) -> Iterator[Case]:
    """The run with every other value of every option, or of some options only."""
    for option, value in other_values(PROTOCOLS.get(run.benchmark)):
        if (option in only or not only) and run.options.get(option) != value:
            changed = run.changed(option, value)
            yield Case(f"{name}/{_shown(option, value)}", changed.observe, FEW_STEPS, FEW_STEPS, is_quick)


def _metrics() -> Iterator[Case]:
    for name in METRICS.own_names():
        if name not in NEURAL:
            yield Case(f"metrics/{name}", partial(_observe_metric, name, {}))
            for option, value in other_values(METRICS.get(name)):
                changed = partial(_observe_metric, name, {option: value})
                yield Case(f"metrics/{name}/{_shown(option, value)}", changed, FEW_STEPS, FEW_STEPS)


def _observe_metric(name: str, options: dict[str, Any], steps: int) -> Observation:
    given = INPUTS.get(name, PLAIN)
    return of_metric(name, given.read(), {**given.options, **options}, steps)


def _extractors() -> Iterator[Case]:
    for spec in EXTRACTORS:
        yield Case(f"extractors/{spec}", partial(of_extractor, spec, chatty_texts()))


def _shown(option: str, value: Any) -> str:
    return f"{option}={value if isinstance(value, str) else json.dumps(value)}"
