"""Two sets of items against each other: exact match, F1, precision and recall, in Python alone.

Invariant: items are equal where Python's own sets take them for equal (1, 1.0 and True are one item, "1" is another), a
list standing for the tuple of its elements; and the same doubles as the C kernel.
"""

from __future__ import annotations

from array import array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from typing import Any


def items_of(values: Sequence[Any]) -> dict[Hashable, None]:
    """The different items in order of first appearance, as the keys of a dictionary.

    >>> list(items_of([["a", 1], ["b", 2], ["a", 1.0]]))
    [('a', 1), ('b', 2)]
    """
    return dict.fromkeys([tuple(item) if isinstance(item, list) else item for item in values])


def score_counts(shared: int, predicted: int, wanted: int, both_empty: float) -> tuple[float, float, float, float]:
    """Exact match, F1, precision and recall of so many different items; two empty sets have F1 `both_empty`.

    >>> score_counts(1, 2, 1, 0.0)
    (0.0, 0.6666666666666666, 0.5, 1.0)
    """
    if not predicted and not wanted:
        return 1.0, both_empty, both_empty, both_empty
    precision = shared / predicted if predicted else 0.0
    recall = shared / wanted if wanted else 0.0
    f1 = 2 * precision * recall / (precision + recall) if shared else 0.0
    return float(shared == predicted == wanted), f1, precision, recall


def set_rows(
    predictions: Sequence[Sequence[Any] | None], references: Sequence[Sequence[Any]], *, both_empty: float = 0.0
) -> array[float]:
    """Exact match, F1, precision and recall of each example, four doubles a row; 0 where the prediction is None.

    >>> list(set_rows([["x", "y"], None], [["x"], ["x"]]))
    [0.0, 0.6666666666666666, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0]
    """
    for name, values in (("predictions", predictions), ("references", references)):
        if not isinstance(values, (list, tuple)):
            raise TypeError(f"{name} are of type {type(values).__name__}, expected a list")
    if len(predictions) != len(references):
        raise ValueError(f"{len(predictions)} predictions for {len(references)} lists of references")
    rows: list[float] = []
    for index, (prediction, golds) in enumerate(zip(predictions, references, strict=True)):
        if prediction is None:
            rows += (0.0, 0.0, 0.0, 0.0)
            continue
        for name, items in ((f"prediction {index}", prediction), (f"references of example {index}", golds)):
            if not isinstance(items, (list, tuple)):
                raise TypeError(f"{name} is of type {type(items).__name__}, expected a list")
        predicted, wanted = items_of(prediction), items_of(golds)
        rows += score_counts(len(predicted.keys() & wanted.keys()), len(predicted), len(wanted), both_empty)
    return array("d", rows)


def joint_rows(parts: list[array[float]]) -> array[float]:
    """The rows of the parts (four doubles each) side by side, then those of all parts together.

    Exact matches, precisions and recalls are multiplied in the order of the parts; F1 is made of the products.

    >>> list(joint_rows([array("d", [1, 1, 0.5, 1]), array("d", [0, 0.5, 0.5, 0.5])])[8:])
    [0.0, 0.3333333333333333, 0.25, 0.5]
    """
    if len({len(rows) for rows in parts}) != 1 or len(parts[0]) % 4:
        raise ValueError("the parts do not have equally many rows of 4")
    exact, precision, recall = (_product([rows[column::4] for rows in parts]) for column in (0, 2, 3))
    f1 = [2 * p * r / (p + r) if p + r > 0 else 0.0 for p, r in zip(precision, recall, strict=True)]
    width = 4 * len(parts) + 4
    rows = array("d", bytes(8 * width * len(exact)))
    for place, scores in enumerate(parts):
        for column in range(4):
            rows[4 * place + column :: width] = scores[column::4]
    for column, values in enumerate((exact, f1, precision, recall)):
        rows[width - 4 + column :: width] = array("d", values)
    return rows


def _product(columns: list[array[float]]) -> list[float]:
    found = [1.0] * len(columns[0])
    for column in columns:
        found = [so_far * value for so_far, value in zip(found, column, strict=True)]
    return found
