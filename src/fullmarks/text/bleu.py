"""The 13a tokeniser and BLEU's statistics and score, in Python alone.

Invariant: tokens, counts and floats are those of the `bleu` metric of Hugging Face evaluate (no smoothing),
to the last digit; a score comes from statistics alone, so that those of examples add up to a corpus's.
"""

from __future__ import annotations

import math
from array import array

from fullmarks.text.inputs import check_texts

TYPE_CHECKING = False  # typing's import takes longer than a small job
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypedDict

    class Bleu(TypedDict):
        """A BLEU score and the parts it is made of."""

        bleu: float
        precisions: list[float]
        brevity_penalty: float
        length_ratio: float
        translation_length: int
        reference_length: int


_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_SEPARATED = str.maketrans({symbol: f" {symbol} " for symbol in '!"#$%&()*+/:;<=>?@[\\]^_`{|}~'})


def tokenize_13a(text: str) -> list[str]:
    """The tokens of mteval-v13a: symbols stand alone, full stops and commas too unless inside a number.

    >>> tokenize_13a("It cost $1,000.50, he said.")
    ['It', 'cost', '$', '1,000.50', ',', 'he', 'said', '.']
    """
    if text.replace(" ", "").isalnum():
        return text.split()
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in text:
        for entity, character in _ENTITIES:
            text = text.replace(entity, character)
    text = f" {text} ".translate(_SEPARATED)
    if "." in text or "," in text or "-" in text:
        # Imported here because most short answers hold none of the three.
        import re

        text = re.sub(r"([^0-9])([.,])", r"\1 \2 ", text)
        text = re.sub(r"([.,])([^0-9])", r" \1 \2", text)
        text = re.sub(r"([0-9])-", r"\1 - ", text)
    return text.split()


def bleu_rows(predictions: list[str], references: list[list[str]], *, max_order: int) -> array[float]:
    """Statistics of each example, 2 * max_order + 2 doubles a row.

    They are the clipped matches of order 1 to max_order, the number of n-grams of each order in the
    prediction, the length of the prediction and that of the shortest reference (0 where there is none).
    """
    if not 1 <= max_order <= 1000:
        raise ValueError(f"max_order is {max_order}, expected 1 to 1000")
    check_texts(predictions, references)
    rows = array("d")
    for prediction, golds in zip(predictions, references):  # noqa: B905 - the lengths are equal
        predicted = tokenize_13a(prediction)
        wanted = [tokenize_13a(gold) for gold in golds]
        length = len(predicted)
        rows.extend(_matches(predicted, wanted, max_order))
        rows.extend([max(0, length - order) for order in range(max_order)])
        rows.append(length)
        rows.append(min(map(len, wanted), default=0))
    return rows


def bleu_each(predictions: list[str], references: list[list[str]], *, max_order: int) -> array[float]:
    """BLEU of each prediction against each of its references alone, a double a pair."""
    check_texts(predictions, references)
    answers = [text for text, golds in zip(predictions, references, strict=True) for _ in golds]
    alone = [[gold] for golds in references for gold in golds]
    counts = bleu_rows(answers, alone, max_order=max_order)
    width = 2 * max_order + 2
    longest = counts[max_order - 1 :: width]  # without a match of the highest order the product is 0
    return array(
        "d",
        [
            bleu_from_statistics(counts[width * pair : width * (pair + 1)], max_order)["bleu"] if matches else 0.0
            for pair, matches in enumerate(longest)
        ],
    )


def _matches(prediction: list[str], references: list[list[str]], max_order: int) -> list[int]:
    """For each order, how many n-grams of the prediction are matched, clipped by the references jointly."""
    matches = [0] * max_order
    for order in range(1, max_order + 1):
        counts = _count_ngrams(prediction, order)
        merged: dict[tuple[str, ...], int] = {}
        for reference in references:
            for ngram, count in _count_ngrams(reference, order).items():
                if ngram in counts and count > merged.get(ngram, 0):
                    merged[ngram] = count
        if not merged:
            break  # an n-gram that matches holds shorter ones that match
        for ngram, count in merged.items():
            matches[order - 1] += min(count, counts[ngram])
    return matches


def _count_ngrams(tokens: list[str], order: int) -> dict[tuple[str, ...], int]:
    counts: dict[tuple[str, ...], int] = {}
    for ngram in zip(*(tokens[start:] for start in range(order))):  # noqa: B905 - the shortest ends it
        counts[ngram] = counts.get(ngram, 0) + 1
    return counts


def left_fold(values: Iterable[float]) -> float:
    """The sum from left to right, as Python's own was before 3.12."""
    total = 0.0
    for value in values:
        total += value
    return total


def bleu_from_statistics(
    statistics: Sequence[float], max_order: int, add: Callable[[Iterable[float]], float] = left_fold
) -> Bleu:
    """The score of a row of statistics, or of a sum of rows; `add` sums the logarithms of its precisions.

    An empty prediction or an empty reference scores 0.0; so does a prediction without a match in some order.
    """
    matches = statistics[:max_order]
    totals = statistics[max_order : 2 * max_order]
    length, reference_length = statistics[2 * max_order], statistics[2 * max_order + 1]
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    mean = 0.0
    if min(precisions) > 0:
        mean = math.exp(add([(1.0 / max_order) * math.log(precision) for precision in precisions]))
    ratio = length / reference_length if reference_length else 0.0
    penalty = _brevity_penalty(ratio)
    return {
        "bleu": mean * penalty,
        "precisions": precisions,
        "brevity_penalty": penalty,
        "length_ratio": ratio,
        "translation_length": int(length),
        "reference_length": int(reference_length),
    }


def _brevity_penalty(length_ratio: float) -> float:
    if length_ratio > 1.0:
        return 1.0
    return math.exp(1 - 1.0 / length_ratio) if length_ratio else 0.0
