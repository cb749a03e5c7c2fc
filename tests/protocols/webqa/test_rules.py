"""WebQA's normaliser, kept tokens and overlap, without a lemmatiser."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullmarks.protocols.webqa.rules import (
    CATEGORIES,
    NO_OVERLAP,
    kept_tokens,
    normalize_webqa,
    number_for_word,
    prepare,
    token_overlap,
)
from fullmarks.text.punctuation import without_marks

# word2number 1.1: str(w2n.word_to_num(word)), the word itself where that raises ValueError
WORD_TO_NUM = {
    "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "thirteen": "13", "fourteen": "14",
    "fifteen": "15", "sixteen": "16", "seventeen": "17", "eighteen": "18", "nineteen": "19", "twenty": "20",
    "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90",
    "hundred": "100", "thousand": "1000", "million": "1000000", "billion": "1000000000",
    "trillion": "trillion", "fourty": "fourty", "ones": "ones", "twentyone": "twentyone", "and": "and",
    "0": "0", "007": "7", "42": "42", "000": "0", "1.50": "1.50", "0.5": "0.5", "٣": "3", "²": "²", "½": "½",
}  # fmt: skip


def test_words_become_the_numbers_of_word2number() -> None:
    assert {word: number_for_word(word) for word in WORD_TO_NUM} == WORD_TO_NUM


def test_point_stays_a_word() -> None:
    assert number_for_word("point") == "point"


def test_a_string_of_too_many_digits_stays() -> None:
    assert number_for_word("9" * 5000) == "9" * 5000


@pytest.mark.parametrize(
    ("text", "prepared", "needs_lemmas"),
    [
        ("The two Dogs, and a cat!", "2 dogs and cat", True),
        ("1.5 m. of U.S. steel", "1.5 m of us steel", True),
        ("at .5 or 3.", "at .5 or 3", True),
        ("It's well-known", "its wellknown", True),
        ("A", "a", False),
        (" a ", "a", False),
        (".", ".", False),
        ("?", "?", False),
        ("5", "5", False),
        ("the", "the", True),
        ("The.", "the", True),
        ("  An ", "an", True),
        ("the the", "", True),
        ("theory of a-an", "theory of aan", True),
        ("", "", True),
        ("  ", "", True),
        ("one hundred and 007", "1 100 and 7", True),
        ("red\tand\n blue", "red and blue", True),
        ("a\u00a0b", "b", True),
    ],
)
def test_before_lemmatising(text: str, prepared: str, needs_lemmas: bool) -> None:
    assert prepare(text) == (prepared, needs_lemmas)


def test_distinct_texts_are_lemmatised_once_and_single_characters_never() -> None:
    calls: list[list[str]] = []

    def shout(texts: Sequence[str]) -> list[str]:
        calls.append(list(texts))
        return [text.upper() for text in texts]

    texts = ["two cats", "A", "2 cats!", "two cats", "", "the dog"]
    assert normalize_webqa(texts, shout) == ["2 CATS", "a", "2 CATS", "2 CATS", "", "DOG"]
    assert calls == [["2 cats", "", "dog"]]


@pytest.mark.parametrize(
    ("normal", "category", "kept"),
    [
        ("red blue red car", "color", ["blue", "red"]),
        ("red", "shape", []),
        ("a round square", "shape", ["round", "square"]),
        ("yes no yes maybe", "YesNo", ["no", "yes"]),
        ("2 cat 03 1.5 ½ ٣", "number", ["2", "3", "3"]),
        ("2 2", "number", ["2", "2"]),
        ("red red", "choose", ["red", "red"]),
        ("a b a", "Others", ["a", "b", "a"]),
        ("a b a", "text", ["a", "b", "a"]),
        ("", "text", []),
    ],
)
def test_kept_tokens(normal: str, category: str, kept: list[str]) -> None:
    assert kept_tokens(normal, category) == kept


@pytest.mark.parametrize(
    ("tokens", "wanted", "f1", "recall", "precision", "exact_match"),
    [
        (["a"], ["a"], 2 / (2 + 1e-5), 1.0, 1.0, 1.0),
        (["a", "b"], ["b", "a"], 2 / (2 + 1e-5), 1.0, 1.0, 0.0),
        (["a", "a", "b", "c"], ["a", "a"], 2 * 0.5 / (1.5 + 1e-5), 1.0, 0.5, 0.0),
        (["a"], ["a", "a", "b", "c"], 2 * 0.25 / (1.25 + 1e-5), 0.25, 1.0, 0.0),
    ],
)
def test_overlap(
    tokens: list[str], wanted: list[str], f1: float, recall: float, precision: float, exact_match: float
) -> None:
    assert token_overlap(tokens, wanted) == (f1, recall, precision, exact_match)


@pytest.mark.parametrize(("tokens", "wanted"), [([], []), (["a"], []), ([], ["a"]), (["a"], ["b"])])
def test_nothing_in_common_is_zero_for_all(tokens: list[str], wanted: list[str]) -> None:
    assert token_overlap(tokens, wanted) == NO_OVERLAP


def test_without_smoothing_a_perfect_answer_is_perfect() -> None:
    assert token_overlap(["a"], ["a"], 0.0) == (1.0, 1.0, 1.0, 1.0)


@pytest.mark.parametrize("category", CATEGORIES)
def test_accuracy_is_f1_or_recall(category: str) -> None:
    overlap = token_overlap(["a", "b"], ["a"])
    by_f1 = category in ("color", "shape", "YesNo", "number")
    assert overlap.accuracy(category) == (overlap.f1 if by_f1 else 1.0)


@given(st.lists(st.sampled_from("abc"), max_size=6), st.lists(st.sampled_from("abc"), max_size=6))
def test_overlap_is_bounded_and_swaps_precision_with_recall(tokens: list[str], wanted: list[str]) -> None:
    overlap, swapped = token_overlap(tokens, wanted), token_overlap(wanted, tokens)
    assert all(0 <= value <= 1 for value in overlap)
    assert (overlap.precision, overlap.recall, overlap.f1) == (swapped.recall, swapped.precision, swapped.f1)
    assert (overlap.exact_match == 1.0) == (tokens == wanted != [])


@given(st.text())
def test_preparing_leaves_no_mark_but_the_decimal_point(text: str) -> None:
    prepared = prepare(text)
    if prepared.needs_lemmas:
        assert not set(prepared.text) & set("!\"#$%&'()*+,-/:;<=>?@[\\]^_`{|}~")
    assert prepared.text == " ".join(prepared.text.split())


def test_marks_go_before_fluency_is_judged() -> None:
    assert without_marks(' "It\'s  a well-known fact," he said. ') == "Its a wellknown fact he said"
    assert without_marks("...") == ""
