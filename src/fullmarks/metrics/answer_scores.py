"""Exact match and token F1 after any recipe, in one pass; precision and recall too where they are wanted."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from fullmarks.metrics.answers import answer_rows, both_empty_of, recipe_part
from fullmarks.metrics.metric import Metric
from fullmarks.types import Example, Examples, Explanation

if TYPE_CHECKING:
    from fullmarks.text.recipes import Recipe


@dataclass(frozen=True)
class AnswerScores(Metric):
    """Exact match and F1 (and precision and recall), each the best over the references.

    An example without references scores 0. `both_empty`, the F1 of two texts of which nothing is left, is by default
    what the recipe's benchmark gives.
    """

    name: ClassVar[str] = "answer_scores"
    summary: ClassVar[str] = "exact match and token F1 together, after any recipe"

    recipe: str | Recipe = "squad"
    both_empty: float | None = None
    drop_empty_references: bool = False
    with_precision: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        both_empty_of(self.recipe, self.both_empty)

    @property
    def columns(self) -> tuple[str, ...]:
        """Exact match and F1; with them precision and recall, if wanted."""
        return ("exact", "f1", "precision", "recall") if self.with_precision else ("exact", "f1")

    def rows(self, examples: Examples) -> array[float]:
        """The scores of every example."""
        return answer_rows(
            self.recipe,
            examples,
            both_empty=self._both_empty,
            columns=(0, 1, 2, 3) if self.with_precision else (0, 1),
            drop_empty=self.drop_empty_references,
        )

    def explain(self, example: Example) -> Explanation:
        """The prediction after every step, and its overlap with every reference that counts."""
        from fullmarks.metrics.overlap_explanation import reference_table, step_table
        from fullmarks.text.recipes import find_recipe

        recipe = find_recipe(self.recipe)
        judged = recipe.judge(
            example.prediction,
            example.references,
            both_empty=self._both_empty,
            drop_empty_references=self.drop_empty_references,
        )
        facts: dict[str, Any] = {
            "prediction": example.prediction,
            "recipe": recipe.name,
            "normalised": judged.normal,
            "tokens": judged.tokens,
        }
        if judged.dropped:
            facts["dropped references"] = judged.dropped
        if judged.best is not None:
            facts["best reference"] = judged.best.reference
        tables = {"steps": step_table(example.prediction, recipe), "references": reference_table(judged)}
        return Explanation(example.id, {name: getattr(judged, name) for name in self.scores}, facts, tables)

    def signature_parts(self) -> dict[str, str]:
        """Every option, the recipe by its name; SQuAD's is named too."""
        parts = recipe_part(self.recipe, {**super().signature_parts(), "both_empty": str(self._both_empty)})
        return parts if "norm" in parts else {"norm": "squad", **parts}

    @property
    def _both_empty(self) -> float:
        return both_empty_of(self.recipe, self.both_empty)
