"""Texts that break careless normalisers: a seeded generator over pieces of many scripts."""

from __future__ import annotations

import random
import sys
import unicodedata
from collections.abc import Iterator
from functools import cache

import pytest

FEW_AND_EVERY = pytest.mark.parametrize(
    "every", [False, pytest.param(True, marks=pytest.mark.deep)], ids=["few", "every"]
)
"""The code points that a test fills its templates with."""
PIECES = [
    *"aAbehnt TENy0159  ..,,--_'\"!`&<>;/$+%^|~()[]{}\\=@#*:?",
    *("the", "The", "THE", "an", "AN", "a", "A", "in", "U.S.", "rock'n'roll", "the_end", "_a_", "well-known", "of"),
    *("yes", "Yes,", "no", "NO.", "noanswer", "no one", "Paris", "red", "blue", "red", "Beatles"),
    *("1,000.50", "$5", "5%", "1e3", "1_000", "nan", "Inf", "infinity", "-5", "+5", "٥", "５", "(3.14)", "1/2"),
    *("½", "5th"),
    *("\t", "\n", "\v", "\f", "\r", "\x1c", "\x1d", "\x1e", "\x1f", "\x00", "\x01", "\x1b", "\x7f", "\x85", "5\n"),
    *("\xa0", "\u1680", "\u2003", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\u180e", "\u200b"),
    *("\u200d", "\ufeff"),
    *("\u0301", "\u0300", "\u0307", "\u0345", "\u030a", "à", "Á", "å", "a\u0300", "e\u0301", "é"),
    *("Beyoncé", "Beyonce\u0301"),
    *("ﬁn", "İ", "ı", "ß", "ẞ", "Σ", "ΣΊΣΥΦΟΣ", "ΑΣ'", "ΑΣ_", "ς", "Ǆ", "ǅ", "\u212a", "\u212b", "ﬀ", "㎞"),
    *("①", "Ⅷ", "²"),
    *("—", "–", "…", "‘", "’", "´", "“", "”", "«", "»", "¿", "¡", "·", "・", "§", "¶", "€", "№", "°", "\u00ad"),
    *("‐", "＿", "︳"),
    *("un", "una", "unos", "EL", "la", "Los", "las", "niño", "día", "él", "l\u0301a"),
    *("ein", "Eine", "der", "DIE", "das", "den", "dem", "des", "einer", "derselbe", "Straße", "Königs"),
    *("của", "Là", "cái", "chiếc", "những", "cu\u0309a", "la\u0300", "người", "NHỮNG"),
    *("ال", "القاهرة", "رجال", "المال", "الله", "والقاهرة", "ا", "ل", "ا،ل", "ا\u200dل", "اال", "الل", "؟"),
    *("۔", "ـ", "٪"),
    *("हिन्दी", "भारत।", "का", "॥", "्", "नमस्ते"),
    *("北京", "北京大学abc", "12年", "《红楼梦》", "東京タワー", "㐀", "龥", "龦", "𠀀"),
    *("。", "，", "、", "！", "３.5万", "は"),
    *("서울", "한국어", "\u1109\u1165", "Москва", "ёлка", "й", "и\u0306"),
    *("😀", "𝐀", "𐐀", "𝟘", "🏽", "𐄀", "𑁇", "\ud800", "\udfff", "\U0010ffff", "\U000e0001"),
]


def hard_text(source: random.Random) -> str:
    """Up to twelve pieces, on blanks or without."""
    pieces = source.choices(PIECES, k=source.choice((0, 1, 1, 2, 3, 4, 6, 9, 12)))
    return source.choice((" ", "", " ", "-")).join(pieces)


def hard_texts(count: int, seed: int) -> list[str]:
    """That many of them."""
    source = random.Random(seed)
    return [hard_text(source) for _ in range(count)]


def hard_examples(count: int, seed: int) -> tuple[list[str], list[list[str]]]:
    """Predictions and golds that often share words, letters or nothing but blanks."""
    source = random.Random(seed)
    predictions, references = [], []
    for _ in range(count):
        prediction = hard_text(source)
        words = prediction.split(" ")
        near = [prediction, prediction.upper(), f"the {prediction}.", " ".join(source.sample(words, len(words)))]
        golds = [
            source.choice(near) if source.random() < 0.4 else hard_text(source)
            for _ in range(source.choice((0, 1, 1, 2, 4)))
        ]
        predictions.append(prediction)
        references.append(golds + golds[:1] * source.choice((0, 0, 1)))
    return predictions, references


@cache
def code_points(*, every: bool) -> list[int]:
    """Every code point, planes 4 to 16, where none is a letter, thinned out; or the few that differ from a neighbour.

    The few are those below U+0600, of the first two planes those at which a run of code points of the same kind starts
    or ends, and some of each other plane.
    """
    if every:
        starts = (*range(0, 0x40000, 64), *range(0x40000, sys.maxunicode, 64 * 16))
        return [code for start in starts for code in range(start, start + 64)]
    kinds = [_kind(chr(code)) for code in range(0x20000)]
    ends = [at for at in range(0x600, 0x20000 - 1) if not kinds[at - 1] == kinds[at] == kinds[at + 1]]
    return [*range(0x600), *ends, *range(0x20000, sys.maxunicode, 0x1001), sys.maxunicode]


def _kind(character: str) -> tuple[str, bool, bool]:
    is_upper, is_composed = character.lower() != character, unicodedata.decomposition(character) != ""
    return unicodedata.category(character), is_upper, is_composed


def filled(template: str, *, every: bool, size: int = 64) -> Iterator[str]:
    """The template filled with those code points, `size` of them to a text."""
    codes = code_points(every=every)
    for start in range(0, len(codes), size):
        yield " ".join(template.format(chr(code)) for code in codes[start : start + size])
