"""Options that are numbers: the last value that is allowed is, the first that is not is refused in words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import fullmarks
from fullmarks.analysis.intervals import Sampling, result_confidence
from fullmarks.stats.bootstrap import score_intervals
from fullmarks.stats.permutation import permutation_test

ROWS = [{"id": at, "prediction": "cat", "references": ["cat" if at % 2 else "dog"]} for at in range(6)]
# metric, option, allowed, refused
METRIC_OPTIONS: list[tuple[str, str, list[Any], list[Any]]] = [
    ("bleu", "max_order", [1, 16], [0, -1, 17, 1.5, "2", None, True, math.nan]),
    ("sentence_bleu", "max_order", [1, 16], [0, 17]),
    ("vqa_accuracy", "precision", [0, 1, 20], [-1, 0.5, "2", None]),
    ("token_f1", "both_empty", [0.0, 1, 0.25], ["1", math.nan]),
    ("meteor", "alpha", [0.9, 1], ["x", None, math.nan]),
]


@pytest.mark.parametrize(("name", "option", "allowed", "refused"), METRIC_OPTIONS)
def test_options_of_metrics(name: str, option: str, allowed: list[Any], refused: list[Any]) -> None:
    for value in allowed:
        assert fullmarks.load(name, **{option: value}).metric.options()[option] == value
    for value in refused:
        with pytest.raises(fullmarks.UsageError, match=f"{option} must be "):
            fullmarks.load(name, **{option: value})


def test_limit() -> None:
    assert fullmarks.score("qa", ROWS, limit=1).n == 1
    assert fullmarks.score("qa", ROWS, limit=10**9).n == 6
    for limit in (0, -1):
        with pytest.raises(
            fullmarks.UsageError, match=f"limit must be a whole number of 1 or more, or None, found {limit}"
        ):
            fullmarks.score("qa", ROWS, limit=limit)


def test_workers() -> None:
    assert fullmarks.score("qa", ROWS, workers=1).n == 6
    for workers in (0, -1):
        with pytest.raises(fullmarks.UsageError, match="workers must be"):
            fullmarks.score("qa", ROWS, workers=workers)


@pytest.mark.parametrize("resamples", [1, 0, -5])
def test_resamples(resamples: int) -> None:
    message = f"{resamples} resamples say nothing about spread; give 2 or more"
    rows = np.arange(8.0)[:, None]
    with pytest.raises(fullmarks.UsageError, match=message):
        permutation_test(rows, rows[::-1], permutations=resamples)
    with pytest.raises(fullmarks.UsageError, match=message):
        score_intervals(rows, resamples=resamples)
    with pytest.raises(fullmarks.UsageError, match=message):
        result_confidence(fullmarks.score("qa", ROWS), (), Sampling(resamples=resamples))
    assert permutation_test(rows, rows[::-1], permutations=2)
    assert score_intervals(rows, resamples=2)


@pytest.mark.parametrize("level", [0.0, 1.0, -0.1, 1.5, math.nan])
def test_level(level: float) -> None:
    with pytest.raises(fullmarks.UsageError, match="level"):
        result_confidence(fullmarks.score("qa", ROWS), (), Sampling(level=level, resamples=10))
    for allowed in (0.001, 0.999):
        assert result_confidence(fullmarks.score("qa", ROWS), (), Sampling(level=allowed, resamples=10))
