"""CuratedTREC's exact match: a gold is a regular expression that the answer has to begin with."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import ClassVar

from fullmarks.metrics.metric import Metric
from fullmarks.protocols.nq_open.rules import compiled, matches
from fullmarks.types import Example, Examples, Explanation


@dataclass(frozen=True)
class PatternMatch(Metric):
    """1 where a reference, read as a regular expression, matches from the start of the answer; no reference gives 0.

    Nothing is normalised and case does not count. A pattern that Python cannot read matches nothing; one that would
    run for ever ends in an error (such ones need the extra `regex`). Source: NQ-open's program with `--is_regex`.
    """

    name: ClassVar[str] = "pattern_match"
    summary: ClassVar[str] = "share of answers that a reference matches as a regular expression"

    score_name: str = "exact_match"

    @property
    def columns(self) -> tuple[str, ...]:
        """The share, under the name that was asked for: by default the one that it has without patterns."""
        return (self.score_name,)

    def rows(self, examples: Examples) -> array[float]:
        """1.0 or 0.0 for every example."""
        pairs = zip(examples.predictions, examples.references, strict=True)
        return array("d", [float(any(matches(text, gold) for gold in golds)) for text, golds in pairs])

    def explain(self, example: Example) -> Explanation:
        """Which pattern matched, and which cannot be read."""
        table = [
            {
                "reference": gold,
                "is a pattern": compiled(gold) is not None,
                "matches": float(matches(example.prediction, gold)),
            }
            for gold in example.references
        ]
        facts = {"prediction": example.prediction}
        return Explanation(example.id, super().explain(example).scores, facts, {"references": table})
