"""Votes: an answer is right to the degree that annotators gave it, however many there are.

The rule stands in `judge_votes`, which sets down every vote; `Votes.rows` gives the same numbers to the last digit,
each distinct text being normalised once and each pattern of votes judged once.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec import Struct

from fullmarks.metrics.metric import Metric
from fullmarks.options import limited
from fullmarks.text.memo import Memo
from fullmarks.types import Example, Examples, Explanation

if TYPE_CHECKING:
    from fullmarks.text.recipes import Recipe

NO_RECIPE = "none"
RULES = ("leave-one-out", "all", "all-in-turn")
NORMALISED = ("both", "prediction")
MOST_COUNTED = 32
"""Up to so many annotators the score of every number who agree is judged beforehand."""


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
        form, gold_form = self._forms()
        most_golds = max(map(len, examples.references), default=0)
        if gold_form is None and self.rule != "leave-one-out" and most_golds <= MOST_COUNTED:
            return self._counted_rows(examples, form)
        by_pattern: dict[tuple[int, ...], float] = {}
        scores = array("d", bytes(8 * len(examples)))
        most = self._fewest_for_all
        in_order = self.rule == "leave-one-out"  # then the order of additions shows in the last digit
        for position, (prediction, golds) in enumerate(zip(examples.predictions, examples.references, strict=True)):
            answer = form(prediction)
            given = golds if gold_form is None else [*map(gold_form, golds)]
            agreeing = given.count(answer)
            if agreeing >= most:
                scores[position] = 1.0
            elif agreeing:
                pattern = tuple([gold == answer for gold in given]) if in_order else (agreeing, len(given))
                score = by_pattern.get(pattern)
                if score is None:
                    score = by_pattern[pattern] = self.judge(answer, given).score
                scores[position] = score
        return scores

    def _counted_rows(self, examples: Examples, form: Callable[[str], str]) -> array[float]:
        """The same where golds stay as they are and nobody is left out: only the number who agree decides."""
        answers = map(form, examples.predictions)
        scores = {
            given: [
                self.judge("a", ["a"] * agreeing + ["b"] * (given - agreeing)).score for agreeing in range(given + 1)
            ]
            for given in set(map(len, examples.references))
        }
        pairs = zip(examples.references, answers, strict=True)
        return array("d", [scores[len(golds)][golds.count(answer)] for golds, answer in pairs])

    def _forms(self) -> tuple[Callable[[str], str], Callable[[str], str] | None]:
        """What is done to a prediction and to an annotator's answer, fast; None where that is nothing."""
        if self.recipe == NO_RECIPE:
            return str, None
        form = Memo(self.normaliser()).__getitem__
        return form, form if self.normalised == "both" else None

    @property
    def _fewest_for_all(self) -> float:
        """How many must give an answer so that every vote is a full one."""
        return self.divisor + 1 if self.cap == 1.0 else float("inf")

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
