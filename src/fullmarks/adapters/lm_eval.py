"""fullmarks in lm-evaluation-harness: importing this module registers metrics and an aggregation.

A metric is called `fullmarks_RULES_SCORE`, as in `fullmarks_squad2_f1`; `fullmarks list` has the names. In the log
every sample has its own score from 0 to 1. The aggregation `fullmarks`, which is the default of these metrics, gives
the official number of all of them: that of `fullmarks.score`, digit by digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from fullmarks.adapters.process_results import one_text, process_results_for
from fullmarks.adapters.sample_score import SampleScore, official, scored
from fullmarks.adapters.samples import SampleRules, rules_named, sample_of
from fullmarks.errors import FullmarksError, UsageError
from fullmarks.metrics import METRICS
from fullmarks.optional import require_package
from fullmarks.protocols import PROTOCOLS

__all__ = ["official", "process_results_for", "unchanged"]

PREFIX = "fullmarks"
Docs = TypeVar("Docs")

# The harness fills its registries only while they are empty: its own names come first.
require_package("lm_eval.api.metrics", needed_by="fullmarks.adapters.lm_eval", package="lm-eval")
_registry = require_package("lm_eval.api.registry", needed_by="fullmarks.adapters.lm_eval", package="lm-eval")


class OneTargetScore(SampleScore):
    """A score of a metric that is named in a task file: the harness gives such a metric one target at a time."""

    def __bool__(self) -> bool:
        """Asked by the harness only where a question has several targets: it would make 1.0 of any overlap."""
        raise UsageError(
            f"{self.rules.name} {self.key}: lm-evaluation-harness turns scores of several targets into 0 or 1. "
            "Score such a task by process_results: see process_results_for of fullmarks.adapters.lm_eval"
        )


def unchanged(docs: Docs) -> Docs:
    """The documents as they are: `process_docs: !function fullmarks.adapters.lm_eval.unchanged` imports this module."""
    return docs


def _metric(rules: SampleRules, key: str) -> Callable[..., SampleScore]:
    """A metric as the harness calls it: with one prediction, its one target and what else the task file says of it."""
    with_options: dict[str, SampleRules] = {repr({}): rules}

    def metric(*, references: Sequence[Any], predictions: Sequence[Any], **options: Any) -> SampleScore:
        written = repr(options)
        if written not in with_options:
            with_options[written] = rules_named(rules.name, options)
        sample = sample_of(one_text(predictions), references[0])
        chosen = with_options[written]
        value = scored(chosen, [key], sample).get(key, math.nan)
        return OneTargetScore(value, chosen, key, sample)

    return metric


def _register() -> None:
    """Register the aggregation, and a metric for every score of all that can be made without an option."""
    _registry.register_aggregation(PREFIX)(official)
    for kind in (PROTOCOLS, METRICS):
        for name in kind.names():
            try:
                rules = rules_named(name)
                keys = rules.scores
            except FullmarksError:  # it needs an option or a package; process_results_for says which
                continue
            for key in keys:
                _register_metric(rules, key)


def _register_metric(rules: SampleRules, key: str) -> None:
    name = f"{PREFIX}_{rules.name}" if rules.name == key else f"{PREFIX}_{rules.name}_{key}"
    if name not in _registry.METRIC_REGISTRY:  # a benchmark's own metric may have the benchmark's name
        described = {"metric": name, "higher_is_better": not rules.less_is_better(key), "aggregation": PREFIX}
        _registry.register_metric(**described, output_type="generate_until")(_metric(rules, key))


_register()
