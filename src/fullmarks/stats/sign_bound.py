"""How likely so large a sum of differences with random signs is at most: a bound that holds whatever they are.

Source: Chernoff, A Measure of Asymptotic Efficiency for Tests of a Hypothesis Based on the Sum of Observations (1952):
for every positive rate, the chance that the sum of the signed differences reaches a total is at most the product of the
hyperbolic cosines of rate times difference, over the exponential of rate times total.
"""

from __future__ import annotations

import math

import numpy as np

from fullmarks.stats.rows import Floats, Integers

_STEPS = 8
_LEAST_ERRORS = 3.0
"""A total of fewer standard errors than this is not looked at: its bound is far above any floor."""


def sign_bound(differences: Floats, multiplicity: Integers, total: float) -> float:
    """At most so often the sum of the differences, each with a random sign, is as far from zero as `total`.

    >>> sign_bound(np.ones(1), np.array([20]), 20.0) < 2.1 * 2 / 2**20
    True
    """
    weights, sizes = multiplicity.astype(np.float64), np.abs(differences)
    squares = float(weights @ sizes**2)
    if total < _LEAST_ERRORS * math.sqrt(squares):
        return 1.0
    rate = total / squares
    exponents = []
    for _ in range(_STEPS):
        turned = rate * sizes
        log_cosh = turned + np.log1p(np.exp(-2 * turned)) - math.log(2)
        exponents.append(float(weights @ log_cosh) - rate * total)
        pulls = np.tanh(turned)
        curve = float(weights @ (sizes**2 * (1 - pulls**2)))
        missing = total - float(weights @ (sizes * pulls))
        # Every rate gives a bound; Newton's step only looks for a better one, and may not run away.
        rate = min(2 * rate, max(rate / 2, rate + missing / curve)) if curve > 0 else 2 * rate
    return min(1.0, 2 * math.exp(min(exponents)))
