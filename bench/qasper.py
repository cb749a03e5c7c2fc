"""Qasper: answers and evidence of 10,000 questions against the rule written out plainly."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import plain_qasper_rules

import fullmarks
import plain_answers
from case import Case, Settings
from data import LATIN
from fullmarks.types import Examples

SIZE = 10_000
NOTHING = {"unanswerable": False, "extractive_spans": [], "free_form_answer": "", "yes_no": None, "evidence": []}


def make_qasper(count: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Gold and predictions: half of the answers spans, a quarter free texts of a sentence; two or three annotators."""
    source = random.Random(17)
    words = ["".join(source.choices(LATIN, k=source.randint(2, 10))) for _ in range(5_000)] + ["the", "a", "of"] * 60

    def text(fewest: int, most: int) -> str:
        return " ".join(source.choices(words, k=source.randint(fewest, most))).capitalize()

    gold: dict[str, Any] = {}
    given = []
    for number in range(count):
        paragraphs = [text(30, 60) for _ in range(4)]
        answers = []
        for _ in range(source.choice((2, 2, 3))):
            evidence = source.sample(paragraphs, source.randint(1, 3))
            kind = source.random()
            if kind < 0.5:
                spans = [text(2, 8) for _ in range(source.choice((1, 1, 2, 3)))]
                answers.append({**NOTHING, "extractive_spans": spans, "evidence": evidence})
            elif kind < 0.75:
                answers.append({**NOTHING, "free_form_answer": text(8, 25), "evidence": evidence})
            elif kind < 0.9:
                answers.append({**NOTHING, "yes_no": source.random() < 0.5, "evidence": evidence})
            else:
                answers.append({**NOTHING, "unanswerable": True})
        question = {"question_id": f"q{number}", "answers": [{"answer": answer} for answer in answers]}
        gold.setdefault(f"p{number // 3}", {"qas": []})["qas"].append(question)
        right = plain_qasper_rules.reference(source.choice(answers))[0]
        guess = source.choice((right, f"the {right}", f"{right} {text(1, 5)}", text(3, 12)))
        evidence = source.sample(paragraphs, source.randint(0, 3))
        given.append({"question_id": f"q{number}", "predicted_answer": guess, "predicted_evidence": evidence})
    return gold, given


def answer_f1(prediction: str, gold: str) -> float:
    normal = plain_answers.normalize_answer
    return plain_answers.overlap("qasper", normal(prediction), normal(gold))[0]


def plain(predictions: list[str], references: list[list[str]]) -> list[float]:
    """The best F1 of every answer by the plain rule."""
    pairs = zip(predictions, references, strict=True)
    return [max(answer_f1(given, gold) for gold in golds) for given, golds in pairs]


def by_id(given: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {each["question_id"]: each for each in given}


def cases(settings: Settings) -> Iterator[Case]:
    gold, given = make_qasper(SIZE)
    questions = [question for paper in gold.values() for question in paper["qas"]]
    predictions = [each["predicted_answer"] for each in given]
    references = [
        [plain_qasper_rules.reference(each["answer"])[0] for each in question["answers"]] for question in questions
    ]
    rounds = 2 if settings.quick else 3
    metric = fullmarks.load("token_f1", recipe="qasper").metric
    yield Case(
        "Qasper: answers",
        "made",
        SIZE,
        lambda: metric.rows(Examples(range(SIZE), predictions, references)).tolist(),
        {"plain rules": lambda: plain(predictions, references)},
        wanted={"plain rules": 30},
        rounds=rounds,
        turns=3,
    )
    yield Case(
        "Qasper: whole sets, reading, types and evidence included",
        "made",
        SIZE,
        lambda: fullmarks.score("qasper", gold, given).official,
        {"plain rules": lambda: plain_qasper_rules.evaluate(gold, by_id(given), answer_f1)},
        rounds=rounds,
    )
