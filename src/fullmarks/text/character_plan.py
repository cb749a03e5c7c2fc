"""Recipes that are one pass over the characters of a text, told as tables: what the kernel needs to be fast.

Invariant: a plan gives the tokens of the steps it was made of, for any text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fullmarks.text.overlap import ALONE, BLANK, DELETED, OTHER, WORD
from fullmarks.text.steps import LOWER, NFD, SINGLE_BLANKS, Anywhere, Characters, CjkCharacters, Step, Words


@dataclass(frozen=True)
class CharacterPlan:
    """Steps as: prepare the text, look up every character's kind, blank some words or one piece, cut at blanks."""

    before: tuple[Step, ...]
    """Normal forms, lower case and what stands before it; for ASCII texts these change character by character."""
    sets: tuple[Characters, ...]
    words: tuple[str, ...] = ()
    anywhere: str = ""
    chinese_apart: bool = False

    @property
    def prepare(self) -> Callable[[str], str]:
        """The steps before the characters are looked up, as one function."""
        return str.lower if self.before == (LOWER,) else self._prepared

    def _prepared(self, text: str) -> str:
        for step in self.before:
            text = step(text)
        return text

    def kind(self, code: int) -> int:
        """What a character of the prepared text is: deleted, a blank, part of a word, a token alone, or another."""
        character = chr(code)
        for step in self.sets:
            character = step(character)
            if not character:
                return DELETED
        if character.isspace():
            return BLANK
        if self.chinese_apart and "\u4e00" <= character <= "\u9fa5":
            return ALONE
        return WORD if character.isalnum() or character == "_" else OTHER


def plan_of(order: tuple[Step, ...]) -> CharacterPlan | None:
    """The plan of a recipe's steps; None where they are no such pass and have to be done one after the other."""
    if not order or not (order[-1] == SINGLE_BLANKS or isinstance(order[-1], CjkCharacters)):
        return None
    rest = list(order[:-1])
    words: tuple[str, ...] = ()
    anywhere = ""
    if rest and isinstance(rest[-1], Words):
        words = rest.pop().words  # type: ignore[attr-defined]
        if not all(_is_word(word) for word in words):
            return None
    elif rest and isinstance(rest[-1], Anywhere):
        anywhere = rest.pop().piece  # type: ignore[attr-defined]
        if not anywhere or any(character.isspace() for character in anywhere):
            return None
    sets: list[Characters] = []
    while rest and isinstance(rest[-1], Characters):
        sets.insert(0, rest.pop())  # type: ignore[arg-type]
    if not all(step in (NFD, LOWER) or isinstance(step, Characters) for step in rest):
        return None
    chinese_apart = isinstance(order[-1], CjkCharacters)
    if chinese_apart and (words or anywhere):
        return None  # a Chinese character is a letter, which would have to end a word here and not there
    return CharacterPlan(tuple(rest), tuple(sets), words, anywhere, chinese_apart)


def _is_word(word: str) -> bool:
    return bool(word) and all(character.isalnum() or character == "_" for character in word)
