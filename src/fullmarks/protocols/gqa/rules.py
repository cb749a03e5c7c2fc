"""GQA's rules: steps and words of a question, what is valid, how consistent answers are, how far a distribution is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fullmarks.text.recipes import Recipe
from fullmarks.text.steps import LOWER, NO_ASCII_PUNCTUATION

COMMON = ("color", "material", "shape")
"""What may be answered where two things have something in common."""
_NO_STEPS = ("exist", "query: name", "choose name")
LMMS_EVAL = Recipe("gqa-lmms-eval", (LOWER, NO_ASCII_PUNCTUATION))
"""What lmms-eval compares."""
RECIPES = {LMMS_EVAL.name: LMMS_EVAL}


def is_open(structural: str) -> bool:
    """Whether a question of this structural type is open; all others are binary."""
    return structural == "query"


def count_steps(semantic: Iterable[Mapping[str, Any]]) -> int:
    """How many operations of a question are steps: those whose "operation: argument" names nothing and asks for none.

    >>> count_steps([{"operation": "verify rel", "argument": "coexist"}, {"operation": "choose", "argument": "name"}])
    1
    """
    told = (f"{item['operation']}: {item['argument']}" for item in semantic)
    return sum(not any(word in text for word in _NO_STEPS) for text in told)


def count_words(question: str) -> int:
    """How many words between blanks a question has."""
    return len(question.split())


def offered(listed: Sequence[str], detailed: str) -> Sequence[str]:
    """What may be answered: the list of the choices file, or three words where the detailed type has "Common"."""
    return COMMON if "Common" in detailed else listed


def share_right(verdicts: Sequence[bool]) -> float:
    """The share of the entailed questions that are answered rightly."""
    right = 0.0
    for verdict in verdicts:
        right += verdict
    return right / len(verdicts)


def distribution(groups: Sequence[str | None], golds: Sequence[str], predictions: Sequence[str]) -> float | None:
    """The chi-square of the predicted against the gold answers of every group, by the groups' sizes, over 100.

    Answers that the gold of a group has not are not counted; lower is better. None where no question has a group.
    """
    wanted: dict[str, Counter[str]] = {}
    given: dict[str, Counter[str]] = {}
    for group, gold, prediction in zip(groups, golds, predictions, strict=True):
        if group is not None:
            wanted.setdefault(group, Counter())[gold] += 1
            given.setdefault(group, Counter())[prediction] += 1
    return weighted_chi_square(wanted, given)


def weighted_chi_square(
    wanted: Mapping[str, Mapping[str, int]], given: Mapping[str, Mapping[str, int]]
) -> float | None:
    """The same from counts by group and answer."""
    total, questions = 0.0, 0
    for group, counts in wanted.items():
        far, size = 0.0, 0
        for answer, expected in counts.items():
            observed = given[group].get(answer, 0)
            far += float(observed - expected) ** 2 / expected
            size += expected
        total += far * size
        questions += size
    return total / questions / 100 if questions else None


def converted(prediction: str) -> str:
    """What LLaVA's converter makes of an answer: full stops at the end off, lower case.

    >>> converted("Yes..")
    'yes'
    """
    return prediction.rstrip(".").lower()
