"""Overlap of two token lists, counted as multisets: the order of tokens never matters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def token_f1(prediction: Sequence[str], gold: Sequence[str]) -> float:
    """Harmonic mean of token precision and recall, counting repeats.

    Both empty gives 1.0, one empty 0.0. Source: SQuAD 2.0.

    >>> token_f1(["a", "b", "b"], ["b", "b", "c"])
    0.6666666666666666
    """
    if not prediction or not gold:
        return float(len(prediction) == len(gold))
    counts = Counter(gold)
    common = 0
    for token in prediction:
        left = counts.get(token, 0)
        if left:
            counts[token] = left - 1
            common += 1
    if common == 0:
        return 0.0
    precision = common / len(prediction)
    recall = common / len(gold)
    return 2 * precision * recall / (precision + recall)
