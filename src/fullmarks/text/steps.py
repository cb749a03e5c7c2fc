"""The vocabulary of recipes: each kind of step is a small value that names itself and changes a text.

Invariant: a step is a value that compares and pickles, and does to any text what the regular expression or the
method of the published programs does: `\\b` and `\\w` as `re` has them for str, white space as `str.split`.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, Protocol

ASCII_PUNCTUATION = string.punctuation
ENGLISH_ARTICLES = ("a", "an", "the")


class Step(Protocol):
    """What stands in a recipe: a name for people, and the text after it."""

    @property
    def name(self) -> str:
        """What the step does, in a few words."""

    def __call__(self, text: str) -> str:
        """The text after the step."""


@dataclass(frozen=True)
class Apply:
    """Any function on a text under a name; one that a module defines by name, so that the step pickles."""

    name: str
    function: Callable[[str], str]

    def __call__(self, text: str) -> str:
        """The text after the function."""
        return self.function(text)


@dataclass(frozen=True)
class Characters:
    """Every character of a set deleted, or made a blank.

    >>> Characters("ASCII", "!?", becomes=" ")("Oh! No?")
    'Oh  No '
    """

    title: str
    characters: str
    becomes: Literal["", " "] = ""
    unicode_punctuation: bool = False
    """Whether the set also has every character of a Unicode category P*, as this interpreter knows them."""

    @property
    def name(self) -> str:
        """The set and what becomes of it."""
        return f"{self.title} to blank" if self.becomes else f"{self.title} deleted"

    def __call__(self, text: str) -> str:
        """The text without the characters, or with blanks in their places."""
        return text.translate(_table(self))


class _Table(dict[int, "str | int"]):
    """A table for str.translate that looks at a character when it first occurs."""

    def __init__(self, step: Characters) -> None:
        super().__init__()
        self._characters = frozenset(step.characters)
        self._becomes = step.becomes
        self._unicode = step.unicode_punctuation

    def __missing__(self, code: int) -> str | int:
        character = chr(code)
        is_in = character in self._characters or (self._unicode and unicodedata.category(character)[0] == "P")
        value = self[code] = self._becomes if is_in else code
        return value


@lru_cache(maxsize=256)
def _table(step: Characters) -> _Table:
    return _Table(step)


@dataclass(frozen=True)
class Words:
    """Every whole word of a list made a blank; a word is a longest run of letters, digits and underscores.

    >>> Words("English articles", ("a", "an", "the"))("the cat, a-b, ana")
    '  cat,  -b, ana'
    """

    title: str
    words: tuple[str, ...]

    @property
    def name(self) -> str:
        """The list and what becomes of it."""
        return f"{self.title} to blank"

    def __call__(self, text: str) -> str:
        """The text with blanks in the places of the words."""
        return _pattern(rf"\b(?:{'|'.join(map(re.escape, self.words))})\b", 0).sub(" ", text)


@dataclass(frozen=True)
class Anywhere:
    """A piece of text made a blank wherever it stands, from left to right, inside words too."""

    title: str
    piece: str

    @property
    def name(self) -> str:
        """The piece and what becomes of it."""
        return f"{self.title} to blank"

    def __call__(self, text: str) -> str:
        """The text with blanks in the places of the piece."""
        return text.replace(self.piece, " ")


@dataclass(frozen=True)
class Substitute:
    """Every match of a regular expression replaced."""

    name: str
    pattern: str
    becomes: str = ""
    flags: int = 0

    def __call__(self, text: str) -> str:
        """The text after the substitution."""
        return _pattern(self.pattern, self.flags).sub(self.becomes, text)


@lru_cache(maxsize=256)
def _pattern(pattern: str, flags: int) -> re.Pattern[str]:
    return re.compile(pattern, flags)


@dataclass(frozen=True)
class CutAt:
    """The text up to the first of a mark, for one mark after the other, as harnesses cut at stop strings.

    >>> CutAt(("\\n", ","))("New York, NY\\nUSA")
    'New York'
    """

    marks: tuple[str, ...]

    @property
    def name(self) -> str:
        """The marks."""
        return f"cut at {' '.join(map(repr, self.marks))}"

    def __call__(self, text: str) -> str:
        """The text before the marks; all of it where there is none."""
        for mark in self.marks:
            text = text.partition(mark)[0]
        return text


@dataclass(frozen=True)
class EachPiece:
    """The text cut at some characters, steps done on every piece, empty pieces dropped, the rest joined by a blank."""

    title: str
    borders: str
    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        # Pieces are words, of which a set of answers has few: each is changed once.
        object.__setattr__(self, "_changed", lru_cache(maxsize=65_536)(self._change))

    def __reduce__(self) -> tuple[type[EachPiece], tuple[str, str, tuple[Step, ...]]]:
        return type(self), (self.title, self.borders, self.steps)

    @property
    def name(self) -> str:
        """How the text is cut and what is done to each piece."""
        return f"{self.title} ({', '.join(step.name for step in self.steps)})"

    def __call__(self, text: str) -> str:
        """The changed pieces."""
        for border in self.borders[1:]:
            text = text.replace(border, self.borders[0])
        changed: Callable[[str], str] = self.__dict__["_changed"]
        return " ".join(filter(None, map(changed, text.split(self.borders[0]))))

    def _change(self, piece: str) -> str:
        """The piece after all steps; nothing where only white space is left."""
        for step in self.steps:
            piece = step(piece)
        return piece if piece.strip() else ""


@dataclass(frozen=True)
class CjkCharacters:
    """Each Chinese character from U+4E00 to U+9FA5 a token of its own, the rest cut at white space, on single blanks.

    >>> CjkCharacters()("北京ab 12年")
    '北 京 ab 12 年'
    """

    name: str = "CJK characters apart, single blanks"

    def __call__(self, text: str) -> str:
        """The tokens joined by one blank."""
        return " ".join(_pattern("([\u4e00-\u9fa5])", 0).sub(r" \1 ", text).split())


def decompose(text: str) -> str:
    """The text in Unicode's normal form D."""
    return unicodedata.normalize("NFD", text)


def single_blanks(text: str) -> str:
    """The words between white space, joined by one blank."""
    return " ".join(text.split())


NFD = Apply("NFD", decompose)
LOWER = Apply("lower case", str.lower)
STRIP = Apply("white space around deleted", str.strip)
SINGLE_BLANKS = Apply("single blanks", single_blanks)
NO_ASCII_PUNCTUATION = Characters("ASCII punctuation", ASCII_PUNCTUATION)
NO_PUNCTUATION = Characters("ASCII and Unicode punctuation", ASCII_PUNCTUATION, unicode_punctuation=True)
NO_ENGLISH_ARTICLES = Words("English articles", ENGLISH_ARTICLES)
