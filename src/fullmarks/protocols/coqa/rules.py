"""CoQA's rule: SQuAD's normaliser, two texts of which nothing is left agreeing; each annotator left out in turn.

A person can only be judged by the other annotators. So that systems have no advantage, they too are judged by all but
one of them, once for each that is left out, and the mean counts: an answer that one of two annotators gave has 0.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fullmarks.metrics.answers import leave_one_out
from fullmarks.text.recipes import SQUAD, Recipe

RECIPE = Recipe("coqa", SQUAD.order, both_empty=1.0)
RECIPES = {RECIPE.name: RECIPE}

DOMAINS = {
    "mctest": "children_stories",
    "gutenberg": "literature",
    "race": "mid-high_school",
    "cnn": "news",
    "wikipedia": "wikipedia",
    "reddit": "reddit",
    "science": "science",
}
"""The official name of every source, in the official order; the last two are out of domain."""
OUT_OF_DOMAIN = ("reddit", "science")


@dataclass(frozen=True)
class Judgement:
    """The score of one turn, and what every annotator's answer gives alone."""

    em: float
    f1: float
    pairs: list[dict[str, Any]]


def judge(prediction: str, golds: Sequence[str]) -> Judgement:
    """An answer against all annotators, each left out in turn; no annotator gives 0.

    >>> judge("x", ["x", "y"]).em, judge("x", ["x"]).em, judge("x", ["x", "x", "y"]).em
    (0.5, 1.0, 1.0)
    """
    overlaps = RECIPE.judge(prediction, golds).overlaps
    exact, f1 = [overlap.exact for overlap in overlaps], [overlap.f1 for overlap in overlaps]
    table = [
        {
            "reference": overlap.reference,
            "normalised": overlap.normal,
            "exact": overlap.exact,
            "f1": overlap.f1,
            **_without(at, exact, f1),
        }
        for at, overlap in enumerate(overlaps)
    ]
    return Judgement(leave_one_out(exact), leave_one_out(f1), table) if golds else Judgement(0.0, 0.0, [])


def _without(at: int, exact: list[float], f1: list[float]) -> dict[str, float]:
    """The best scores once the annotator at that place is left out; of a single one nobody is."""
    if len(exact) == 1:
        return {"em without it": exact[0], "f1 without it": f1[0]}
    others = [place for place in range(len(exact)) if place != at]
    return {
        "em without it": max(exact[place] for place in others),
        "f1 without it": max(f1[place] for place in others),
    }


def judge_people(golds: Sequence[str]) -> Judgement:
    """Every annotator's answer against the others, the mean over them; fewer than two give 0.

    >>> judge_people(["x", "x", "y"]).em
    0.6666666666666666
    """
    if len(golds) < 2:
        return Judgement(0.0, 0.0, [])
    table, em, f1 = [], 0.0, 0.0
    for at, answer in enumerate(golds):
        told = RECIPE.judge(answer, [gold for place, gold in enumerate(golds) if place != at])
        em, f1 = em + told.exact, f1 + told.f1
        table.append({"answer": answer, "normalised": told.normal, "exact": told.exact, "f1": told.f1})
    return Judgement(em / len(golds), f1 / len(golds), table)


def different_golds(golds: Sequence[str]) -> list[str]:
    """lm-evaluation-harness: of answers that are equal up to case only the first.

    >>> different_golds(["x", "X", "y"])
    ['x', 'y']
    """
    kept: dict[str, str] = {}
    for gold in golds:
        kept.setdefault(gold.lower(), gold)
    return list(kept.values())


def first_line(prediction: str) -> str:
    """lm-evaluation-harness: the first line of the text without white space around it."""
    return prediction.strip().split("\n")[0]
