"""HotpotQA's rules: SQuAD's normaliser, yes, no and noanswer sharing nothing with a longer answer; facts as sets.

`judge` says plainly what one question is worth; the metric does the same for all of them at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from fullmarks.metrics.joint import Scores
from fullmarks.text.recipes import SQUAD, Recipe
from fullmarks.text.sets import items_of, score_counts

RECIPE = Recipe("hotpotqa", SQUAD.order, whole_answers=("yes", "no", "noanswer"))
RECIPES = {RECIPE.name: RECIPE}


class Judgement(NamedTuple):
    """The scores of both parts; None where a part is missing."""

    answer: Scores | None
    facts: Scores | None


def judge(answer: str | None, gold: str, facts: list[Any] | None, gold_facts: list[Any]) -> Judgement:
    """What the answer and the supporting facts of one question are worth.

    Two answers of which nothing is left are equal but have F1 0; so have two empty sets of facts.
    """
    return Judgement(
        None if answer is None else judge_answer(answer, gold),
        None if facts is None else judge_facts(facts, gold_facts),
    )


def judge_answer(prediction: str, gold: str) -> Scores:
    """The overlap of two answers."""
    told = RECIPE.judge(prediction, [gold])
    return Scores(told.exact, told.f1, told.precision, told.recall)


def judge_facts(prediction: list[Any], gold: list[Any]) -> Scores:
    """The overlap of two sets of facts `[title, sentence]`, compared as they are: case matters, 1 equals 1.0."""
    found, wanted = items_of(prediction), items_of(gold)
    shared = sum(fact in wanted for fact in found)
    return Scores(*score_counts(shared, len(found), len(wanted), 0.0))


def is_fact(value: Any) -> bool:
    """Whether this can be compared: a list of texts and numbers."""
    return isinstance(value, (list, tuple)) and not any(isinstance(item, (list, dict)) for item in value)
