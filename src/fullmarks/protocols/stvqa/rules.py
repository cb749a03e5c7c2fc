"""ST-VQA's accuracy as mmf computes it: an answer is right where its normal form is that of a gold answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fullmarks.text.evalai import normalize_evalai


class Judged(NamedTuple):
    """Whether an answer is right, its normal form, and those of the golds."""

    is_right: bool
    normalised: str
    golds: list[str]


def judge(prediction: str, golds: Sequence[str]) -> Judged:
    """Whether the normal form of the prediction is among those of the golds."""
    normalised, wanted = normalize_evalai(prediction), [normalize_evalai(gold) for gold in golds]
    return Judged(normalised in wanted, normalised, wanted)
