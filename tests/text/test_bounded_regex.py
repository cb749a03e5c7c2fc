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
from fullmarks.text.bounded_regex import BoundedPattern

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


UNLIKE_PIECES = [
    *"aikß.²ıſ",
    *[
        r"\w",
        r"\W",
        r"\s",
        r"\S",
        r"\d",
        r"\b",
        r"\B",
        "[^i]",
        "[a-z]",
        r"[^\w]",
        r"[\s²]",
        "[İ-Ķ]",
        r"[^\Wß]",
        "(k)",
        r"(?i:\1)",
    ],
    *[
        "(?i:I)",
        "(?a:\\w)",
        "(?a:\\b)",
        "(?-i:k)",
        "+",
        "*",
        "?",
        "(?:i|ı)",
        "^",
        "$",
        "(?s:.)",
        "{1,2}",
        r"\N{KELVIN SIGN}",
        r"\x1f",
    ],
]
UNLIKE_CHARACTERS = "aiIıİkK\u212asſSß\u1e9e²½①é\u0301\u0345ιΙς\u200d\u203f\x1c\x1f \n\u3000१٣_-\U0001e4d0\ud800"
"""Letters, marks, digits and blanks of which the two packages have different tables, and what is near them."""


@pytest.mark.parametrize("count", [120, pytest.param(6_000, marks=pytest.mark.deep)])
@pytest.mark.parametrize(
    ("pieces", "characters", "flags"),
    [(PIECES, CHARACTERS, 0), (UNLIKE_PIECES, UNLIKE_CHARACTERS, 0), (UNLIKE_PIECES, UNLIKE_CHARACTERS, re.I | re.M)],
)
def test_it_finds_what_re_finds(pieces: list[str], characters: str, flags: int, count: int) -> None:
    drawn = random.Random(20)
    wrong, compared, found = [], 0, 0
    while compared < count:
        pattern = "".join(drawn.choices(pieces, k=drawn.randint(1, 7)))
        text = "".join(drawn.choices(characters, k=drawn.randint(0, 12)))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                plain = re.compile(pattern, flags)
        except (re.error, OverflowError):
            continue
        compared += 1
        bounded = BoundedPattern(pattern, ignore_case=bool(flags), multiline=bool(flags))
        wanted = outcome(plain.search(text))
        found += wanted is not None
        if outcome(bounded.search(text)) != wanted or outcome(bounded.match(text)) != outcome(plain.match(text)):
            wrong.append((pattern, text))
    assert not wrong
    assert found > count / 8


@pytest.mark.parametrize(
    ("pattern", "text", "is_match"),
    [
        (r"(\N{LATIN SMALL LETTER A})+", "aa", True),
        (r"(the )?\w+( \w+)*$", "x²", True),
        (r"(\s)+", "\x1f", True),
        ("(i)+", "ı", True),
        (r"(\w)+$", "e\u0301", False),
    ],
)
def test_what_the_packages_read_differently_is_read_as_re_does(pattern: str, text: str, is_match: bool) -> None:
    assert (re.match(pattern, text, re.I | re.M) is not None) is is_match
    assert (BoundedPattern(pattern, ignore_case=True, multiline=True).match(text) is not None) is is_match


def test_groups_keep_their_names_and_numbers() -> None:
    match = BoundedPattern(r"(?P<year>\d{4})(?:-(\d\d))?(?(2)!|\?)").search("in 1999-12!")
    assert (match["year"], match[2], match.re.groups) == ("1999", "12", 2)


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
