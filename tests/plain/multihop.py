"""HotpotQA's, 2WikiMultihopQA's and MuSiQue's scores as their definitions state them: slow, plain, the oracle.

Nothing here is shared with the package. As in the published programs, texts are normalised again for every number.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable
from typing import Any

Scores = dict[str, float]
WHOLE = ("yes", "no", "noanswer")


def normal(text: str) -> str:
    """SQuAD's normal form."""
    excluded = set(string.punctuation)
    bare = "".join(character for character in text.lower() if character not in excluded)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", bare).split())


def exact(prediction: str, gold: str) -> bool:
    return normal(prediction) == normal(gold)


def overlap(prediction: str, gold: str) -> tuple[float, float, float]:
    """F1, precision and recall with HotpotQA's rule for yes, no and noanswer."""
    ours, theirs = normal(prediction), normal(gold)
    if ours in WHOLE and ours != theirs:
        return 0, 0, 0
    if theirs in WHOLE and ours != theirs:
        return 0, 0, 0
    prediction_tokens, gold_tokens = ours.split(), theirs.split()
    common = Counter(prediction_tokens) & Counter(gold_tokens)
    same = sum(common.values())
    if same == 0:
        return 0, 0, 0
    precision = 1.0 * same / len(prediction_tokens)
    recall = 1.0 * same / len(gold_tokens)
    return (2 * precision * recall) / (precision + recall), precision, recall


def of_counts(true: int, false: int, missed: int) -> tuple[float, float, float, float]:
    """Exact match, F1, precision and recall."""
    precision = 1.0 * true / (true + false) if true + false > 0 else 0.0
    recall = 1.0 * true / (true + missed) if true + missed > 0 else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
    return (1.0 if false + missed == 0 else 0.0), f1, precision, recall


def compared(predicted: Iterable[Any], wanted: Iterable[Any]) -> tuple[float, float, float, float]:
    """The items of one collection looked up in the other, one by one."""
    true = false = missed = 0
    for item in predicted:
        if item in wanted:
            true += 1
        else:
            false += 1
    for item in wanted:
        if item not in predicted:
            missed += 1
    return of_counts(true, false, missed)


def joined(parts: list[tuple[float, float, float, float]]) -> tuple[float, float, float, float]:
    """The parts together."""
    equal = precision = recall = 1.0
    for part in parts:
        equal *= part[0]
        precision *= part[2]
        recall *= part[3]
    f1 = 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
    return equal, f1, precision, recall


def _add(metrics: Scores, prefix: str, scores: tuple[float, float, float, float]) -> None:
    for name, value in zip(("em", "f1", "prec", "recall"), scores, strict=True):
        metrics[prefix + name] += value


def hotpotqa(gold: list[dict[str, Any]], predictions: dict[str, dict[str, Any]]) -> Scores:
    """The twelve numbers."""
    metrics = dict.fromkeys((p + k for p in ("", "sp_", "joint_") for k in ("em", "f1", "prec", "recall")), 0.0)
    for question in gold:
        identifier = question["_id"]
        answer = facts = None
        if identifier in predictions["answer"]:
            text = predictions["answer"][identifier]
            equal = exact(text, question["answer"])
            answer = (float(equal), *overlap(text, question["answer"]))
            _add(metrics, "", answer)
        if identifier in predictions["sp"]:
            predicted = set(map(tuple, predictions["sp"][identifier]))
            facts = compared(predicted, set(map(tuple, question["supporting_facts"])))
            _add(metrics, "sp_", facts)
        if answer and facts:
            _add(metrics, "joint_", joined([answer, facts]))
    return {name: value / len(gold) for name, value in metrics.items()}


def evidence_normal(text: str) -> str:
    """As SQuAD's, articles kept."""
    excluded = set(string.punctuation)
    return " ".join("".join(character for character in text.lower() if character not in excluded).split())


def _lowered(facts: Iterable[Any]) -> list[tuple[Any, ...]]:
    return [(fact[0].lower(), *fact[1:]) for fact in set(map(tuple, facts))]


def evidence(triples: list[list[str]], groups: list[list[tuple[str, ...]]]) -> tuple[float, float, float, float]:
    """Triples that lie in some group of allowed ones."""
    predicted = {tuple(map(evidence_normal, triple)) for triple in triples}
    allowed = [{tuple(map(evidence_normal, triple)) for triple in group} for group in groups]
    matches = sum(1 for triple in predicted if any(triple in group for group in allowed))
    precision = matches / len(predicted) if predicted else 0
    recall = matches / len(allowed) if allowed else 0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
    return float(matches == len(predicted) == len(allowed)), f1, precision, recall


def twowiki(
    gold: list[dict[str, Any]], predictions: dict[str, dict[str, Any]], aliases: dict[str, list[str]] | None
) -> Scores:
    """The sixteen numbers, unrounded; without aliases as the first script."""
    names = [p + k for p in ("", "sp_", "evi_", "joint_") for k in ("em", "f1", "prec", "recall")]
    metrics = dict.fromkeys(names, 0.0)
    known = aliases or {}
    for question in gold:
        identifier, parts = question["_id"], []
        if identifier in predictions["answer"]:
            text = predictions["answer"][identifier]
            golds = {question["answer"], *known.get(question["answer_id"], [])}
            each = [(float(exact(text, one)), *overlap(text, one)) for one in golds]
            parts.append(tuple(max(column) for column in zip(*each, strict=True)))
            _add(metrics, "", parts[-1])
        if identifier in predictions["sp"]:
            parts.append(compared(_lowered(predictions["sp"][identifier]), _lowered(question["supporting_facts"])))
            _add(metrics, "sp_", parts[-1])
        if identifier in predictions["evidence"]:
            parts.append(_evidence_of(question, predictions["evidence"][identifier], aliases))
            _add(metrics, "evi_", parts[-1])
        if len(parts) == 3:
            _add(metrics, "joint_", joined(parts))
    return {name: value / len(gold) * 100 for name, value in metrics.items()}


def _evidence_of(
    question: dict[str, Any], triples: list[list[str]], aliases: dict[str, list[str]] | None
) -> tuple[float, float, float, float]:
    if aliases is None:
        predicted = {tuple(map(evidence_normal, triple)) for triple in triples}
        return compared(predicted, {tuple(map(evidence_normal, triple)) for triple in question["evidences"]})
    groups = []
    for place, (subject, relation, target) in enumerate(question["evidences"]):
        first, _, last = question["evidences_id"][place] if question["evidences_id"] else (None, None, None)
        subjects, objects = [subject, *aliases.get(first, [])], [target, *aliases.get(last, [])]
        groups.append([(one, relation, other) for one in subjects for other in objects])
    return evidence(triples, groups)


def squad2_f1(prediction: str, gold: str) -> float:
    """F1 where two sides without a word agree."""
    ours, theirs = normal(prediction).split(), normal(gold).split()
    if len(ours) == 0 or len(theirs) == 0:
        return float(ours == theirs)
    same = sum((Counter(ours) & Counter(theirs)).values())
    if same == 0:
        return 0
    precision, recall = 1.0 * same / len(ours), 1.0 * same / len(theirs)
    return (2 * precision * recall) / (precision + recall)


def musique(gold: list[dict[str, Any]], predictions: list[dict[str, Any]]) -> Scores:
    """Three numbers, five where a question has no answer; unrounded."""
    f1s, equals, supports = [], [], []
    pairs: dict[str, list[tuple[Any, Any, tuple[float, float] | None]]] = {}
    for question, row in zip(gold, predictions, strict=True):
        own = None
        if question["answerable"]:
            golds = [question["answer"], *question["answer_aliases"]]
            f1s.append(max(squad2_f1(row["predicted_answer"], one) for one in golds))
            equals.append(max(float(exact(row["predicted_answer"], one)) for one in golds))
            found = {int(number) for number in row["predicted_support_idxs"]}
            wanted = {paragraph["idx"] for paragraph in question["paragraphs"] if paragraph["is_supporting"]}
            supports.append(compared(found, wanted)[1] if found or wanted else 1.0)
            own = f1s[-1], supports[-1]
        pairs.setdefault(question["id"], []).append((question["answerable"], row["predicted_answerable"], own))
    result = {"answer_f1": _mean(f1s), "answer_em": _mean(equals), "support_f1": _mean(supports)}
    if not all(question["answerable"] for question in gold):
        grouped: list[tuple[float, float]] = []
        for twins in pairs.values():
            own = next(scores for flag, _, scores in twins if flag)
            is_right = [flag for flag, _, _ in twins] == [said for _, said, _ in twins]
            grouped.append(own if is_right and own else (0.0, 0.0))
        result["group_answer_sufficiency_f1"] = _mean([answer for answer, _ in grouped])
        result["group_support_sufficiency_f1"] = _mean([support for _, support in grouped])
    return result


def _mean(values: list[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total / len(values) if values else 0
