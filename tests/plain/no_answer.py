"""SQuAD 2.0's analysis of no-answer probabilities as its definition states it: the oracle of the fast one."""

from __future__ import annotations

Scores = dict[str, float]


def best_threshold(
    predictions: dict[str, str], scores: Scores, chances: Scores, has_answer: dict[str, bool]
) -> tuple[float, float]:
    """Start with every question without answer right; take up questions by rising probability."""
    current = float(sum(not answerable for answerable in has_answer.values()))
    best, threshold = current, 0.0
    for identifier in sorted(chances, key=chances.__getitem__):
        if has_answer[identifier]:
            current += scores[identifier]
        elif predictions[identifier]:
            current -= 1.0
        if current > best:
            best, threshold = current, chances[identifier]
    return 100.0 * best / len(scores), threshold


def average_precision(scores: Scores, chances: Scores, has_answer: dict[str, bool]) -> float:
    """Precision times gained recall, at points where the next probability differs."""
    ranked = sorted(chances, key=chances.__getitem__)
    answerable = float(sum(has_answer.values()))
    gained = area = last_recall = 0.0
    for number, identifier in enumerate(ranked, start=1):
        if has_answer[identifier]:
            gained += scores[identifier]
        if number == len(ranked) or chances[identifier] != chances[ranked[number]]:
            area += gained / float(number) * (gained / answerable - last_recall)
            last_recall = gained / answerable
    return area
