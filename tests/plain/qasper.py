"""Qasper's rule as its definition states it, answers by SQuAD's: slow, plain, the oracle of the fast path."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fullmarks.protocols.qasper.rules import evidence_f1
from fullmarks.text import squad_rule

TYPES = ("extractive", "abstractive", "boolean", "none")


def reference(answer: dict[str, Any]) -> tuple[str, list[str], str]:
    if answer["unanswerable"]:
        return "Unanswerable", [], "none"
    if answer["extractive_spans"]:
        return ", ".join(answer["extractive_spans"]), answer["evidence"], "extractive"
    if answer["free_form_answer"]:
        return answer["free_form_answer"], answer["evidence"], "abstractive"
    return ("Yes" if answer["yes_no"] else "No"), answer["evidence"], "boolean"


def answer_f1(prediction: str, gold: str) -> float:
    return squad_rule.judge_pair(prediction, gold, squad_rule.SQUAD1).f1


def mean(values: list[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total / len(values) if values else 0.0


def evaluate(
    gold: dict[str, Any], predictions: dict[str, dict[str, Any]], f1: Callable[[str, str], float] = answer_f1
) -> dict[str, Any]:
    """The result of a set; `f1` is that of an answer."""
    answers: list[float] = []
    evidence: list[float] = []
    by_type: dict[str, list[float]] = {kind: [] for kind in TYPES}
    missing = 0
    for paper in gold.values():
        for question in paper["qas"]:
            given = predictions.get(question["question_id"])
            if given is None:
                missing += 1
                answers.append(0.0)
                evidence.append(0.0)
                continue
            golds = [reference(each["answer"]) for each in question["answers"]]
            scores = [(f1(given["predicted_answer"], text), kind) for text, _, kind in golds]
            best, kind = sorted(scores, key=lambda pair: pair[0], reverse=True)[0]
            answers.append(best)
            by_type[kind].append(best)
            evidence.append(max(evidence_f1(given["predicted_evidence"], texts) for _, texts, _ in golds))
    return {
        "Answer F1": mean(answers),
        "Answer F1 by type": {kind: mean(values) for kind, values in by_type.items()},
        "Evidence F1": mean(evidence),
        "Missing predictions": missing,
    }
