"""The SQuAD 2.0 evaluation as one plain program: what the whole command is measured against.

    python bench/official_squad2.py dev-v2.0.json predictions.json

Written from the published definition and sharing nothing with the package: every text is normalised wherever a score
needs it, every call makes its own tables, scores are kept in dictionaries by id. The published program imports NumPy at
its start, for the histograms that it can draw; `--import-numpy` does so too.
"""

from __future__ import annotations

import argparse
import json
import re
import string
from collections import Counter
from pathlib import Path
from typing import Any

Scores = dict[str, float]


def normalize_answer(text: str) -> str:
    """SQuAD: lower-case, delete ASCII punctuation, blank whole-word articles, join on single blanks."""
    punctuation = set(string.punctuation)
    articles = re.compile(r"\b(a|an|the)\b", re.UNICODE)
    bare = "".join(character for character in text.lower() if character not in punctuation)
    without_articles = re.sub(articles, " ", bare)
    return " ".join(without_articles.split())


def exact_match(prediction: str, gold: str) -> float:
    """1.0 where the normalised texts are equal."""
    return float(normalize_answer(prediction) == normalize_answer(gold))


def token_f1(prediction: str, gold: str, both_empty: float) -> float:
    """Harmonic mean of token precision and recall on multisets."""
    prediction_tokens = normalize_answer(prediction).split()
    gold_tokens = normalize_answer(gold).split()
    if not prediction_tokens and not gold_tokens:
        return both_empty
    common = Counter(prediction_tokens) & Counter(gold_tokens)
    same = sum(common.values())
    if same == 0:
        return 0.0
    precision = 1.0 * same / len(prediction_tokens)
    recall = 1.0 * same / len(gold_tokens)
    return (2 * precision * recall) / (precision + recall)


def squad2_scores(prediction: str, golds: list[str]) -> tuple[float, float]:
    """SQuAD 2.0: golds that normalise to nothing do not count; without any, the gold is no answer."""
    kept = [gold for gold in golds if normalize_answer(gold)] or [""]
    return (
        max(exact_match(prediction, gold) for gold in kept),
        max(token_f1(prediction, gold, 1.0) for gold in kept),
    )


def answerable(articles: list[Any]) -> dict[str, bool]:
    return {
        question["id"]: bool(question["answers"])
        for article in articles
        for paragraph in article["paragraphs"]
        for question in paragraph["qas"]
    }


def raw_scores(articles: list[Any], predictions: dict[str, str]) -> tuple[Scores, Scores]:
    exact: Scores = {}
    f1: Scores = {}
    for article in articles:
        for paragraph in article["paragraphs"]:
            for question in paragraph["qas"]:
                identifier = question["id"]
                golds = [answer["text"] for answer in question["answers"]]
                if identifier not in predictions:
                    print(f"Missing prediction for {identifier}")
                    continue
                exact[identifier], f1[identifier] = squad2_scores(predictions[identifier], golds)
    return exact, f1


def with_threshold(scores: Scores, chances: Scores, has_answer: dict[str, bool], threshold: float) -> Scores:
    return {
        identifier: float(not has_answer[identifier]) if chances[identifier] > threshold else score
        for identifier, score in scores.items()
    }


def percentages(exact: Scores, f1: Scores, chosen: list[str] | None = None) -> dict[str, Any]:
    identifiers = list(exact) if chosen is None else chosen
    return {
        "exact": 100.0 * left_fold(exact[identifier] for identifier in identifiers) / len(identifiers),
        "f1": 100.0 * left_fold(f1[identifier] for identifier in identifiers) / len(identifiers),
        "total": len(identifiers),
    }


def left_fold(values: Any) -> float:
    """The sum as Python before 3.12 adds it."""
    total = 0.0
    for value in values:
        total += value
    return total


def evaluate(articles: list[Any], predictions: dict[str, str]) -> dict[str, Any]:
    has_answer = answerable(articles)
    with_answer = [identifier for identifier, has in has_answer.items() if has]
    without = [identifier for identifier, has in has_answer.items() if not has]
    raw_exact, raw_f1 = raw_scores(articles, predictions)
    chances = dict.fromkeys(predictions, 0.0)
    exact = with_threshold(raw_exact, chances, has_answer, 1.0)
    f1 = with_threshold(raw_f1, chances, has_answer, 1.0)
    result = percentages(exact, f1)
    for prefix, group in (("HasAns", with_answer), ("NoAns", without)):
        if group:
            result.update({f"{prefix}_{key}": value for key, value in percentages(exact, f1, group).items()})
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gold", type=Path)
    parser.add_argument("predictions", type=Path)
    parser.add_argument("--import-numpy", action="store_true")
    options = parser.parse_args()
    if options.import_numpy:
        import numpy  # noqa: F401
    with options.gold.open(encoding="utf-8") as stream:
        articles = json.load(stream)["data"]
    with options.predictions.open(encoding="utf-8") as stream:
        predictions = json.load(stream)
    print(json.dumps(evaluate(articles, predictions), indent=2))


if __name__ == "__main__":
    main()
