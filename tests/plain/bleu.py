"""BLEU as its definition states it: slow, plain, the oracle of both kernels. Nothing is of the package."""

from __future__ import annotations

import math
import re
from collections import Counter


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
