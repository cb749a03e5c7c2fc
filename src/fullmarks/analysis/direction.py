"""Which numbers are better the smaller they are: what the metrics declare."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fullmarks.result import Result


def less_is_better(result: Result, name: str) -> bool:
    """Whether the score or official number of this name is better the smaller it is."""
    declared = {score for metric in result.tally.metrics for score in metric.less_is_better}
    return name in declared or name in {result.rules.official_names.get(score) for score in declared}
