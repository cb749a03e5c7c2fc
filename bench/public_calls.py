"""What a caller has in hand: texts already in lists and objects, scored by the calls that the documentation shows."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator
from typing import Any

import fullmarks
import official_squad2
import plain_rules
from case import Case, Settings
from data import Examples, read_squad, squad_files

MANY = 2_000


def plain_each(examples: Examples, rule: Any) -> list[tuple[float, float]]:
    return [rule(prediction, golds) for prediction, golds in zip(*examples, strict=True)]


def plain_f1(prediction: str, golds: list[str]) -> float:
    return max((plain_rules.token_f1(prediction, gold, 1.0) for gold in golds), default=0.0)


def plain_exact(prediction: str, golds: list[str]) -> float:
    return max((plain_rules.exact_match(prediction, gold) for gold in golds), default=0.0)


def both(scores: list[tuple[float, float]]) -> dict[str, list[float]]:
    return {"exact": [exact for exact, _ in scores], "f1": [f1 for _, f1 in scores]}


def means(scores: list[tuple[float, float]]) -> dict[str, float]:
    return {
        name: official_squad2.left_fold(values) / len(values) for name, values in both(scores).items()
    }


def added(examples: Examples) -> dict[str, Any]:
    scorer = fullmarks.load("squad")
    scorer.add_batch(predictions=examples[0], references=examples[1])
    return scorer.compute()


def lists(name: str, examples: Examples) -> Iterator[Case]:
    """Loaded metrics over lists."""
    predictions, references = examples
    size = len(predictions)
    given = {"predictions": predictions, "references": references}
    theirs = lambda: plain_each(examples, plain_rules.squad2_scores)  # noqa: E731

    def case(subject: str, ours: Any, plain: Any, wanted: float) -> Case:
        return Case(subject, name, size, ours, {"plain rules": plain}, wanted={"plain rules": wanted}, turns=7)

    yield case(
        'load("squad").each_score', lambda: fullmarks.load("squad").each_score(**given), lambda: both(theirs()), 250
    )
    yield case('load("squad").compute', lambda: fullmarks.load("squad").compute(**given), lambda: means(theirs()), 250)
    yield case('load("squad").add_batch', lambda: added(examples), lambda: means(theirs()), 250)
