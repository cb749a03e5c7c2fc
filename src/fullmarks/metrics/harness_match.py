"""Exact match as evaluation harnesses have it: the prediction cut at stop strings, then a recipe on both sides."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fullmarks.metrics.answers import ExactMatch
from fullmarks.metrics.metric import Metric
from fullmarks.text.recipes import find_recipe
from fullmarks.text.steps import STRIP, CutAt
from fullmarks.types import Example, Examples, Explanation

if TYPE_CHECKING:
    from fullmarks.text.recipes import Recipe

STOP_STRINGS = ("\n", ".", ",")
"""Where the generation of short answers ends in lm-evaluation-harness."""


@dataclass(frozen=True)
class HarnessMatch(Metric):
    """1 where the cut and stripped prediction equals a reference after the recipe; inner blanks count.

    No references give 0.0. `references_in` names the fact of the gold that holds the references, where they are not
    those of the published program; its score bears the name of the program's. Source: lm-evaluation-harness.
    """

    name: ClassVar[str] = "harness_match"
    summary: ClassVar[str] = "exact match of a prediction cut at stop strings"

    recipe: str | Recipe
    stop_strings: tuple[str, ...] = STOP_STRINGS
    references_in: str | None = None
    score_name: str = "exact_match"

    @property
    def columns(self) -> tuple[str, ...]:
        """The match."""
        return (self.score_name,)

    def rows(self, examples: Examples) -> array[float]:
        """1.0 or 0.0 for every example."""
        golds = examples.references
        if self.references_in is not None:
            golds = examples.facts.get(self.references_in, golds)
        predictions = list(map(self.cut, examples.predictions))
        return ExactMatch(recipe=self.recipe).rows(Examples(examples.ids, predictions, golds))

    def cut(self, text: str) -> str:
        """What is left of a prediction where generation would have ended."""
        return STRIP(CutAt(self.stop_strings)(text))

    def explain(self, example: Example) -> Explanation:
        """The prediction after the cut and after the recipe, beside every reference."""
        recipe = find_recipe(self.recipe)
        golds = example.references
        if self.references_in is not None:
            golds = example.facts.get(self.references_in, golds)
        left = recipe(self.cut(example.prediction))
        facts = {"prediction": example.prediction, "cut": self.cut(example.prediction), "normalised": left}
        table = [
            {"reference": gold, "normalised": recipe(gold), "exact": float(recipe(gold) == left)} for gold in golds
        ]
        return Explanation(example.id, super().explain(example).scores, facts, {"references": table})
