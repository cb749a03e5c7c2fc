"""English number words against the wordtodigits package."""

from __future__ import annotations

import random

import pytest

from fullmarks.text.number_words import NUMBER_WORDS, digits_for_words

# wordtodigits 1.0.2: wordtodigits.convert(text)
FROZEN = [
    ("", ""),
    ("кот", "кот"),
    ("two", "2"),
    ("two three", "5"),
    ("hundred", "0"),
    ("zero", "0"),
    ("one hundred and ten meters", "110 meters"),
    ("cat and two", "cat 2"),
    ("two and cat", "2 and cat"),
    ("three thousand and fifty three point five", "3053.5"),
    ("point six", "0.6"),
    ("one point", "1 point"),
    ("one point two point three", "1.2 2.3"),
    ("one point twenty", "1. twenty"),
]


@pytest.mark.parametrize(("text", "expected"), FROZEN)
def test_frozen(text: str, expected: str) -> None:
    assert digits_for_words(text.split()) == expected.split()


def test_equals_the_package_on_random_word_lists() -> None:
    package = pytest.importorskip("wordtodigits", reason="needs wordtodigits: make install")
    rng = random.Random(7)
    words = [*sorted(NUMBER_WORDS), *["and", "point", "кот", "a"] * 6]
    for _ in range(5_000):
        chosen = rng.choices(words, k=rng.randint(0, 9))
        assert digits_for_words(chosen) == package.convert(" ".join(chosen)).split(), chosen
