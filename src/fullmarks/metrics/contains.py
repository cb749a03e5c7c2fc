"""Whether an answer contains a reference: as characters anywhere, or as whole words in a row."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from fullmarks.metrics.metric import Metric
from fullmarks.options import limited
from fullmarks.text.containment import CASES, found_spelling
from fullmarks.text.kernel import contains_rows
from fullmarks.types import Example, Examples, Explanation

if TYPE_CHECKING:
    from collections.abc import Callable

    from fullmarks.text.recipes import Recipe

UNITS = ("characters", "tokens")


@dataclass(frozen=True)
class Contains(Metric):
    """1 where the answer contains one of the references; an empty reference is in every answer, no reference gives 0.

    `unit="tokens"` wants whole words between white space, in a row. `case` says how capitals count: "keep", "lower", or
    "spellings": a reference may also stand in lower case or capitalised. A `recipe` normalises both sides first.
    """

    name: ClassVar[str] = "contains"
    summary: ClassVar[str] = "share of answers that contain a reference"
    citation: ClassVar[str] = (
        "Mallen et al.: When Not to Trust Language Models: Investigating Effectiveness of Parametric and "
        "Non-Parametric Memories, ACL 2023"
    )

    unit: str = limited("characters", choices=UNITS)
    case: str = limited("keep", choices=CASES)
    recipe: str | Recipe | None = None
    score_name: str = "contains"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.recipe is not None:
            self._normaliser()

    @property
    def columns(self) -> tuple[str, ...]:
        """The share, under the name that was asked for."""
        return (self.score_name,)

    def rows(self, examples: Examples) -> array[float]:
        """1.0 or 0.0 for every example."""
        predictions, references = examples.predictions, examples.references
        if self.recipe is not None or self.unit == "tokens":
            prepare = self._prepared()
            predictions = list(map(prepare, predictions))
            references = [list(map(prepare, golds)) for golds in references]
        return contains_rows(predictions, references, case=self.case)

    def explain(self, example: Example) -> Explanation:
        """The spelling of every reference that was found, and where."""
        prepare = self._prepared()
        searched = prepare(example.prediction)
        searched = searched.lower() if self.case == "lower" else searched
        table = []
        for gold in example.references:
            found = found_spelling(searched, prepare(gold), self.case)
            table.append(
                {
                    "reference": gold,
                    "looked for": prepare(gold),
                    "found": "" if found is None else found,
                    "at": None if found is None else searched.index(found),
                    "contained": float(found is not None),
                }
            )
        facts: dict[str, Any] = {"prediction": example.prediction, "searched": searched, "case": self.case}
        return Explanation(example.id, super().explain(example).scores, facts, {"references": table})

    def signature_parts(self) -> dict[str, str]:
        """Every option; the recipe by its name, where there is one."""
        parts = {name: value for name, value in super().signature_parts().items() if name != "recipe"}
        return parts if self.recipe is None else {"norm": self._normaliser().name, **parts}

    def _normaliser(self) -> Recipe:
        from fullmarks.text.recipes import find_recipe

        return find_recipe(self.recipe or "")

    def _prepared(self) -> Callable[[str], str]:
        """What is done to both sides before one is looked for in the other."""
        normal: Callable[[str], str] = str if self.recipe is None else self._normaliser()
        return _Words(normal) if self.unit == "tokens" else normal


class _Words:
    """A text's words with a blank before, between and after them, so that a run of words is a run of characters."""

    def __init__(self, normal: Callable[[str], str]) -> None:
        self._normal = normal

    def __call__(self, text: str) -> str:
        words = self._normal(text).split()
        return f" {' '.join(words)} " if words else ""
