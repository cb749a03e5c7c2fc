"""The readings of yes-or-no answers against plain statements of them, and both kernels against each other."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest

from fullmarks.text import yes_no
from fullmarks.text.vqa_rule import without_punctuation
from fullmarks.text.yes_no import READINGS
from tests.hard_texts import hard_texts

BITS = ["no", "No", "not", "NO", "yes", "Yes", " ", " ", ",", ".", "\t", "\n", "n", "o", "y", "İ", "ye", "s", "K", "ſ"]
BITS += ["!", "3,5", "-", "(", "\ud800", "Ｎ", "ß", "\u0307"]


SIZES = pytest.mark.parametrize("count", [3_000, pytest.param(50_000, marks=pytest.mark.deep)])


def texts(count: int, seed: int) -> list[str]:
    """Half of any text, half of the pieces that matter."""
    source = random.Random(seed)
    made = ["".join(source.choices(BITS, k=source.randrange(8))) for _ in range(count // 2)]
    return made + hard_texts(count - len(made), seed)


def plain_pope(text: str) -> str:
    before = text[: text.index(".")] if "." in text else text
    words = "".join(letter for letter in before if letter != ",").split(" ")
    return "no" if {"No", "no", "not"} & set(words) else "yes"


def plain_mme(text: str) -> str:
    found = re.match(r".?yes", text.lower()[:4], re.DOTALL)
    if found:
        return "yes"
    return "no" if re.match(r".{0,2}no", text.lower()[:4], re.DOTALL) else "other"


def plain_letters(text: str) -> str:
    text = "".join(letter for letter in text.lower().strip() if letter != ".")
    return {"y": "yes", "n": "no"}.get(text) or plain_mme(text)


def plain_strict(text: str) -> str:
    found = re.fullmatch(r"\s*(yes|no)\s*", text.lower())
    return found[1] if found else "other"


def plain_words(text: str) -> str:
    found = {"yes", "no"} & set(without_punctuation(text.lower()).split())
    return found.pop() if len(found) == 1 else "other"


@SIZES
@pytest.mark.parametrize(
    ("reading", "plain"),
    [
        ("pope", plain_pope),
        ("mme", plain_mme),
        ("letters", plain_letters),
        ("strict", plain_strict),
        ("words", plain_words),
    ],
)
def test_readings_against_plain_statements(reading: str, plain: Callable[[str], str], count: int) -> None:
    for text in texts(count, 21):
        assert READINGS[reading](text)[0] == plain(text), repr(text)


@SIZES
@pytest.mark.parametrize("is_pope", [True, False])
def test_both_kernels_read_alike(is_pope: bool, count: int) -> None:
    compiled: Any = pytest.importorskip("fullmarks.text._speed", reason="needs the compiled kernel: make install")
    answers = texts(count, 22)
    source = random.Random(5)
    labels = [[source.choice(("yes", "no", "Yes", "NO"))] for _ in answers]
    wanted = yes_no.yes_no_rows(answers, labels, is_pope=is_pope)
    assert compiled.yes_no_rows(answers, labels, is_pope=is_pope) == wanted
    assert sum(wanted) == count


@pytest.mark.parametrize("label", ["maybe", "Yes ", "", "no\n", "ｎｏ"])
def test_other_labels_are_an_error_but_for_pope(label: str) -> None:
    compiled: Any = pytest.importorskip("fullmarks.text._speed", reason="needs the compiled kernel: make install")
    message = f"expected yes or no as the right answer, found {label!r}"
    for kernel in (yes_no, compiled):
        with pytest.raises(ValueError, match=re.escape(message)):
            kernel.yes_no_rows(["yes"], [[label]], is_pope=False)
        with pytest.raises(ValueError, match="found none"):
            kernel.yes_no_rows(["yes"], [[]], is_pope=True)
        assert list(kernel.yes_no_rows(["yes"], [[label]], is_pope=True)) == [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]


def test_words_ignore_punctuation_but_not_every_mark() -> None:
    cases = {"Yes!": "yes", "(no)": "no", "no: none": "other", "no…": "other", "yes, no": "other", "No-one": "no"}
    assert {text: READINGS["words"](text)[0] for text in cases} == cases
