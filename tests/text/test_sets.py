"""Sets of items: both kernels against a plain statement and against each other."""

from __future__ import annotations

import gc
import random
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from fullmarks.text import sets
from tests.plain.multihop import compared

speed: Any
try:
    from fullmarks.text import _speed as speed
except ImportError:  # then the Python kernel is held against the plain rule alone
    speed = SimpleNamespace(set_rows=sets.set_rows)
BOTH = pytest.mark.parametrize("kernel", [sets, speed], ids=["python", "c"])

ITEMS: tuple[Any, ...] = (
    *("a", "A", "b", "", "1", 1, 1.0, True, 0, False, None, 2, 3.5, float("inf")),
    *(2**60, float(2**60), 2**60 + 1, ("a", ("b", 1)), ("a", ("b", True)), frozenset("a")),
    *(["a", 1], ["a", 1.0], ["a", True], ["a", "1"], ["a", 1, 0], ["A", 1], ("a", 1), [], [None], ["É", 2]),
)


def some(source: random.Random) -> list[Any]:
    return source.choices(ITEMS, k=source.choice((0, 0, 1, 2, 3, 5, 8, 20)))


def plain(prediction: list[Any], golds: list[Any], both_empty: float) -> tuple[float, ...]:
    ours, theirs = ({tuple(item) if isinstance(item, list) else item for item in side} for side in (prediction, golds))
    return compared(ours, theirs) if ours or theirs else (1.0, both_empty, both_empty, both_empty)


@pytest.mark.parametrize("both_empty", [0.0, 1.0])
@pytest.mark.parametrize("count", [2_500, pytest.param(50_000, marks=pytest.mark.deep)])
def test_rows_of_random_sets(both_empty: float, count: int) -> None:
    source = random.Random(3)
    predictions = [some(source) for _ in range(count)]
    references = [list(found) if source.random() < 0.3 else some(source) for found in predictions]
    wanted = [value for pair in zip(predictions, references, strict=True) for value in plain(*pair, both_empty)]
    for kernel in (sets, speed):
        rows = kernel.set_rows(predictions, references, both_empty=both_empty)
        assert rows.typecode == "d"
        assert rows.tolist() == wanted, kernel


@BOTH
def test_a_prediction_that_is_none_scores_nothing(kernel: Any) -> None:
    assert kernel.set_rows([None, []], [[], []]).tolist() == [0.0] * 4 + [1.0, 0.0, 0.0, 0.0]
    assert kernel.set_rows([], []).tolist() == []


@BOTH
@pytest.mark.parametrize(
    ("predictions", "references", "error", "message"),
    [
        ("ab", [[]], TypeError, "predictions are of type str, expected a list"),
        ([[]], {}, TypeError, "references are of type dict, expected a list"),
        ([[]], [[], []], ValueError, "1 predictions for 2 lists of references"),
        ([[], "a"], [[], []], TypeError, "prediction 1 is of type str, expected a list"),
        ([[], []], [[], "a"], TypeError, "references of example 1 is of type str, expected a list"),
        ([[["a", [1]]]], [[]], TypeError, "unhashable type: 'list'"),
        ([[]], [[{}]], TypeError, "unhashable type: 'dict'"),
    ],
)
def test_wrong_input(kernel: Any, predictions: Any, references: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        kernel.set_rows(predictions, references)


class Shortening:
    """An item that empties a list when it is compared."""

    def __init__(self, lists: list[Any]) -> None:
        self.lists = lists

    def __hash__(self) -> int:
        self.lists.clear()
        return 1


def test_a_list_may_change_while_its_items_are_compared() -> None:
    if isinstance(speed, SimpleNamespace):
        pytest.skip("needs the compiled kernel: make install")
    predictions: list[Any] = []
    predictions += [[Shortening(predictions)], ["a"]]
    with pytest.raises(RuntimeError, match="a list became shorter while it was scored"):
        speed.set_rows(predictions, [["a"], ["a"]])
    inner: list[Any] = []
    inner += [Shortening(inner), "a", "b"]
    assert speed.set_rows([inner], [["a"]]).tolist() == [0.0, 0.0, 0.0, 0.0]


def test_no_reference_is_lost() -> None:
    item, title = ["title", 10**9], "title of a page"
    predictions, references = [[item, [title, 1]], [title]], [[item], [title, [title, 2.5]]]
    before = [sys.getrefcount(value) for value in (item, title, item[1], predictions[0], references[1])]
    for _ in range(200):
        speed.set_rows(predictions, references)
        with pytest.raises(TypeError):
            speed.set_rows([[title, {}]], [[item]])
    gc.collect()
    assert [sys.getrefcount(value) for value in (item, title, item[1], predictions[0], references[1])] == before
