"""A-OKVQA's two settings as one metric: of every example both, as far as its prediction and its question have them."""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.metrics.metric import Metric, only
from fullmarks.metrics.votes import Votes
from fullmarks.protocols.aokvqa.files import ASKED, CHOICE, CHOICES, DIRECT_ANSWER, RIGHT
from fullmarks.protocols.aokvqa.rules import choice_score, judge
from fullmarks.types import Example, Examples, Explanation, Total


@dataclass(frozen=True)
class AokvqaScores(Metric):
    """Multiple choice over all questions, direct answers over those not difficult; NaN where no prediction has one."""

    name: ClassVar[str] = "aokvqa"
    summary: ClassVar[str] = "A-OKVQA: right choices, and agreement of direct answers with ten annotators"
    citation: ClassVar[str] = (
        "Schwenk et al.: A-OKVQA: A Benchmark for Visual Question Answering using World Knowledge, ECCV 2022"
    )
    is_mean: ClassVar[bool] = False

    recipe: str = "none"
    rule: str = "all"

    @property
    def votes(self) -> Votes:
        """The rule for direct answers."""
        return Votes(self.recipe, self.rule)

    @property
    def columns(self) -> tuple[str, ...]:
        """Of both settings the score and whether the prediction has one; whether a direct answer is asked for."""
        return ("choice", "choice_given", "direct", "direct_given", "direct_asked")

    @property
    def scores(self) -> tuple[str, ...]:
        """The official names."""
        return ("MC", "DA")

    def rows(self, examples: Examples) -> array[float]:
        """Both settings of every example."""
        n, width = len(examples), len(self.columns)
        absent: list[Any] = [None] * n
        choices = examples.parts.get(CHOICE, absent)
        answers = examples.parts.get(DIRECT_ANSWER, examples.predictions)
        asked = examples.facts.get(ASKED, [True] * n)
        rights = examples.facts.get(RIGHT, absent)
        rows = array("d", bytes(8 * width * n))
        rows[0::width] = array("d", [choice_score(*pair) for pair in zip(choices, rights, strict=True)])
        rows[1::width] = array("d", [choice is not None for choice in choices])
        votes = zip(self.votes.rows(examples), answers, asked, strict=True)
        rows[2::width] = array("d", [vote if answer is not None and has else 0.0 for vote, answer, has in votes])
        rows[3::width] = array("d", [answer is not None for answer in answers])
        rows[4::width] = array("d", asked)
        return rows

    def unanswered_row(self, row: array[float]) -> array[float]:
        """Nothing was given; a direct answer may have been asked for."""
        return only(("direct_asked",), self.columns, row)

    def finish(self, total: Total) -> dict[str, float]:
        """The means of both settings; 0.0 without examples."""
        if not total.n:
            return dict.fromkeys(self.scores, 0.0)
        choice, choice_given, direct, direct_given, asked = total.sums
        return {
            "MC": choice / total.n if choice_given else math.nan,
            "DA": direct / asked if direct_given and asked else math.nan,
        }

    def scores_alone(self, rows: array[float]) -> dict[str, list[float]]:
        """Of one example both scores; no direct one where none is asked for."""
        width = len(self.columns)
        direct = zip(rows[2::width], rows[4::width], strict=True)
        return {"MC": rows[0::width].tolist(), "DA": [score if asked else math.nan for score, asked in direct]}

    def per_example(self, rows: array[float]) -> dict[str, list[Any]]:
        """The same, with None for what is not asked for."""
        alone = self.scores_alone(rows)
        return {**alone, "DA": [None if math.isnan(score) else score for score in alone["DA"]]}

    def explain(self, example: Example) -> Explanation:
        """The right choice beside the one taken, and every annotator's answer."""
        choice, right = example.parts.get(CHOICE), example.facts.get(RIGHT)
        asked = example.facts.get(ASKED, True)
        facts: dict[str, Any] = {"prediction": example.prediction, "direct answer asked for": "yes" if asked else "no"}
        scores: dict[str, float] = {}
        if right is not None:
            among = choice in example.facts.get(CHOICES, ())
            facts.update({"choice": choice, "right choice": right, "one of the choices": "yes" if among else "no"})
            scores["MC"] = choice_score(choice, right)
        judged = judge(example.prediction, example.references)
        if asked:
            scores["DA"] = judged.score if example.parts.get(DIRECT_ANSWER, "") is not None else 0.0
        agreeing = sum(vote["agrees"] for vote in judged.votes)
        facts["annotators agreeing"] = agreeing
        table = [{"annotator": number, **vote} for number, vote in enumerate(judged.votes, start=1)]
        return Explanation(example.id, scores, facts, {"annotators": table})
