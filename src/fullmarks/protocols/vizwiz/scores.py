"""VizWiz's accuracy and unanswerability as one metric: of every example both, as far as its prediction has them."""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.metrics.metric import Metric
from fullmarks.metrics.votes import Votes
from fullmarks.protocols.vizwiz.files import ANSWERABLE
from fullmarks.protocols.vizwiz.rules import AS_FOUND, RECIPE, average_precision, f1_score, is_called_unanswerable
from fullmarks.types import Example, Examples, Explanation, Total


@dataclass(frozen=True)
class VizwizScores(Metric):
    """Accuracy of the answers, F1 of the class of unanswerable questions; NaN where no prediction has that part."""

    name: ClassVar[str] = "vizwiz"
    summary: ClassVar[str] = "VizWiz: agreement with annotators, and F1 of unanswerable questions"
    citation: ClassVar[str] = (
        "Gurari et al.: VizWiz Grand Challenge: Answering Visual Questions from Blind People, CVPR 2018"
    )
    is_mean: ClassVar[bool] = False

    recipe: str = RECIPE.name
    rule: str = AS_FOUND

    @property
    def columns(self) -> tuple[str, ...]:
        """Accuracy and whether there is an answer; whether the other part is there, truth, belief, and the counts."""
        return ("accuracy", "answered", "judged", "unanswerable", "chance", "right", "wrong", "missed")

    @property
    def scores(self) -> tuple[str, ...]:
        """The two scores that are made of sums."""
        return ("accuracy", "f1_score")

    @property
    def votes(self) -> Votes:
        """The rule for the answers."""
        return Votes(self.recipe, self.rule, "prediction")

    def rows(self, examples: Examples) -> array[float]:
        """Both parts of every example."""
        width, n = len(self.columns), len(examples)
        rows = array("d", bytes(8 * width * n))
        rows[0::width] = self.votes.rows(examples)
        answers = examples.parts.get("answer")
        rows[1::width] = array("d", [1.0] * n if answers is None else [float(text is not None) for text in answers])
        truths = examples.facts.get(ANSWERABLE) or [None] * n
        beliefs = examples.parts.get(ANSWERABLE) or [None] * n
        for position, (truth, belief) in enumerate(zip(truths, beliefs, strict=True)):
            if truth is not None and belief is not None:
                rows[width * position + 2 : width * (position + 1)] = array("d", _judged(truth, belief))
        return rows

    def finish(self, total: Total) -> dict[str, float]:
        """Mean accuracy and F1; 0.0 without examples."""
        if not total.n:
            return dict.fromkeys(self.scores, 0.0)
        accuracy, answered, judged, _, _, *counts = total.sums
        return {
            "accuracy": accuracy / total.n if answered else math.nan,
            "f1_score": f1_score(*counts) if judged else math.nan,
        }

    def scores_alone(self, rows: array[float]) -> dict[str, list[float]]:
        """Of one example: the accuracy, and whether it is told rightly if it can be answered."""
        width = len(self.columns)
        told = zip(rows[2::width], rows[6::width], rows[7::width], strict=True)
        return {
            "accuracy": [score if has else math.nan for score, has in zip(rows[0::width], rows[1::width], strict=True)],
            "f1_score": [1.0 - wrong - missed if judged else math.nan for judged, wrong, missed in told],
        }

    def per_example(self, rows: array[float]) -> dict[str, list[Any]]:
        """The accuracy, and whether the question was rightly told answerable or not, where a prediction says it."""
        alone = self.scores_alone(rows)
        names = {"accuracy": "accuracy", "f1_score": "answerability_right"}
        return {
            names[score]: [None if math.isnan(value) else value for value in values] for score, values in alone.items()
        }

    def average_precision(self, rows: array[float]) -> float:
        """The published one, from the rows of all examples that have the part."""
        width = len(self.columns)
        judged = [at for at, value in enumerate(rows[2::width]) if value]
        truths, chances = rows[3::width], rows[4::width]
        return average_precision([truths[at] == 1.0 for at in judged], [chances[at] for at in judged])

    def explain(self, example: Example) -> Explanation:
        """Every annotator's vote, and what was said about whether the question can be answered."""
        told = self.votes.explain(example)
        truth, belief = example.facts.get(ANSWERABLE), example.parts.get(ANSWERABLE)
        if truth is not None and belief is not None:
            told.facts["answerable in the gold"] = truth
            told.facts["answerable as predicted"] = belief
            told.facts["taken for unanswerable"] = is_called_unanswerable(belief)
            told.scores["answerability_right"] = float(is_called_unanswerable(belief) == (not truth))
        return told


def _judged(truth: float, belief: float) -> tuple[float, ...]:
    """That the part is there, whether it is unanswerable, the chance for it, right, wrong, missed."""
    is_unanswerable, is_called = not truth, is_called_unanswerable(belief)
    counts = (is_called and is_unanswerable, is_called and not is_unanswerable, is_unanswerable and not is_called)
    return (1.0, float(is_unanswerable), 1 - belief, *map(float, counts))
