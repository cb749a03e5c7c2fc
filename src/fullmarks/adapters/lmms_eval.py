"""fullmarks in lmms-eval: what a task file names as `process_results` and as the `aggregation` of its metrics.

Every sample has its own scores from 0 to 1 in the log, and the task the official numbers, those of `fullmarks.score`.
Task files reach both by `!function`, so that nothing of lmms-eval is needed here.
"""

from __future__ import annotations

from fullmarks.adapters.process_results import process_results_for
from fullmarks.adapters.sample_score import official

__all__ = ["official", "process_results_for"]
