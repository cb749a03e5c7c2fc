"""The text rules as their definitions state them: slow, plain, and the oracle of every faster path.

Nothing here is shared with the package, so that an error in one is not an error in both. As in the published
scripts, each call makes its own tables; the benchmarks measure against that.
"""

from __future__ import annotations

import math
import re
import string
from collections import Counter


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


def squad1_scores(prediction: str, golds: list[str]) -> tuple[float, float]:
    """SQuAD 1.1 and generic QA: the best gold for each score, both sides empty giving no F1."""
    if not golds:
        return 0.0, 0.0
    return (
        max(exact_match(prediction, gold) for gold in golds),
        max(token_f1(prediction, gold, 0.0) for gold in golds),
    )


def tokenize_13a(text: str) -> list[str]:
    """The mteval-v13a rules, one substitution after another."""
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in text:
        for entity, character in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
            text = text.replace(entity, character)
    text = f" {text} "
    text = re.sub(r"([ !\"#$%&()*+/:;<=>?@\[\\\]^_`{|}~])", r" \1 ", text)
    text = re.sub(r"([^0-9])([.,])", r"\1 \2 ", text)
    text = re.sub(r"([.,])([^0-9])", r" \1 \2", text)
    text = re.sub(r"([0-9])(-)", r"\1 \2 ", text)
    return text.split()


def ngrams(tokens: list[str], max_order: int) -> Counter[tuple[str, ...]]:
    """How often each run of 1 to `max_order` tokens occurs."""
    counts: Counter[tuple[str, ...]] = Counter()
    for order in range(1, max_order + 1):
        for start in range(len(tokens) - order + 1):
            counts[tuple(tokens[start : start + order])] += 1
    return counts


def bleu_statistics(prediction: str, references: list[str], max_order: int) -> list[float]:
    """Clipped matches and totals by order, then the prediction's and the shortest reference's lengths."""
    tokens = tokenize_13a(prediction)
    reference_tokens = [tokenize_13a(reference) for reference in references]
    merged: Counter[tuple[str, ...]] = Counter()
    for reference in reference_tokens:
        merged |= ngrams(reference, max_order)
    overlap = ngrams(tokens, max_order) & merged
    matches = [0.0] * max_order
    for ngram, count in overlap.items():
        matches[len(ngram) - 1] += count
    totals = [float(max(0, len(tokens) - order)) for order in range(max_order)]
    shortest = min((len(reference) for reference in reference_tokens), default=0)
    return [*matches, *totals, float(len(tokens)), float(shortest)]


def bleu(statistics: list[float], max_order: int) -> float:
    """Geometric mean of the precisions times the brevity penalty; an empty side gives 0.0."""
    matches, totals = statistics[:max_order], statistics[max_order : 2 * max_order]
    length, reference_length = statistics[-2:]
    if length == 0 or reference_length == 0:
        return 0.0
    precisions = [match / total if total > 0 else 0.0 for match, total in zip(matches, totals, strict=True)]
    mean = 0.0
    if min(precisions) > 0:
        logarithm = 0.0
        for precision in precisions:
            logarithm += (1.0 / max_order) * math.log(precision)
        mean = math.exp(logarithm)
    ratio = length / reference_length
    penalty = 1.0 if ratio > 1.0 else math.exp(1 - 1.0 / ratio)
    return mean * penalty
