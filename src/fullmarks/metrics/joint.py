"""Parts of an answer judged alone and together: a row of exact match, F1, precision and recall for each, then jointly.

Jointly, exact matches, precisions and recalls are multiplied in the order of the parts, and F1 is made of the products;
a part that is missing has a row of zeros and so makes the joint scores 0. Source: HotpotQA.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

SCORES = ("exact", "f1", "precision", "recall")
JOINT = "joint_"


def joint_columns(prefixes: Sequence[str]) -> tuple[str, ...]:
    """The names of the statistics: those of every part under its prefix, then the joint ones.

    >>> joint_columns(["", "sp_"])[3:6], joint_columns(["", "sp_"])[-1]
    (('recall', 'sp_exact', 'sp_f1'), 'joint_recall')
    """
    return tuple(prefix + name for prefix in (*prefixes, JOINT) for name in SCORES)


def joint_rows(parts: Sequence[array[float]]) -> array[float]:
    """The rows of the parts (four doubles each) side by side, the joint scores after them."""
    exact, precision, recall = (_product([rows[column::4] for rows in parts]) for column in (0, 2, 3))
    f1 = [2 * p * r / (p + r) if p and r else 0.0 for p, r in zip(precision, recall, strict=True)]
    width = 4 * len(parts) + 4
    rows = array("d", bytes(8 * width * len(exact)))
    for place, scores in enumerate(parts):
        for column in range(4):
            rows[4 * place + column :: width] = scores[column::4]
    for column, values in enumerate((exact, f1, precision, recall)):
        rows[width - 4 + column :: width] = array("d", values)
    return rows


def _product(columns: Sequence[array[float]]) -> list[float]:
    found = columns[0].tolist()
    for column in columns[1:]:
        found = [so_far * value for so_far, value in zip(found, column, strict=True)]
    return found
