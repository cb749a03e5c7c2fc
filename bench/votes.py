"""Votes of annotators as four benchmarks count them, against each rule written out plainly, on 10,000 questions.

The plain rules do what the published programs do: every answer is normalised where it stands, and for every annotator
the others are gathered anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import official_vqa
from case import Case, Settings
from data import make_vqa
from fullmarks.metrics.votes import Votes
from fullmarks.types import Examples

SIZE = 10_000
Rule = Callable[[str, list[str]], float]


def evalai(text: str) -> str:
    opened = text.lower().replace(",", "").replace("?", "").replace("'s", " 's").strip()
    return official_vqa.plain_words(official_vqa.without_punctuation(official_vqa.trimmed(opened)))


def mean(values: list[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


def textvqa(prediction: str, golds: list[str]) -> float:
    """The score of every different gold answer, then that of the prediction among them."""
    given = [(place, evalai(gold)) for place, gold in enumerate(golds)]
    scores: dict[str, float] = {}
    for answer in {gold for _, gold in given}:
        votes = []
        for one in given:
            others = [other for other in given if other != one]
            votes.append(min(1.0, float(len([other for other in others if other[1] == answer])) / 3))
        scores[answer] = mean(votes)
    return scores.get(evalai(prediction), 0.0)


def lmms_eval(prediction: str, golds: list[str]) -> float:
    """Prediction and golds normalised, then each gold's others."""
    answer, given = evalai(prediction), [evalai(gold) for gold in golds]
    votes = []
    for one in range(len(given)):
        others = [gold for place, gold in enumerate(given) if place != one]
        votes.append(min(1.0, float(len([gold for gold in others if gold == answer])) / 3))
    return mean(votes)


def vizwiz(prediction: str, golds: list[str]) -> float:
    """The prediction normalised; for each gold all golds, for none is left out."""
    answer = official_vqa.plain_words(official_vqa.without_punctuation(official_vqa.trimmed(prediction)))
    return mean([min(1.0, float(len([gold for gold in list(golds) if gold == answer])) / 3) for _ in golds])


def aokvqa(prediction: str, golds: list[str]) -> float:
    return min(1.0, sum([prediction == gold for gold in golds]) / 3.0)


RULES: dict[str, tuple[Votes, Rule, float | None]] = {
    "TextVQA": (Votes(recipe="evalai"), textvqa, 40),
    "lmms-eval (OK-VQA, VizWiz)": (Votes(recipe="evalai"), lmms_eval, 40),
    "VizWiz, VQA's contractions": (Votes(recipe="vqa", rule="all-in-turn", normalised="prediction"), vizwiz, 40),
    "A-OKVQA, direct answers": (Votes(rule="all"), aokvqa, None),
}
"""The promise is for the rules that normalise; where the plain rule is only a count, little is left to win."""


def cases(settings: Settings) -> Iterator[Case]:
    del settings
    annotations, results = make_vqa(SIZE)
    predictions = [result["answer"] for result in results]
    golds = [[given["answer"] for given in annotation["answers"]] for annotation in annotations]
    for name, (metric, rule, wanted) in RULES.items():
        yield Case(
            "votes of annotators",
            name,
            SIZE,
            lambda metric=metric: metric.rows(Examples(range(SIZE), predictions, golds)).tolist(),
            {"plain rules": lambda rule=rule: [rule(*pair) for pair in zip(predictions, golds, strict=True)]},
            wanted={"plain rules": wanted} if wanted else {},
            rounds=5,
            turns=3,
        )
