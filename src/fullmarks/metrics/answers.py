"""Exact match and token F1 of short answers, each usable alone."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.checks import is_kind, wrong_value
from fullmarks.errors import UsageError
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.overlap_explanation import overlap_table
from fullmarks.text.kernel import squad_each_reference, squad_rows
from fullmarks.text.squad import normalize_answer
from fullmarks.types import Example, Examples, Explanation

Aggregate = str | Callable[[list[float]], float]


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean as a left fold."""
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


def pairwise_mean(values: array[float]) -> float:
    """NumPy's mean, for programs that publish it: its pairwise sum differs from a running one in the last digits."""
    import numpy

    return float(numpy.mean(numpy.frombuffer(values)))


AGGREGATES: dict[str, Callable[[list[float]], float]] = {"max": max, "mean": mean, "min": min}


def aggregate_function(aggregate: Aggregate) -> Callable[[list[float]], float]:
    """The function behind a name; any callable on a list of numbers stands for itself, its numbers checked."""
    if callable(aggregate):
        return aggregate if aggregate in AGGREGATES.values() else _CheckedAggregate(aggregate)
    if not isinstance(aggregate, str) or aggregate not in AGGREGATES:
        known = ", ".join(f"'{name}'" for name in AGGREGATES)
        raise UsageError(f"aggregate must be one of {known} or a function on a list, found {aggregate!r}")
    return AGGREGATES[aggregate]


class _CheckedAggregate:
    """A caller's function that must give a finite number."""

    def __init__(self, function: Callable[[list[float]], Any]) -> None:
        self._function = function

    def __call__(self, values: list[float]) -> float:
        found = self._function(values)
        is_number = isinstance(found, bool) or is_kind(found, float)
        if not is_number or not math.isfinite(found):
            name = getattr(self._function, "__name__", type(self._function).__name__)
            raise wrong_value(f"what the aggregate function {name} returns", "a finite number", found)
        return float(found)


@dataclass(frozen=True)
class _AnswerMetric(Metric):
    """One of the two numbers of the kernel, put together over the references of an example."""

    _position: ClassVar[int]

    aggregate: Aggregate = "max"
    both_empty: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        aggregate_function(self.aggregate)

    @property
    def columns(self) -> tuple[str, ...]:
        """The score."""
        return (self.name,)

    def rows(self, examples: Examples) -> array[float]:
        """The score of every example; one without references scores 0."""
        if self.aggregate == "max":
            both = squad_rows(
                examples.predictions,
                examples.references,
                both_empty=self.both_empty,
                drop_empty_references=False,
            )
            return both[self._position :: 2]
        combine = aggregate_function(self.aggregate)
        pairs = zip(examples.predictions, examples.references, strict=True)
        return array("d", (self._combined(*pair, combine) for pair in pairs))

    def _combined(self, prediction: str, references: list[str], combine: Callable[[list[float]], float]) -> float:
        if not references:
            return 0.0
        pairs = squad_each_reference(prediction, references, both_empty=self.both_empty)
        return float(combine([pair[self._position] for pair in pairs]))

    def explain(self, example: Example) -> Explanation:
        """The normalised prediction and its overlap with every reference."""
        facts: dict[str, Any] = {
            "prediction": example.prediction,
            "normalised": normalize_answer(example.prediction),
            "aggregate": self.options()["aggregate"],
        }
        table = overlap_table(example.prediction, example.references, both_empty=self.both_empty)
        return Explanation(example.id, super().explain(example).scores, facts, {"references": table})


@dataclass(frozen=True)
class ExactMatch(_AnswerMetric):
    """1 where the normalised answer equals a normalised reference. Source: SQuAD."""

    name: ClassVar[str] = "exact_match"
    summary: ClassVar[str] = "share of answers equal to a reference after normalising"
    citation: ClassVar[str] = (
        "Rajpurkar et al.: SQuAD: 100,000+ Questions for Machine Comprehension of Text, EMNLP 2016"
    )
    _position: ClassVar[int] = 0


@dataclass(frozen=True)
class TokenF1(_AnswerMetric):
    """Harmonic mean of token precision and recall, counting repeats, best reference by default.

    Two sides without a token give `both_empty`: 1.0 as in SQuAD 2.0, or 0.0. Source: SQuAD.
    """

    name: ClassVar[str] = "token_f1"
    summary: ClassVar[str] = "token overlap as F1 after normalising"
    citation: ClassVar[str] = (
        "Rajpurkar et al.: SQuAD: 100,000+ Questions for Machine Comprehension of Text, EMNLP 2016"
    )
    _position: ClassVar[int] = 1
