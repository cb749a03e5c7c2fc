"""ANLS: how close an answer comes to the best of its golds, by edit distance; usable alone."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import ClassVar

from fullmarks.metrics.metric import Metric
from fullmarks.options import limited
from fullmarks.text.anls import READINGS, Reading, best_similarities, cut, judge
from fullmarks.types import Example, Examples, Explanation


@dataclass(frozen=True)
class Anls(Metric):
    """1 minus the edit distance divided by the length of the longer text, 0 below the threshold; best reference.

    `reading` is `rrc` (the script of DocVQA and InfographicVQA), `mmf` (ST-VQA's) or `pix2struct`. Two empty texts
    score 1, where the programs of the last two divide by zero; an example without references scores 0.
    """

    name: ClassVar[str] = "anls"
    summary: ClassVar[str] = "normalised Levenshtein similarity of an answer, 0 below a threshold"
    citation: ClassVar[str] = "Biten et al.: Scene Text Visual Question Answering, ICCV 2019"

    reading: str = limited("rrc", choices=READINGS)
    threshold: float = limited(0.5, least=0, most=1)

    @property
    def columns(self) -> tuple[str, ...]:
        """The similarity that counts."""
        return (self.name,)

    @property
    def rules(self) -> Reading:
        """What the reading does."""
        return READINGS[self.reading]

    def rows(self, examples: Examples) -> array[float]:
        """The similarity of every example to its best reference, all pairs from one native call."""
        return best_similarities(examples.predictions, examples.references, self.rules, self.threshold)

    def explain(self, example: Example) -> Explanation:
        """What is compared, the edit distance and the length it is divided by, for every reference."""
        pairs = [judge(example.prediction, gold, self.rules) for gold in example.references]
        table = [
            {
                "reference": pair.gold,
                "compared as": pair.compared,
                "edit distance": pair.distance,
                "longer text": pair.length,
                "similarity": pair.similarity,
                "counts": cut(pair.similarity, _share(pair.distance, pair.length), self.rules, self.threshold),
            }
            for pair in pairs
        ]
        facts = {
            "prediction": example.prediction,
            "compared as": self.rules.prepare(example.prediction).text,
            "reading": f"{self.reading}: {self.rules.description}",
            "threshold": self.threshold,
        }
        if pairs:
            facts["best reference"] = max(pairs, key=lambda pair: pair.similarity).gold
        return Explanation(example.id, super().explain(example).scores, facts, {"references": table})


def _share(distance: int, length: int) -> float:
    return distance / length if length else 0.0
