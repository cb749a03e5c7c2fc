"""Values that do not belong where they are put: of other types and sizes, texts that mean something to others."""

from __future__ import annotations

from random import Random
from typing import Any

from tools.fuzz.json_text import Pairs, Raw

NUMBERS = (0, -0.0, 1, -1, 7, 0.5, 1e308, 5e-324, 2**31, 2**53 + 1, 2**63, 2**64, -(2**63) - 1, 10**30)
RAW_NUMBERS = tuple(map(Raw, ("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "-0", "1E400", "1" * 400)))
BROKEN_TOKENS = tuple(map(Raw, ("007", "+1", ".5", "1.", "tru", "nul", "'x'", "", "0x10", "1_000", "\\u12", '"\\x"')))
TEXTS = (
    *("", " ", "the", "a", "no", "7", "-1.5", "NaN", "null", "None", "[]", '["a", "b"]', "{}", "[", '"'),
    *("\ud800", "x\udfff", "\ud83d\ude00", "\x00", "a\x00b", "\x1b[31mred\x1b[0m", "\x7f", "\x85", "\u2028", "\ufeff"),
    *("line\nbreak", "cr\rlf\r\n", "tab\there", "=1+1", "@sum", "+cmd", "-2", "|pipe|", "`code`", "<img src=x>"),
    *("é", "ﬁ", "İ", "ß", "Москва", "北京", "مرحبا", "नमस्ते", "\u202eright", "e\u0301", "😀", "\U0010ffff", "½", "²"),
    *("../../etc/passwd", "/dev/null", "C:\\x", "http://x/", "$HOME", "%s%n", "{0}", "\\", "\\u0000", "a" * 300),
)
NAMES = (
    *("id", "question_id", "prediction", "answer", "references", "answers", "data", "samples", "resps", "doc_id"),
    *("no_answer_probability", "question type", "answer-type", "2024", "a.b", "class", "__class__", "", "\ud800"),
    *("Guid", "Output", "content", "type", "text", "is_impossible", "annotations", "format", "x" * 200, "\x00"),
)


def odd_text(source: Random) -> str:
    """A text; now and then long, or several joined."""
    if source.random() < 0.03:
        return source.choice(("x", "the ", "\u0301", "1,", "[")) * source.choice((100, 1_000, 20_000))
    return "".join(source.choices(TEXTS, k=source.choice((1, 1, 1, 2, 3))))


def odd_value(source: Random, depth: int = 0) -> Any:
    """Anything that JSON can hold, and now and then what it cannot."""
    kind = source.randrange(12 if depth < 3 else 7)
    if kind < 3:
        return odd_text(source)
    if kind < 5:
        return source.choice(NUMBERS)
    if kind == 5:
        return source.choice((None, True, False))
    if kind == 6:
        return source.choice(RAW_NUMBERS if source.random() < 0.8 else BROKEN_TOKENS)
    if kind in (7, 8):
        return [odd_value(source, depth + 1) for _ in range(source.randrange(4))]
    if kind in (9, 10):
        return Pairs((odd_name(source), odd_value(source, depth + 1)) for _ in range(source.randrange(4)))
    return nested(source)


def odd_name(source: Random) -> str:
    """A key or the name of a column."""
    return source.choice(NAMES) if source.random() < 0.8 else odd_text(source)


def nested(source: Random) -> Raw:
    """A value in very many brackets."""
    depth = source.choice((5, 50, 600, 5_000))
    opening, closing = source.choice((("[", "]"), ('{"a":', "}")))
    return Raw(opening * depth + "1" + closing * depth)
