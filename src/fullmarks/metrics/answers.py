"""Exact match and token F1 of short answers, each usable alone."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from fullmarks.checks import is_kind, wrong_value
from fullmarks.errors import UsageError
from fullmarks.metrics.metric import Metric
from fullmarks.text.kernel import squad_each_reference, squad_rows
from fullmarks.types import Example, Examples, Explanation

if TYPE_CHECKING:
    from fullmarks.text.recipes import Recipe

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


def leave_one_out(values: Sequence[float]) -> float:
    """The mean, over all references, of the best score against the others; a single reference's score as it is.

    Source: CoQA, where people are judged by the other annotators and systems by as many.

    >>> leave_one_out([1.0, 0.0, 0.0])
    0.6666666666666666
    """
    if len(values) == 1:
        return values[0]
    return mean([max([*values[:left], *values[left + 1 :]]) for left in range(len(values))])


AGGREGATES: dict[str, Callable[[list[float]], float]] = {
    "max": max,
    "mean": mean,
    "min": min,
    "leave-one-out": leave_one_out,
}


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


def is_squad(recipe: str | Recipe) -> bool:
    """Whether the recipe is the one that all answers had before there were others; asking loads no recipes."""
    return recipe == "squad"


def both_empty_of(recipe: str | Recipe, both_empty: float | None) -> float:
    """What was asked for, otherwise what the recipe's benchmark has; an error where there is no such recipe."""
    if is_squad(recipe):
        return 1.0 if both_empty is None else both_empty
    from fullmarks.text.recipes import find_recipe

    found = find_recipe(recipe).both_empty
    return found if both_empty is None else both_empty


def recipe_part(recipe: str | Recipe, parts: dict[str, str]) -> dict[str, str]:
    """The parts of a signature with the recipe as `norm`; SQuAD's, the default, is not named."""
    rest = {name: value for name, value in parts.items() if name != "recipe"}
    if is_squad(recipe):
        return rest
    from fullmarks.text.recipes import find_recipe

    key, _, name = find_recipe(recipe).signature.partition(":")
    return {key: name, **rest}


def answer_rows(
    recipe: str | Recipe, examples: Examples, *, both_empty: float, columns: tuple[int, ...], drop_empty: bool
) -> array[float]:
    """Some of exact match, F1, precision and recall (by their positions), each the best over the references."""
    predictions, references = examples.predictions, examples.references
    rows: array[float]
    if is_squad(recipe) and max(columns) < 2:
        width, rows = 2, squad_rows(predictions, references, both_empty=both_empty, drop_empty_references=drop_empty)
    else:
        from fullmarks.text.recipes import find_recipe

        found = find_recipe(recipe)
        width = 4
        rows = found.rows(predictions, references, both_empty=both_empty, drop_empty_references=drop_empty)
    if len(columns) == width:
        return rows
    if len(columns) == 1:
        return rows[columns[0] :: width]
    kept = array("d", bytes(8 * len(columns) * len(predictions)))
    for place, column in enumerate(columns):
        kept[place :: len(columns)] = rows[column::width]
    return kept


@dataclass(frozen=True)
class _AnswerMetric(Metric):
    """One of the two numbers of the kernel, put together over the references of an example."""

    _position: ClassVar[int]

    aggregate: Aggregate = "max"
    both_empty: float | None = None
    recipe: str | Recipe = "squad"

    def __post_init__(self) -> None:
        super().__post_init__()
        aggregate_function(self.aggregate)
        both_empty_of(self.recipe, self.both_empty)

    @property
    def columns(self) -> tuple[str, ...]:
        """The score."""
        return (self.name,)

    def rows(self, examples: Examples) -> array[float]:
        """The score of every example; one without references scores 0."""
        if self.aggregate == "max":
            return answer_rows(
                self.recipe, examples, both_empty=self._both_empty, columns=(self._position,), drop_empty=False
            )
        return array("d", self._combined(examples, aggregate_function(self.aggregate)))

    def _combined(self, examples: Examples, combine: Callable[[list[float]], float]) -> Iterator[float]:
        """What the function makes of the scores against each reference."""
        if is_squad(self.recipe):
            for prediction, references in zip(examples.predictions, examples.references, strict=True):
                pairs = squad_each_reference(prediction, references, both_empty=self._both_empty)
                yield float(combine([pair[self._position] for pair in pairs])) if pairs else 0.0
            return
        from fullmarks.text.recipes import find_recipe

        found = find_recipe(self.recipe).pairs(examples.predictions, examples.references, both_empty=self._both_empty)
        scores = found[self._position :: 4].tolist()
        start = 0
        for references in examples.references:
            end = start + len(references)
            yield float(combine(scores[start:end])) if references else 0.0
            start = end

    def explain(self, example: Example) -> Explanation:
        """The normalised prediction and its overlap with every reference; its steps, where they are not SQuAD's."""
        from fullmarks.metrics.overlap_explanation import reference_table, step_table
        from fullmarks.text.recipes import find_recipe

        recipe = find_recipe(self.recipe)
        judged = recipe.judge(example.prediction, example.references, both_empty=self._both_empty)
        facts: dict[str, Any] = {
            "prediction": example.prediction,
            "normalised": judged.normal,
            "aggregate": self.options()["aggregate"],
        }
        tables = {"references": reference_table(judged)}
        if not is_squad(self.recipe):
            facts["recipe"] = recipe.name
            tables = {"steps": step_table(example.prediction, recipe), **tables}
        each = [(overlap.exact, overlap.f1)[self._position] for overlap in judged.overlaps]
        score = float(aggregate_function(self.aggregate)(each)) if each else 0.0
        return Explanation(example.id, {self.scores[0]: score}, facts, tables)

    def signature_parts(self) -> dict[str, str]:
        """Every option; the recipe by its name, and only where it is not SQuAD's."""
        return recipe_part(self.recipe, {**super().signature_parts(), "both_empty": str(self._both_empty)})

    @property
    def _both_empty(self) -> float:
        return both_empty_of(self.recipe, self.both_empty)


@dataclass(frozen=True)
class ExactMatch(_AnswerMetric):
    """1 where the normalised answer equals a normalised reference, after SQuAD's recipe or that of `recipe`."""

    name: ClassVar[str] = "exact_match"
    summary: ClassVar[str] = "share of answers equal to a reference after normalising"
    citation: ClassVar[str] = (
        "Rajpurkar et al.: SQuAD: 100,000+ Questions for Machine Comprehension of Text, EMNLP 2016"
    )
    _position: ClassVar[int] = 0


@dataclass(frozen=True)
class TokenF1(_AnswerMetric):
    """Harmonic mean of token precision and recall, counting repeats, best reference by default.

    Two sides without a token give `both_empty`: by default what the benchmark of the recipe gives, 1.0 for SQuAD 2.0's.
    Source: SQuAD.
    """

    name: ClassVar[str] = "token_f1"
    summary: ClassVar[str] = "token overlap as F1 after normalising"
    citation: ClassVar[str] = (
        "Rajpurkar et al.: SQuAD: 100,000+ Questions for Machine Comprehension of Text, EMNLP 2016"
    )
    _position: ClassVar[int] = 1
