"""Qasper's rules: what a gold answer says, the overlap of evidence. Its normaliser is SQuAD's.

Two texts of which nothing is left share no token. Source: its evaluation script.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fullmarks.text.recipes import SQUAD, Recipe

RECIPE = Recipe("qasper", SQUAD.order)
RECIPES = {RECIPE.name: RECIPE}
TYPES = ("extractive", "abstractive", "boolean", "none")
FLOAT = "FLOAT SELECTED"
"""What marks evidence that is a figure or a table."""


def read_answer(answer: dict[str, Any]) -> tuple[str, str] | None:
    """The text of one annotator's answer and its type; None where it says nothing.

    >>> read_answer({"unanswerable": False, "extractive_spans": ["x", "y"], "free_form_answer": "z", "yes_no": None})
    ('x, y', 'extractive')
    """
    if answer["unanswerable"]:
        return "Unanswerable", "none"
    if answer["extractive_spans"]:
        return ", ".join(answer["extractive_spans"]), "extractive"
    if answer["free_form_answer"]:
        return answer["free_form_answer"], "abstractive"
    if answer["yes_no"] is None:
        return None
    return "Yes" if answer["yes_no"] else "No", "boolean"


def evidence_f1(predicted: Sequence[str], gold: Sequence[str], both_empty: float = 1.0) -> float:
    """F1 of two lists of paragraphs: common ones count once, precision and recall are of all, so repeats lower them.

    >>> evidence_f1(["e", "e"], ["e"]), evidence_f1([], []), evidence_f1(["e"], [])
    (0.6666666666666666, 1.0, 0.0)
    """
    if not predicted and not gold:
        return both_empty
    common = len(set(predicted) & set(gold))
    if not common:
        return 0.0
    precision, recall = common / len(predicted), common / len(gold)
    return 2 * precision * recall / (precision + recall)


def first_best(scores: Sequence[float]) -> int:
    """The place of the best score, of equal ones the first."""
    return max(range(len(scores)), key=scores.__getitem__)
