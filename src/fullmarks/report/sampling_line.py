"""How intervals and p-values were made, in one line for readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fullmarks.analysis.intervals import Sampling

METHODS = {"bca": "BCa", "percentile": "percentile"}


def resampling_words(sampling: Sampling) -> str:
    """Method, what was drawn, number of resamples and seed, by the names of the options."""
    units = f"clusters of '{sampling.cluster}'" if sampling.cluster else "examples"
    return f"{sampling.method} bootstrap over {units}, {sampling.resamples} resamples, seed {sampling.seed}"


def sampling_line(sampling: Sampling) -> str:
    """Level, method, number of resamples, what was drawn, seed."""
    units = f"clusters of {sampling.cluster}" if sampling.cluster else "examples"
    return (
        f"{100 * sampling.level:g} % intervals, {METHODS[sampling.method]} bootstrap over {units}, "
        f"{sampling.resamples:,} resamples, seed {sampling.seed}"
    )
