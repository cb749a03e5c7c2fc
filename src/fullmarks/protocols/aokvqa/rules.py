"""A-OKVQA's two rules, texts as they stand: nothing is normalised and nobody is left out."""

from __future__ import annotations

from collections.abc import Sequence

from fullmarks.metrics.votes import Judged, judge_votes


def judge(prediction: str, answers: Sequence[str]) -> Judged:
    """What a direct answer scores: min(1, annotators who gave it / 3)."""
    return judge_votes(prediction, answers, "all")


def choice_score(prediction: str | None, right: str) -> float:
    """What a choice scores: 1 if it is the text of the right one; a letter or an index is not."""
    return float(prediction == right)
