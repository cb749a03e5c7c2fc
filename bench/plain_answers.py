"""Answer scores as the published programs compute them: what the recipes are measured against.

Every text is normalised again for each number, and SQuAD's normaliser makes its own tables in each call.
"""

from __future__ import annotations

from collections import Counter

import plain_recipes

from fullmarks.text.squad_rule import normal_form
from official_squad2 import normalize_answer

RULES = {name: normalize_answer if rule is normal_form else rule for name, rule in plain_recipes.RULES.items()}

Scores = tuple[float, float, float, float]


def scores(name: str, prediction: str, gold: str) -> Scores:
    """Exact match, F1, precision and recall of one answer against one gold."""
    rule = RULES[name]
    exact = float(rule(prediction) == rule(gold))
    return (exact, *overlap(name, rule(prediction), rule(gold)))


def overlap(name: str, prediction: str, gold: str) -> tuple[float, float, float]:
    """F1, precision and recall of two normal forms."""
    whole = plain_recipes.WHOLE_ANSWERS.get(name, ())
    if (prediction in whole or gold in whole) and prediction != gold:
        return 0.0, 0.0, 0.0
    prediction_tokens, gold_tokens = prediction.split(), gold.split()
    if not prediction_tokens and not gold_tokens:
        return (plain_recipes.BOTH_EMPTY.get(name, 0.0),) * 3
    common = Counter(prediction_tokens) & Counter(gold_tokens)
    same = sum(common.values())
    if same == 0:
        return 0.0, 0.0, 0.0
    precision = 1.0 * same / len(prediction_tokens)
    recall = 1.0 * same / len(gold_tokens)
    return (2 * precision * recall) / (precision + recall), precision, recall


def best(name: str, prediction: str, golds: list[str]) -> Scores:
    """Each number the best over the golds; 0 throughout without golds."""
    found = [scores(name, prediction, gold) for gold in golds]
    return tuple(max(column) for column in zip(*found, strict=True)) if found else (0.0,) * 4  # type: ignore[return-value]
