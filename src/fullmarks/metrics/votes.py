"""Votes: an answer is right to the degree that annotators gave it, however many there are.

The rule stands in `judge_votes`, which sets down every vote; `Votes.rows` gives the same numbers to the last digit,
each distinct text being normalised once.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec import Struct

from fullmarks.metrics.metric import Metric
from fullmarks.options import limited
from fullmarks.text.kernel import vote_rows
from fullmarks.types import Example, Examples, Explanation

if TYPE_CHECKING:
    from fullmarks.text.recipes import Recipe

NO_RECIPE = "none"
RULES = ("leave-one-out", "all", "all-in-turn")
NORMALISED = ("both", "prediction")


class Judged(Struct, frozen=True):
    """What one answer scores, and the votes behind it."""

    score: float
    answer: str
    """The prediction as it is compared."""
    votes: list[dict[str, Any]]
    """Of every annotator: the answer, how it is compared, whether it agrees; and the vote, where each has one."""


def judge_votes(
    answer: str, given: Sequence[str], rule: str = "leave-one-out", divisor: float = 3.0, cap: float = 1.0
) -> Judged:
    """One answer against those of the annotators, all as they are compared; without annotators 0.0.

    Each annotator in turn has a vote of min(cap, number of others who gave the answer / divisor), and the score is
    their mean, added in order. By the rule "all-in-turn" the annotator in turn is one of the others; by the rule "all"
    there is one vote, of all who gave the answer.
    """
    agrees = [gold == answer for gold in given]
    told: list[dict[str, Any]] = [
        {"compared as": gold, "agrees": same} for gold, same in zip(given, agrees, strict=True)
    ]
    if not given:
        return Judged(0.0, answer, told)
    if rule == "all":
        return Judged(min(cap, agrees.count(True) / divisor), answer, told)
    total = 0.0
    for same, vote in zip(agrees, told, strict=True):
        others = agrees.count(True) - (same and rule == "leave-one-out")
        total += min(cap, others / divisor)
        vote.update({"others agreeing": others, "vote": min(cap, others / divisor)})
    return Judged(total / len(given), answer, told)


@dataclass(frozen=True)
class Votes(Metric):
    """For each annotator, min(1, other annotators with this answer / 3); the mean over annotators.

    `recipe` normalises the prediction and, unless `normalised` says otherwise, the annotators' answers. With the rule
    "all" nobody is left out, and all who gave the answer make one vote. Source: VQA (Antol et al.).
    """

    name: ClassVar[str] = "votes"
    summary: ClassVar[str] = "agreement with any number of annotators: min(1, those with this answer / 3)"
    citation: ClassVar[str] = "Antol et al.: VQA: Visual Question Answering, ICCV 2015"
    fewest_references: ClassVar[int] = 1

    recipe: str | Recipe = NO_RECIPE
    rule: str = limited("leave-one-out", choices=RULES)
    normalised: str = limited("both", choices=NORMALISED)
    divisor: float = limited(3.0, least=1e-6)
    cap: float = limited(1.0, least=0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.normaliser()

    @property
    def columns(self) -> tuple[str, ...]:
        """The score, 0-1 unless the cap is another."""
        return ("accuracy",)

    def normaliser(self) -> Callable[[str], str]:
        """What makes texts comparable: the recipe, or nothing."""
        if self.recipe == NO_RECIPE:
            return str
        from fullmarks.text.recipes import find_recipe

        return find_recipe(self.recipe)

    def rows(self, examples: Examples) -> array[float]:
        """The score of every example."""
        return vote_rows(
            examples.predictions,
            examples.references,
            form=self._form(),
            normalised=self.normalised,
            rule=self.rule,
            divisor=self.divisor,
            cap=self.cap,
        )

    def _form(self) -> Callable[[str], str] | None:
        """What the kernel normalises with; None where texts are compared as they stand."""
        if self.recipe == NO_RECIPE:
            return None
        from fullmarks.text.recipes import find_recipe

        return find_recipe(self.recipe).form()

    def judge(self, answer: str, given: Sequence[str]) -> Judged:
        """One answer, by the rule itself; texts as they are compared."""
        return judge_votes(answer, given, self.rule, self.divisor, self.cap)

    def explain(self, example: Example) -> Explanation:
        """The steps of the normaliser, and every annotator's vote."""
        normal = self.normaliser()
        golds = example.references
        given = [normal(gold) for gold in golds] if self.normalised == "both" else list(golds)
        judged = self.judge(normal(example.prediction), given)
        facts = {"prediction": example.prediction, "compared as": judged.answer}
        tables = {
            "annotators": [
                {"annotator": number, "answer": gold, **vote}
                for number, (gold, vote) in enumerate(zip(golds, judged.votes, strict=True), start=1)
            ]
        }
        if self.recipe != NO_RECIPE:
            from fullmarks.metrics.overlap_explanation import step_table
            from fullmarks.text.recipes import find_recipe

            recipe = find_recipe(self.recipe)
            facts["recipe"] = recipe.name
            tables = {"steps": step_table(example.prediction, recipe), **tables}
        return Explanation(example.id, {self.scores[0]: judged.score}, facts, tables)

    def signature_parts(self) -> dict[str, str]:
        """Every option; the recipe by its name, where there is one."""
        from fullmarks.metrics.answers import recipe_part

        parts = super().signature_parts()
        if self.recipe == NO_RECIPE:
            del parts["recipe"]
            return parts
        return recipe_part(self.recipe, parts)
