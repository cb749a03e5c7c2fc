"""Metrics by name, ready to compute."""

from __future__ import annotations

from typing import Any

from fullmarks.metrics import METRICS
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.scorer import Scorer


def load(name: str, **options: Any) -> Scorer:
    """The metric of that name, ready to compute.

    >>> load("token_f1").compute(predictions=["the cat"], references=[["a cat", "a dog"]])
    {'token_f1': 1.0}
    """
    metric = METRICS.make(name, options)
    if not isinstance(metric, Metric):
        from fullmarks.metrics.set_metric import SetScorer

        return SetScorer(metric)
    if metric.takes_dictionaries:
        from fullmarks.metrics.squad_scorer import SquadScorer

        return SquadScorer(metric)
    return Scorer(metric)
