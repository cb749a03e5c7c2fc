"""Metrics by name, ready to compute."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from fullmarks.errors import UsageError
from fullmarks.metrics import METRICS
from fullmarks.metrics.scorer import Scorer
from fullmarks.metrics.set_metric import SetMetric, SetScorer


def load(name: str, **options: Any) -> Scorer:
    """The metric of that name, ready to compute.

    >>> load("token_f1").compute(predictions=["the cat"], references=[["a cat", "a dog"]])
    {'token_f1': 1.0}
    """
    kind = METRICS.get(name)
    known = [field.name for field in fields(kind)]
    unknown = sorted(options.keys() - set(known))
    if unknown:
        raise UsageError(f"{name} has no option '{unknown[0]}'. Its options: {', '.join(known) or 'none'}")
    metric = kind(**options)
    return SetScorer(metric) if isinstance(metric, SetMetric) else Scorer(metric)
