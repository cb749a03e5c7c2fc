"""SQuAD 2.0's search for thresholds and its precision-recall analysis, against the plain rules."""

from __future__ import annotations

import random
from array import array
from collections.abc import Iterator

from plain_no_answer_rules import average_precision, best_threshold

from case import Case, Settings
from fullmarks.protocols.squad2.no_answer import RankedQuestions

Numbers = tuple[tuple[float, float], tuple[float, float], float, float, float]


class Questions:
    """Probabilities, scores and answers: in lists for ours, in dictionaries by id for the plain rules."""

    def __init__(self, size: int) -> None:
        source = random.Random(6)
        self.ids = [f"q{number}" for number in range(size)]
        self.chances = [source.random() for _ in range(size)]
        self.has_answer = [source.random() < 0.5 for _ in range(size)]
        self.predictions = [source.choice(("", "text")) for _ in range(size)]
        self.exact = array("d", [source.choice((0.0, 1.0)) for _ in range(size)])
        self.f1 = array("d", [source.choice((0.0, 0.4, 2 / 3, 1.0)) for _ in range(size)])
        self.by_id = [
            dict(zip(self.ids, values, strict=True))
            for values in (self.predictions, self.chances, self.has_answer, self.exact, self.f1)
        ]

    def ours(self) -> Numbers:
        answered = list(map(bool, self.predictions))
        ranked = RankedQuestions(self.chances, self.has_answer, answered, range(len(self.ids)))
        areas = (ranked.curve(scores).average_precision for scores in (self.exact, self.f1, None))
        return (ranked.best_threshold(self.exact), ranked.best_threshold(self.f1), *areas)

    def plain(self) -> Numbers:
        predictions, chances, has_answer, exact, f1 = self.by_id
        oracle = {identifier: float(has) for identifier, has in has_answer.items()}
        areas = (average_precision(scores, chances, has_answer) for scores in (exact, f1, oracle))
        found = (best_threshold(predictions, scores, chances, has_answer) for scores in (exact, f1))
        return (*found, *areas)


def cases(settings: Settings) -> Iterator[Case]:
    for size in (12_000,) if settings.quick else (12_000, 1_000_000):
        questions = Questions(size)
        yield Case(
            "thresholds and precision-recall",
            "made",
            size,
            questions.ours,
            {"plain rules": questions.plain},
            wanted={"plain rules": 12},
            turns=3,
        )
