"""MuSiQue's rules: SQuAD's normaliser, two answers of which nothing is left agreeing; supporting paragraphs as sets.

`judge` says plainly what one answerable question is worth. A question and its twin without an answer count together
only where the model says of both, in the order of the file, whether they have one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from fullmarks.text.recipes import SQUAD, Recipe
from fullmarks.text.sets import items_of, score_counts

RECIPE = Recipe("musique", SQUAD.order, both_empty=1.0)
RECIPES = {RECIPE.name: RECIPE}
BOTH_EMPTY = 1.0
"""The F1 of two empty sets of paragraphs."""


class Judgement(NamedTuple):
    """The scores of an answerable question; those of its pair are 0 where the twins were not told apart."""

    exact: float
    f1: float
    support_f1: float
    pair_answer_f1: float
    pair_support_f1: float


def judge(
    answer: str, golds: Sequence[str], support: Sequence[int], gold_support: Sequence[int], *, is_pair_right: bool
) -> Judgement:
    """Answer and paragraphs of one answerable question, exact match and F1 each the best over the golds."""
    told = RECIPE.judge(answer, golds)
    predicted, wanted = items_of(support), items_of(gold_support)
    shared = sum(paragraph in wanted for paragraph in predicted)
    support_f1 = score_counts(shared, len(predicted), len(wanted), BOTH_EMPTY)[1]
    pair = (told.f1, support_f1) if is_pair_right else (0.0, 0.0)
    return Judgement(told.exact, told.f1, support_f1, *pair)


def is_told_apart(answerability: Sequence[Sequence[Any]]) -> bool:
    """Whether what was predicted of both twins is what the gold says: 1 and 0 will do, texts will not."""
    golds, predicted = answerability
    return list(golds) == list(predicted)


def paragraph_numbers(values: Iterable[Any]) -> list[int]:
    """The paragraphs as whole numbers, as `int` reads them; ValueError where it cannot.

    >>> paragraph_numbers(["0", 1.0, True]), paragraph_numbers("12")
    ([0, 1, 1], [1, 2])
    """
    try:
        return [int(value) for value in values]
    except (TypeError, OverflowError) as error:
        raise ValueError(str(error)) from error
