"""The check that the text kernel is given texts: lists of str, one list of references for each prediction.

Invariant: the compiled kernel makes the same checks with the same messages.
"""

from __future__ import annotations

from itertools import chain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


def check_texts(predictions: list[str], references: list[list[str]]) -> None:
    """Raise TypeError for anything but texts in lists, ValueError where the lengths differ."""
    for name, values in (("predictions", predictions), ("references", references)):
        if not isinstance(values, (list, tuple)):
            raise TypeError(f"{name} are of type {type(values).__name__}, expected a list")
    if len(predictions) != len(references):
        raise ValueError(f"{len(predictions)} predictions for {len(references)} lists of references")
    if not (
        _all_of(predictions, str)
        and _all_of(references, (list, tuple))
        and _all_of(chain.from_iterable(references), str)
    ):
        for index, (prediction, golds) in enumerate(zip(predictions, references, strict=True)):
            check_example(prediction, golds, index)


def check_example(prediction: str, golds: list[str], index: int = 0) -> None:
    """Raise TypeError for an example that is not a text and a list of texts."""
    if not isinstance(prediction, str):
        raise TypeError(f"prediction {index} is of type {type(prediction).__name__}, expected str")
    if not isinstance(golds, (list, tuple)):
        raise TypeError(f"references of example {index} are of type {type(golds).__name__}, expected a list")
    for place, gold in enumerate(golds):
        if not isinstance(gold, str):
            raise TypeError(f"reference {place} of example {index} is of type {type(gold).__name__}, expected str")


def text_lists(predictions: list[Any], references: list[Any]) -> list[list[str]] | None:
    """The references as lists of texts: the same list where they are, a new one where some are a text or a tuple.

    None where anything is no text, or the references are of another kind: a caller has to look at them one by one.
    """
    if not _all_of(predictions, str):
        return None
    kinds = set(map(type, references))
    if not all(kind in (list, tuple) or issubclass(kind, str) for kind in kinds):
        return None
    lists = references
    if kinds - {list}:
        lists = [
            golds if type(golds) is list else [golds] if isinstance(golds, str) else list(golds) for golds in references
        ]
    return lists if _all_of(chain.from_iterable(lists), str) else None


def _all_of(values: Iterable[object], wanted: type | tuple[type, ...]) -> bool:
    """Whether every value is of a wanted type, looking at each type once."""
    return all(issubclass(found, wanted) for found in set(map(type, values)))
