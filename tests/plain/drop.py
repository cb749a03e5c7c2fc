"""DROP's rule as its definition states it: slow, plain, the oracle of the fast path. Nothing here is of the package."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.plain import recipes as plain_recipes


def is_number(text: str) -> bool:
    try:
        float(text)
        return True
    except ValueError:
        return False


def bags(answer: str | list[str]) -> tuple[list[str], list[set[str]]]:
    spans = [answer] if isinstance(answer, str) else answer
    normal = [plain_recipes.drop(span) for span in spans]
    return normal, [set(text.split()) for text in normal]


def bag_f1(predicted: set[str], gold: set[str]) -> float:
    gold_numbers = {word for word in gold if is_number(word)}
    predicted_numbers = {word for word in predicted if is_number(word)}
    if gold_numbers and not gold_numbers & predicted_numbers:
        return 0.0
    common = len(gold & predicted)
    precision = common / float(len(predicted)) if predicted else 1.0
    recall = common / float(len(gold)) if gold else 1.0
    return (2 * precision * recall) / (precision + recall) if precision or recall else 0.0


def get_metrics(prediction: str | list[str], gold: list[str]) -> tuple[float, float]:
    """Exact match and F1 against one gold."""
    from scipy.optimize import linear_sum_assignment

    spans, predicted = bags(prediction)
    gold_spans, wanted = bags(gold)
    em = float(set(spans) == set(gold_spans) and len(spans) == len(gold_spans))
    scores = np.zeros([len(wanted), len(predicted)])
    for row, gold_bag in enumerate(wanted):
        for column, bag in enumerate(predicted):
            scores[row, column] = bag_f1(bag, gold_bag)
    best = np.zeros([max(len(wanted), len(predicted))])
    for row, column in zip(*linear_sum_assignment(-scores), strict=True):
        best[row] = scores[row, column]
    return em, float(round(np.mean(best), 2))


def answer_spans(answer: dict[str, Any]) -> tuple[list[str], str]:
    if answer.get("number"):
        return [str(answer["number"])], "number"
    if answer.get("spans"):
        return answer["spans"], "span" if len(answer["spans"]) == 1 else "spans"
    return ["{} {} {}".format(*(answer["date"][part] for part in ("day", "month", "year")))], "date"


def evaluate(gold: dict[str, Any], predictions: dict[str, Any]) -> tuple[dict[str, float], list[str | None]]:
    """The two means of a set, and the type of every question."""
    ems, f1s = [], []
    types: list[str | None] = []
    for passage in gold.values():
        for pair in passage["qa_pairs"]:
            best_em = best_f1 = 0.0
            best_type = None
            if pair["query_id"] in predictions:
                for answer in [pair["answer"], *(pair.get("validated_answers") or [])]:
                    spans, kind = answer_spans(answer)
                    em, f1 = get_metrics(predictions[pair["query_id"]], spans)
                    if spans[0].strip() != "":
                        best_em, best_f1 = max(best_em, em), max(best_f1, f1)
                        if (em, f1) == (best_em, best_f1):
                            best_type = kind
            else:
                best_type = answer_spans(pair["answer"])[1]
            ems.append(best_em)
            f1s.append(best_f1)
            types.append(best_type)
    return {"global_em": float(np.mean(ems)), "global_f1": float(np.mean(f1s))}, types
