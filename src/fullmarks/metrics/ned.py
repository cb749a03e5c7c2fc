"""Similarity of recognised texts: 1 minus the normalised edit distance."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import ClassVar

from fullmarks.errors import UsageError
from fullmarks.metrics.metric import Metric
from fullmarks.text.edit_distance import edit_similarities, edit_similarity
from fullmarks.types import Example, Examples, Explanation


@dataclass(frozen=True)
class Ned(Metric):
    """1 minus the edit distance over characters, divided by the length of the longer text; best reference.

    Nothing is normalised, case counts; 0.0 if either text is empty. Source: FusionBrain Challenge 2.0, TRitW.
    """

    name: ClassVar[str] = "ned"
    summary: ClassVar[str] = "1 minus the normalised edit distance of two texts"
    citation: ClassVar[str] = (
        "Levenshtein: Binary codes capable of correcting deletions, insertions and reversals, "
        "Soviet Physics Doklady 1966"
    )
    fewest_references: ClassVar[int] = 1

    @property
    def columns(self) -> tuple[str, ...]:
        """The similarity."""
        return (self.name,)

    def rows(self, examples: Examples) -> array[float]:
        """The similarity to the best reference of every example, all pairs from one native call."""
        predictions = [
            text for text, golds in zip(examples.predictions, examples.references, strict=True) for _ in golds
        ]
        similarities = iter(edit_similarities(predictions, [gold for golds in examples.references for gold in golds]))
        if not all(examples.references):
            raise UsageError("an example has no reference; ned needs at least one. Leave the example out")
        return array("d", [max([next(similarities) for _ in golds]) for golds in examples.references])

    def explain(self, example: Example) -> Explanation:
        """Lengths, distance and similarity for every reference."""
        table = []
        for gold in example.references:
            longer, similarity = max(len(example.prediction), len(gold)), edit_similarity(example.prediction, gold)
            distance = round((1 - similarity) * longer) if example.prediction and gold else longer
            table.append(
                {"reference": gold, "longer text": longer, "edit distance": distance, "similarity": similarity}
            )
        facts = {"prediction": example.prediction}
        return Explanation(example.id, super().explain(example).scores, facts, {"references": table})
