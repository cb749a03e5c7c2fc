"""Time our Frechet distance against scipy.linalg.sqrtm's formula at 2048 dimensions, in one run.

python bench/frechet.py

Both sides start from the features' statistics; for n = 1,000 ours keeps the centred rows, sqrtm needs the
covariance, whose computation is not charged to it. There the covariances are singular and sqrtm is the less
accurate one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np
import scipy
from scipy.linalg import sqrtm

from fullmarks.stats.frechet import frechet_distance
from fullmarks.stats.gaussian import GaussianStatistics

DIMENSION = 2048
WANTED = {5_000: 10.0, 1_000: 50.0}


def textbook(a: GaussianStatistics, b: GaussianStatistics) -> Callable[[], float]:
    first, second, apart = a.covariance, b.covariance, a.mean - b.mean
    return lambda: float(apart @ apart + np.trace(first + second - 2.0 * np.real(sqrtm(first @ second))))


def best_of_two(compute: Callable[[], float]) -> tuple[float, float]:
    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        distance = compute()
        seconds.append(time.perf_counter() - start)
    return distance, min(seconds)


def main() -> None:
    generator = np.random.default_rng(0)
    mixing = generator.normal(size=(DIMENSION, DIMENSION)) * np.linspace(1, 0.01, DIMENSION) / np.sqrt(DIMENSION)
    print(f"numpy {np.__version__}, scipy {scipy.__version__}, {DIMENSION} dimensions")
    for rows, wanted in WANTED.items():
        sides = (
            generator.normal(size=(rows, DIMENSION)) @ mixing * scale + shift for scale, shift in ((1, 0), (1.1, 0.1))
        )
        a, b = (GaussianStatistics.from_features([side]) for side in sides)
        distance, seconds = best_of_two(partial(frechet_distance, a, b))
        reference, reference_seconds = best_of_two(textbook(a, b))
        print(
            f"n = {rows:>5,}: ours {seconds:.3f} s, sqrtm {reference_seconds:.3f} s, "
            f"{reference_seconds / seconds:.1f} times faster (wanted {wanted:.0f}); "
            f"{distance:.9f} and {reference:.9f}, "
            f"relative difference {abs(distance - reference) / reference:.1e}"
        )


if __name__ == "__main__":
    main()
