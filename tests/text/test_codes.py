"""Codes of labels: both kernels against a plain loop over a dict, for labels of every kind."""

from __future__ import annotations

import copy
import gc
import math
import pickle
import random
from array import array
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullmarks.text import codes

KERNELS: list[Any] = [pytest.param(codes.Codebook, id="python")]
try:
    from fullmarks.text import _speed

    KERNELS.append(pytest.param(_speed.Codebook, id="c"))
except ImportError:  # then the Python class is held against the plain loop alone
    pass
BOTH = pytest.mark.parametrize("book_of", KERNELS)


class Word(str):
    """A text that is not one of Python's own."""

    __slots__ = ()


class Like:
    """Equals a text without being one."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return self.text == (other.text if isinstance(other, Like) else other)


def plain_codes(values: Sequence[Any], known: dict[Any, int]) -> list[int]:
    found = []
    for value in values:
        if value not in known:
            known[value] = len(known)
        found.append(known[value])
    return found


def fresh(text: str) -> str:
    """An equal text that is another object."""
    return "".join([text, "x"])[:-1]


@BOTH
def test_labels_get_the_next_code_when_they_first_appear(book_of: Any) -> None:
    book = book_of(["x"])
    nan = math.nan
    values = ["y", "x", fresh("y"), None, 1, True, 1.0, nan, nan, float("nan"), "x", "", "ж", "漢", "😀", fresh("漢")]
    found = book.codes(values)
    assert found == array("i", [1, 0, 1, 2, 3, 3, 3, 4, 4, 5, 0, 6, 7, 8, 9, 8])
    assert found.typecode == "i"
    assert list(map(repr, book.labels)) == list(map(repr, ["x", "y", None, 1, nan, nan, "", "ж", "漢", "😀"]))
    assert len(book) == 10
    assert book.codes([]) == array("i")
    assert book.codes(("x", "new")) == array("i", [0, 10])
    assert list(map(type, book_of([True, 1]).labels)) == [bool]


@BOTH
@pytest.mark.parametrize("distinct", [1, 31, 33, 1000, 20_000])
@pytest.mark.parametrize("largest", [4_000, pytest.param(30_000, marks=pytest.mark.deep)])
def test_many_labels_have_the_codes_of_a_plain_loop(book_of: Any, distinct: int, largest: int) -> None:
    source = random.Random(distinct)
    known: dict[Any, int] = {}
    book = book_of()
    for size in (1, 31, 32, 33, largest // 6, largest):
        values = [f"label {source.randrange(distinct)}" for _ in range(size)]
        assert book.codes(values).tolist() == plain_codes(values, known)
    assert book.labels == list(known)


@BOTH
def test_labels_of_every_length_are_told_apart(book_of: Any) -> None:
    values = [first + letter * length for letter in "aéж😀" for length in range(40) for first in ("", "b", "ж")]
    values += [value + "\0" for value in values]
    known: dict[Any, int] = {}
    wanted = plain_codes(values, known)
    book = book_of()
    assert book.codes(values).tolist() == wanted
    assert book.codes(list(map(fresh, reversed(values)))).tolist() == wanted[::-1]
    assert book.labels == list(known)


TEXTS = st.one_of(st.text(st.characters(codec=None, categories=None), max_size=3), st.sampled_from("abcde"))
"""Lone surrogates are among them."""
PLAIN = st.one_of(TEXTS, st.integers(-3, 3), st.integers(), st.none(), st.booleans(), st.floats())
ANY = st.one_of(
    PLAIN,
    st.sampled_from("abc").map(Word),
    st.sampled_from("abc").map(Like),
    st.sampled_from("abc").map(np.str_),
    st.integers(-3, 3).map(np.int64),
    st.frozensets(st.integers(0, 2), max_size=2),
    st.binary(max_size=1),
)


@pytest.mark.parametrize("labels", [TEXTS, PLAIN, ANY], ids=["texts", "plain", "any"])
@given(data=st.data())
def test_codes_are_those_of_a_plain_loop(labels: st.SearchStrategy[Any], data: st.DataObject) -> None:
    lists = data.draw(st.lists(st.lists(labels, max_size=40), max_size=4))
    for kernel in KERNELS:
        known: dict[Any, int] = {}
        (book_of,) = kernel.values
        book = book_of()
        for values in lists:
            assert book.codes(values).tolist() == plain_codes(values, known), kernel.id
            assert len(book) == len(known)
        assert [(type(label), repr(label)) for label in book.labels] == [(type(label), repr(label)) for label in known]


@BOTH
@pytest.mark.parametrize("before", [[], [Word("w")], ["a"]])
def test_nothing_is_coded_from_a_tuple_on(book_of: Any, before: list[Any]) -> None:
    book = book_of(before)
    assert book.codes(["a", "b", 7, ("c",), "d"]) is None
    assert book.labels == list(dict.fromkeys([*before, "a", "b", 7]))
    assert book.codes([()]) is None
    assert book.codes(["b", "d"]).tolist() == [len(book) - 3, len(book) - 1]


@BOTH
def test_what_cannot_be_a_key_is_no_label(book_of: Any) -> None:
    for bad in ([1], {}):
        with pytest.raises(TypeError, match="unhashable"):
            book_of().codes(["x", bad])
    for wrong in (None, 7):
        with pytest.raises(TypeError):
            book_of().codes(wrong)


@BOTH
def test_labels_that_raise_or_change_their_list_do_no_harm(book_of: Any) -> None:
    class Failing:
        def __hash__(self) -> int:
            return 1

        def __eq__(self, other: object) -> bool:
            raise KeyError("compared")

    with pytest.raises(KeyError, match="compared"):
        book_of().codes(["x", Failing(), Failing()])
    values: list[Any] = []

    class Clearing:
        def __hash__(self) -> int:
            values.clear()
            return 1

    values.extend(["x", *(Clearing() for _ in range(50))])
    with suppress(RuntimeError):  # a loop of Python's just ends
        assert len(book_of().codes(values)) == 2
    assert values == []


@BOTH
@pytest.mark.parametrize("labels", [[], ["a", "b", None, 3], ["a", Word("b"), frozenset("c")]])
def test_a_codebook_can_be_copied_and_sent(book_of: Any, labels: list[Any]) -> None:
    book = book_of(labels)
    for other in (pickle.loads(pickle.dumps(book)), copy.deepcopy(book), copy.copy(book)):
        assert other.labels == book.labels
        assert other.codes([*labels, "new"]) == array("i", range(len(labels) + 1))
    assert len(book) == len(labels)


@BOTH
def test_a_codebook_lets_go_of_its_labels(book_of: Any) -> None:
    class Holding:
        book: Any = None

    for more in ([], [Word("x")]):
        label = Holding()
        label.book = book_of(["text", 1, label, *more])
        assert len(label.book) == 3 + len(more)
        del label
    gc.collect()
    assert not [each for each in gc.get_objects() if type(each) is Holding]
