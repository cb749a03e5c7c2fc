"""An assertion for promptfoo: `get_assert`, which grades one output by a protocol or metric.

promptfoo calls it with the output and a context; what to grade by stands in the assertion's `config`. What `file://`
names there is a file that imports it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fullmarks.adapters.lists import MetricLists, ProtocolLists, list_scorer
from fullmarks.errors import FullmarksError, InputError, UsageError
from fullmarks.metrics.metric import Metric

OWN = ("metric", "score", "threshold", "references")
"""What the assertion's config says to this function; the rest are options of the protocol or metric."""
_SHOWN = 200


def get_assert(output: str, context: Mapping[str, Any]) -> dict[str, Any]:
    """A `GradingResult`: whether the output passes, its score from 0 to 1, and why.

    `config` of the assertion has `metric` (a protocol or metric, by default `token_f1`), `score` (which of its scores,
    by default the first), `threshold` (by default 1: full marks) and `references` (the variable that holds the right
    answers, by default `references`). A mistake in it fails the assertion and is told as the reason.
    """
    try:
        return _graded(output, context)
    except FullmarksError as error:
        return {"pass": False, "score": 0.0, "reason": f"not graded: {error}"}


def _graded(output: str, context: Mapping[str, Any]) -> dict[str, Any]:
    config = context.get("config") or {}
    options = {name: value for name, value in config.items() if name not in OWN}
    rules = list_scorer(config.get("metric", "token_f1"), options)
    golds = _references(context.get("vars") or {}, config.get("references", "references"))
    if not isinstance(output, str):
        output = json.dumps(output, ensure_ascii=False)
    scores = _scores(rules, output, golds)
    name = config.get("score", next(iter(scores)))
    if name not in scores:
        raise UsageError(f"{rules.name} has no score '{name}'. It has {', '.join(scores)}")
    threshold = config.get("threshold", 1.0)
    if isinstance(threshold, bool) or not isinstance(threshold, (int, float)) or not 0 <= threshold <= 1:
        raise UsageError(f"threshold must be a number from 0 to 1, found {threshold!r}")
    passed = scores[name] >= threshold
    told = f"{name} {scores[name]:.4g} {'meets' if passed else 'is under'} {threshold:g}"
    return {
        "pass": passed,
        "score": scores[name],
        "reason": f"{told} ({rules.name}): {_shown(output)} against {_shown(golds)}",
        "namedScores": scores,
    }


def _scores(rules: MetricLists | ProtocolLists, output: str, golds: list[str]) -> dict[str, float]:
    """Every score of this one answer, from 0 to 1, the main one first."""
    if isinstance(rules, ProtocolLists):
        return dict(rules.score([output], [golds], {}).scores)
    if not isinstance(rules.metric, Metric):
        raise UsageError(f"{rules.name} is a number of whole sets, and there is none of a single answer")
    from fullmarks.metrics.scorer import Scorer

    found = Scorer(rules.metric).each_score(predictions=[output], references=[golds])
    return {name: values[0] for name, values in found.items()}


def _references(variables: Mapping[str, Any], name: str) -> list[str]:
    """The right answers: one text, a list of texts, or a JSON list of them in a text."""
    if name not in variables:
        known = ", ".join(map(str, variables)) or "none"
        raise UsageError(f"the test has no variable '{name}' with the right answers (it has {known})")
    value = variables[name]
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = json.loads(value)
        except ValueError:
            value = [value]  # a text that begins with a bracket
    golds = value if isinstance(value, list) else [value]
    if not golds or not all(isinstance(gold, str) for gold in golds):
        raise InputError(name, "expected a text or a list of texts", "Put numbers in quotes.")
    return golds


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
