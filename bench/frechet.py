"""The Frechet distance at 2048 dimensions against `scipy.linalg.sqrtm`'s formula.

Both sides start from the features' statistics; for n = 1,000 ours keeps the centred rows, sqrtm needs the covariance,
whose computation is not charged to it. There the covariances are singular and sqrtm is the less accurate one. The
matrix library keeps all cores busy on both sides, so the time is that of a clock on the wall.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from case import Case, Settings, SkippedError
from fullmarks.stats.frechet import frechet_distance
from fullmarks.stats.gaussian import GaussianStatistics

DIMENSION = 2048
WANTED = {5_000: 10.0, 1_000: 50.0}
CLOSE = {5_000: 1e-6, 1_000: 1e-3}


def textbook(linalg: Any, a: GaussianStatistics, b: GaussianStatistics) -> Any:
    first, second, apart = a.covariance, b.covariance, a.mean - b.mean
    return lambda: float(apart @ apart + np.trace(first + second - 2.0 * np.real(linalg.sqrtm(first @ second))))


def cases(settings: Settings) -> Iterator[Case]:
    if settings.quick:
        raise SkippedError("sqrtm takes minutes at this size: left out of the quick run")
    linalg = settings.peer("scipy.linalg")
    if linalg is None:
        raise SkippedError(f"scipy is not here ({settings.absent['scipy.linalg']})")
    generator = np.random.default_rng(0)
    mixing = generator.normal(size=(DIMENSION, DIMENSION)) * np.linspace(1, 0.01, DIMENSION) / np.sqrt(DIMENSION)
    for rows, wanted in WANTED.items():
        sides = (
            generator.normal(size=(rows, DIMENSION)) @ mixing * scale + shift for scale, shift in ((1, 0), (1.1, 0.1))
        )
        a, b = (GaussianStatistics.from_features([side]) for side in sides)
        yield Case(
            "Frechet distance, 2048 dimensions",
            f"made, {rows:,} rows a side",
            rows,
            lambda a=a, b=b: frechet_distance(a, b),
            {"sqrtm": textbook(linalg, a, b)},
            same=lambda one, other, close=CLOSE[rows]: abs(one - other) <= close * other,
            wanted={"sqrtm": wanted},
            rounds=2,
            turns=3,
            clock=time.perf_counter,
        )
