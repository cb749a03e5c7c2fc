"""fullmarks in Inspect: a scorer for every protocol and metric, and the metric that makes the official numbers of them.

Inspect finds them by the entry point of this package: `inspect score LOG --scorer fullmarks/squad2`. In a task,
`from fullmarks.adapters.inspect_ai import scorer` and `scorer=scorer("squad2")`. The log has the scores of every sample
from 0 to 1 with the explanation, and as metrics the official numbers, which are those of `fullmarks.score`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

from fullmarks.adapters.samples import Sample, rules_named, sample_of, told
from fullmarks.checks import listed_names
from fullmarks.errors import UsageError
from fullmarks.metrics import METRICS
from fullmarks.optional import require_package
from fullmarks.protocols import PROTOCOLS

_inspect = require_package("inspect_ai.scorer", needed_by="fullmarks.adapters.inspect_ai", package="inspect-ai")
_state = require_package("inspect_ai.solver", needed_by="fullmarks.adapters.inspect_ai", package="inspect-ai")
_log = require_package("inspect_ai.log", needed_by="fullmarks.adapters.inspect_ai", package="inspect-ai")
KEPT = "fullmarks"
"""The entry of a score's metadata that `official` works from."""


def official() -> Any:
    """The metric: the official numbers of all samples, by their keys; over several epochs the mean of each epoch's."""
    return _registered_official()


def scorer(name: str, *, fields: str | Sequence[str] = (), **options: Any) -> Any:
    """A scorer by a protocol or metric. The targets of a sample are its references.

    `fields` names entries of the samples' metadata that the rules need as columns, such as CoQA's domain. The other
    options are those of the protocol or metric; `extract` takes the answer out of what the model wrote.
    """
    if name not in _SCORERS:
        rules_named(name)  # an error that suggests the nearest names
        raise UsageError(f"{name} has no scorer of that name: use the name that 'fullmarks list' shows")
    return _SCORERS[name](fields=fields, **options)


def _score(name: str, fields: tuple[str, ...], options: dict[str, Any]) -> Callable[..., Any]:
    """What scores one sample."""
    rules = rules_named(name, options)

    async def score(state: Any, target: Any) -> Any:
        if _has_failed(state):
            return _inspect.Score.unscored(reason="sample_error", explanation="the sample failed, so it is not scored")
        absent = [field for field in fields if field not in state.metadata]
        if absent:
            known = ", ".join(map(repr, state.metadata)) or "none"
            raise UsageError(f"the sample {state.sample_id!r} has no metadata '{absent[0]}'; it has {known}")
        columns = {field: state.metadata[field] for field in fields}
        made = sample_of(state.output.completion, list(target), identifier=state.sample_id, columns=columns)
        judged = rules.judge(made)
        kept = {"rules": name, "options": options, "epoch": state.epoch, "sample": made}
        return _inspect.Score(
            value=judged.scores, answer=judged.answer, explanation=told(judged.explanation), metadata={KEPT: kept}
        )

    # Inspect reads annotations to tell what is what
    score.__annotations__ = {"state": _state.TaskState, "target": _inspect.Target, "return": _inspect.Score}
    return score


def _has_failed(state: Any) -> bool:
    """Whether an error ended the sample: `inspect score` hands over such samples too, but not their error."""
    events = _log.transcript().events
    return not state.output.choices or any(event.event == "error" for event in events)


def _make_scorer(name: str) -> Callable[..., Any]:
    """The function that makes the scorer of this name, registered with Inspect."""

    def make(fields: str | Sequence[str] = (), **options: Any) -> Any:
        return _score(name, listed_names("fields", fields, "the name of an entry of metadata or a list"), options)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"Score as {name} does."
    registered: Callable[..., Any] = _inspect.scorer(metrics=[official()], name=name)(make)
    return registered


def _official() -> Callable[..., Any]:
    def official(scores: Any) -> dict[str, float]:
        by_epoch: dict[int, list[Mapping[str, Any]]] = {}
        for each in scores:
            kept = (each.score.metadata or {}).get(KEPT)
            if kept is None:
                raise UsageError("the metric 'official' is for the scorers of fullmarks: give this scorer another one")
            by_epoch.setdefault(kept["epoch"], []).append(kept)
        return _mean([_numbers(kept) for kept in by_epoch.values()])

    of_samples = list.__class_getitem__(_inspect.SampleScore)
    official.__annotations__ = {"scores": of_samples, "return": dict[str, float]}
    return official


def _numbers(kept: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The official numbers of one epoch."""
    samples: list[Sample] = [each["sample"] for each in kept]
    return rules_named(kept[0]["rules"], kept[0]["options"]).numbers(samples)


def _mean(runs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of every number over the runs that have it; of a single run its numbers as they are."""
    if len(runs) == 1:
        return dict(runs[0])
    keys = dict.fromkeys(key for run in runs for key in run)
    return {key: fmean(run[key] for run in runs if key in run) for key in keys}


_registered_official = _inspect.metric(name="official", scores="unreduced")(_official)
_SCORERS = {name: _make_scorer(name) for name in dict.fromkeys((*PROTOCOLS.names(), *METRICS.names()))}


def __getattr__(name: str) -> Any:
    """Every scorer under its own name: `from fullmarks.adapters.inspect_ai import squad2`."""
    if name in _SCORERS:
        return _SCORERS[name]
    raise AttributeError(f"module 'fullmarks.adapters.inspect_ai' has no attribute '{name}'")
