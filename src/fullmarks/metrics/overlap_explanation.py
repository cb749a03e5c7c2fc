"""How an answer's tokens meet those of every reference: the table that explains exact match and token F1."""

from __future__ import annotations

from collections import Counter
from typing import Any

from fullmarks.text.squad import normalize_answer, tokens


def overlap_table(prediction: str, references: list[str], *, both_empty: float) -> list[dict[str, Any]]:
    """One row per reference: its normal form, the shared tokens, precision, recall, F1 and exact match."""
    return [_overlap(prediction, reference, both_empty) for reference in references]


def _overlap(prediction: str, reference: str, both_empty: float) -> dict[str, Any]:
    ours, theirs = tokens(prediction), tokens(reference)
    shared = Counter(ours) & Counter(theirs)
    same = sum(shared.values())
    if not ours and not theirs:
        precision = recall = f1 = both_empty
    elif same == 0:
        precision = recall = f1 = 0.0
    else:
        precision, recall = same / len(ours), same / len(theirs)
        f1 = 2 * precision * recall / (precision + recall)
    return {
        "reference": reference,
        "normalised": normalize_answer(reference),
        "matched": " ".join(shared.elements()),
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "exact": float(normalize_answer(prediction) == normalize_answer(reference)),
    }
