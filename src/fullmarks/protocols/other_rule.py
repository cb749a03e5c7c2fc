"""How another tool scores a benchmark's answers: its name, what it does differently, the metrics that do it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fullmarks.metrics.metric import Metric
from fullmarks.types import Examples


@dataclass(frozen=True)
class OtherRule:
    """One other way to score the same answers."""

    name: str
    description: str
    """What it does differently, in one line."""
    metrics: tuple[Metric, ...]
    prepare: Callable[[Examples], Examples] | None = None
    """What it does to the examples first: other references, other questions left out."""
