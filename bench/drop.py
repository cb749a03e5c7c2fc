"""DROP: lists of spans aligned one to one, whole sets of 10,000 questions against the rule written out plainly."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import plain_drop_rules

import fullmarks
from case import Case, Settings
from data import LATIN
from fullmarks.types import Examples

SIZE = 10_000
NO_DATE = {"day": "", "month": "", "year": ""}


def make_drop(count: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Gold and predictions: three in five answers numbers, one in ten several spans; two validated answers each, of
    which one is mostly the same and sometimes of another type, as annotators give them.
    """
    source = random.Random(13)
    words = ["".join(source.choices(LATIN, k=source.randint(2, 9))).capitalize() for _ in range(5_000)]

    def span() -> str:
        return " ".join(source.choices(words, k=source.choice((1, 2, 2, 3))))

    gold: dict[str, Any] = {}
    given: dict[str, Any] = {}
    for number in range(count):
        kind = source.random()
        answer: dict[str, Any] = {"number": "", "spans": [], "date": NO_DATE}
        if kind < 0.6:
            answer["number"] = str(source.randrange(2_000))
        elif kind < 0.9:
            answer["spans"] = [span()]
        else:
            answer["spans"] = [span() for _ in range(source.randint(2, 4))]
        other = {**answer, "number": "", "spans": [f"{answer['number'] or span()} {source.choice(words)}"]}
        if answer["number"] and source.random() < 0.8:
            other = {**answer, "number": str(source.randrange(2_000))}
        pair = {"query_id": f"q{number}", "answer": answer, "validated_answers": [answer, other]}
        gold.setdefault(f"p{number // 16}", {"passage": "", "qa_pairs": []})["qa_pairs"].append(pair)
        right = [answer["number"]] if answer["number"] else answer["spans"]
        guess = [source.choice((text, text, f"the {text}", span())) for text in right[:: source.choice((1, -1))]]
        given[f"q{number}"] = guess[0] if len(guess) == 1 else guess
    return gold, given


def plain(predictions: list[Any], references: list[list[list[str]]]) -> list[float]:
    """The best F1 of every question by the plain rule."""
    pairs = zip(predictions, references, strict=True)
    return [max(plain_drop_rules.get_metrics(given, gold)[1] for gold in golds) for given, golds in pairs]


def ours(predictions: list[Any], references: list[list[list[str]]]) -> list[float]:
    """The same by the metric."""
    return fullmarks.load("drop").metric.rows(Examples(range(SIZE), predictions, references))[1::2].tolist()


def cases(settings: Settings) -> Iterator[Case]:
    gold, given = make_drop(SIZE)
    questions = [pair for passage in gold.values() for pair in passage["qa_pairs"]]
    predictions = [given[pair["query_id"]] for pair in questions]
    references = [
        [plain_drop_rules.answer_spans(answer)[0] for answer in [pair["answer"], *pair["validated_answers"]]]
        for pair in questions
    ]
    rounds = 2 if settings.quick else 3
    yield Case(
        "DROP: the rule",
        "made",
        SIZE,
        lambda: ours(predictions, references),
        {"plain rules": lambda: plain(predictions, references)},
        wanted={"plain rules": 10},
        rounds=rounds,
    )
    yield Case(
        "DROP: whole sets, reading and types included",
        "made",
        SIZE,
        lambda: fullmarks.score("drop", gold, given).official,
        {"plain rules": lambda: plain_drop_rules.evaluate(gold, given)[0]},
        rounds=rounds,
    )
