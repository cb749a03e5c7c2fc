"""Patterns with a bound on their time: what `re` finds, or an error in time."""

from __future__ import annotations

import pickle
import random
import re
import sys
import warnings

import pytest

from fullmarks.errors import MissingDependencyError, UsageError
from fullmarks.text import bounded_regex
from fullmarks.text.bounded_regex import BoundedPattern, as_re_reads

PIECES = [
    *"ab{}[]()^$-,|.*+?dw12:=!<xßé",
    *[
        "&&",
        "||",
        "--",
        "~~",
        "{e}",
        "{e<=1}",
        "{i,d}",
        "[:alpha:]",
        "[[:alpha:]]",
        "(?:a",
        "(?=b)",
        "(?<=a)",
        "(?P<n>b)",
    ],
    *["(?i)", r"\d", r"\b", r"\s", r"(a)\1", "{2}", "{1,}", "{,2}", "{,}", "[^]", "[]a]", "[a-b[]", r"\{", r"[\]{]"],
]
CHARACTERS = "ab12{}[]()-,:|&~^=<>!e xAB\nßé"


def outcome(match: re.Match[str] | None) -> object:
    return match and (match.span(), match.groups())


@pytest.mark.parametrize("count", [400, pytest.param(3_000, marks=pytest.mark.deep)])
def test_it_finds_what_re_finds(count: int) -> None:
    drawn = random.Random(20)
    compared = 0
    while compared < count:
        pattern = "".join(drawn.choices(PIECES, k=drawn.randint(1, 7)))
        text = "".join(drawn.choices(CHARACTERS, k=drawn.randint(0, 12)))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                plain = re.compile(pattern)
        except (re.error, OverflowError):
            continue
        compared += 1
        assert outcome(BoundedPattern(pattern).search(text)) == outcome(plain.search(text)), (pattern, text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("colou{e}r", "colour"),  # in regex a letter too many or too few; in re the braces themselves
        ("[[:alpha:]]+", "word"),
        ("x{i<=1}", "x{i<=1}"),
    ],
)
def test_what_only_the_other_package_knows_means_what_it_means_in_re(pattern: str, text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert outcome(BoundedPattern(pattern).search(text)) == outcome(re.search(pattern, text))


def test_braces_are_escaped_only_where_they_are_no_count() -> None:
    assert as_re_reads(r"a{2}{3,}\{x}[{[]") == r"a{2}{3,}\{x\}[\{\[]"


@pytest.mark.parametrize("pattern", ["(", "a**", r"\p{L}", r"(?V1)a", "(?<x>a)", "[a"])
def test_what_is_no_pattern_of_re_is_refused(pattern: str) -> None:
    with pytest.raises(UsageError, match="is not a regular expression"):
        BoundedPattern(pattern).check()


@pytest.mark.parametrize(("pattern", "text"), [(r"(a|aa)+$", "a" * 90 + "b"), (r"(.+)+[^.]$", "a." * 3000)])
def test_a_pattern_that_backtracks_is_an_error_in_time(
    pattern: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded_regex, "SECONDS", 0.2)
    with pytest.raises(UsageError, match=rf"did not come to an end within 0\.2 seconds on a text of {len(text)} char"):
        BoundedPattern(pattern).search(text)


def test_flags() -> None:
    assert BoundedPattern("^B$", ignore_case=True, multiline=True).search("a\nb\nc").span() == (2, 3)
    assert BoundedPattern("a.b").search("a\nb") is None
    assert BoundedPattern("a.b", dot_all=True).search("a\nb").span() == (0, 3)
    assert BoundedPattern("a").search("aba", 1).span() == (2, 3)


def test_it_pickles() -> None:
    pattern = BoundedPattern(r"(\d+)")
    pattern.check()
    assert pickle.loads(pickle.dumps(pattern)).search("a12")[1] == "12"


def test_without_the_package_the_line_to_type_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    bounded_regex._compiled.cache_clear()
    monkeypatch.setitem(sys.modules, "regex", None)
    with pytest.raises(MissingDependencyError, match=r"needs 'regex'.*pip install 'fullmarks\[regex\]'"):
        BoundedPattern("never seen before").check()
