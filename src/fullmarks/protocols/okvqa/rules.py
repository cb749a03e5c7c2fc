"""OK-VQA's rule is VQA's; this is lmms-eval's reading of it."""

from __future__ import annotations

from fullmarks.metrics.votes import Votes

LMMS_EVAL = "lmms-eval"
LMMS_VOTES = Votes(recipe="evalai")
"""The EvalAI normal form on both sides, unanimous annotators or not, and one annotator at a time left out."""
