"""The bootstrap against resampling example by example in Python and against `scipy.stats.bootstrap`.

The two ways in plain Python, a loop over examples and the quicker `random.choices`, are timed on fewer resamples and
scaled up, which their time is proportional to; their few resamples make no interval to compare.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from case import Case, Settings
from fullmarks.stats.bootstrap import score_intervals
from fullmarks.stats.interval import Method
from fullmarks.stats.rows import Floats

EXAMPLES, RESAMPLES, LOOP_RESAMPLES = 11_873, 10_000, 40


def data_sets() -> dict[str, Floats]:
    generator = np.random.default_rng(2024)
    matches = generator.integers(0, 12, EXAMPLES)
    lengths = 2 * matches + generator.integers(0, 12, EXAMPLES)
    f1 = np.where(lengths > 0, 2 * matches / np.maximum(lengths, 1), 1.0)
    return {
        "0/1": (generator.random(EXAMPLES) < 0.73).astype(float),
        "F1-like": np.where(generator.random(EXAMPLES) < 0.6, 1.0, f1),
        "all distinct": generator.random(EXAMPLES),
    }


def loop(values: list[float]) -> None:
    generator, n, scores = random.Random(1), len(values), []
    for _ in range(LOOP_RESAMPLES):
        total = 0.0
        for _ in range(n):
            total += values[generator.randrange(n)]
        scores.append(total / n)
    scores.sort()


def choices(values: list[float]) -> None:
    generator, n = random.Random(1), len(values)
    sorted(sum(generator.choices(values, k=n)) / n for _ in range(LOOP_RESAMPLES))


def same_interval(ours: Any, theirs: Any) -> bool:
    """Other random numbers: the ends agree as far as 10,000 resamples determine them."""
    if theirs is None:
        return True
    found = theirs.confidence_interval
    return abs(ours[0].low - found.low) < 5e-4 and abs(ours[0].high - found.high) < 5e-4


def cases(settings: Settings) -> Iterator[Case]:
    stats: Any = settings.peer("scipy.stats")
    methods: tuple[Method, ...] = ("percentile",) if settings.quick else ("percentile", "bca")
    for name, values in data_sets().items():
        for method in methods:
            listed, rows = values.tolist(), values[:, None]
            theirs = {
                "loop over examples": lambda listed=listed: loop(listed),
                "random.choices": lambda listed=listed: choices(listed),
            }
            if stats is not None:
                # Its default batch would hold every resample at once, most of a gigabyte; this one is faster too.
                theirs["scipy"] = lambda values=values, method=method: stats.bootstrap(
                    (values,), np.mean, n_resamples=RESAMPLES, method=method, batch=500
                )
            yield Case(
                f"bootstrap interval, {method}, {RESAMPLES:,} resamples",
                name,
                EXAMPLES,
                lambda rows=rows, method=method: score_intervals(rows, method=method, resamples=RESAMPLES),
                theirs,
                same=same_interval,
                rounds=2 if settings.quick else 3,
                wanted={"loop over examples": 30, "scipy": 1},
                scale=dict.fromkeys(("loop over examples", "random.choices"), RESAMPLES / LOOP_RESAMPLES),
            )
