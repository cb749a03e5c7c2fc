"""Sets of items (supporting facts, retrieved passages) as F1, precision, recall and exact match."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.errors import InputError
from fullmarks.metrics.metric import Metric
from fullmarks.text.kernel import set_rows
from fullmarks.text.sets import items_of
from fullmarks.types import Example, Examples, Explanation


def set_scores(
    predictions: Sequence[Any], references: Sequence[Any], *, both_empty: float = 0.0, name: str = "predictions"
) -> array[float]:
    """Exact match, F1, precision and recall of each example; an error names the one that holds no comparable items."""
    try:
        return set_rows(predictions, references, both_empty=both_empty)
    except TypeError:
        for position, pair in enumerate(zip(predictions, references, strict=True)):
            for where, items in zip((f"{name}[{position}]", f"references[{position}]"), pair, strict=True):
                _check_items(items, where)
        raise


def _check_items(items: Any, where: str) -> None:
    if items is None:
        return
    advice = "Write items as texts, numbers or lists of these."
    if not isinstance(items, (list, tuple)):
        raise InputError(where, f"expected a list of items, found {type(items).__name__}", advice)
    try:
        items_of(items)
    except TypeError as error:
        raise InputError(where, f"it holds an item that cannot be compared ({error})", advice) from None


def set_table(prediction: Sequence[Any] | None, references: Sequence[Any]) -> list[dict[str, Any]]:
    """Every item with its verdict: found, extra (not asked for) or missed."""
    predicted, wanted = items_of(prediction or ()), items_of(references)
    told = [{"item": _shown(item), "verdict": "found" if item in wanted else "extra"} for item in predicted]
    return told + [{"item": _shown(item), "verdict": "missed"} for item in wanted if item not in predicted]


def _shown(item: Any) -> Any:
    return list(item) if isinstance(item, tuple) else item


@dataclass(frozen=True)
class SetF1(Metric):
    """F1, precision, recall and exact match of a set of items against the set that was asked for.

    A prediction is a list of items, its references the items that would have been right; repeats count once. Items are
    texts, numbers or lists of these and are compared as they are: 1, 1.0 and true are equal, "1" is another item. Two
    empty sets match exactly and have F1 `both_empty`. A single text stands for a list of one.
    """

    name: ClassVar[str] = "set_f1"
    summary: ClassVar[str] = "sets of items, such as supporting facts, as F1"
    features: ClassVar[dict[str, str]] = {"predictions": "list of items", "references": "list of items"}
    takes_lists: ClassVar[bool] = True

    both_empty: float = 0.0

    @property
    def columns(self) -> tuple[str, ...]:
        """F1 first."""
        return ("f1", "precision", "recall", "exact")

    def rows(self, examples: Examples) -> array[float]:
        """The scores of every example."""
        predictions = [[found] if isinstance(found, str) else found for found in examples.predictions]
        scores = set_scores(predictions, examples.references, both_empty=self.both_empty)
        rows = array("d", bytes(8 * len(scores)))
        for place, column in enumerate((1, 2, 3, 0)):
            rows[place::4] = scores[column::4]
        return rows

    def explain(self, example: Example) -> Explanation:
        """Every item with its verdict."""
        prediction = [example.prediction] if isinstance(example.prediction, str) else example.prediction
        facts, tables = {"prediction": example.prediction}, {"items": set_table(prediction, example.references)}
        return Explanation(example.id, super().explain(example).scores, facts, tables)
