"""The one interface of synonym lexicons, and the two smallest of them: none at all, and a table.

A lexicon answers one question: which words may stand for this word? The answer always contains the word itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


class Lexicon(Protocol):
    """Synonyms of words; `name` says which lexicon it is, with a fingerprint of its content."""

    @property
    def name(self) -> str:
        """What a signature records."""

    def synonyms(self, word: str) -> frozenset[str]:
        """Return the words that may stand for a word, itself included."""


@dataclass(frozen=True)
class NoSynonyms:
    """The lexicon without entries: every word stands for itself alone."""

    name: str = "none"

    def synonyms(self, word: str) -> frozenset[str]:
        """Return the word alone."""
        return frozenset((word,))


@dataclass(frozen=True, repr=False)
class TableLexicon:
    """A lexicon held in a dictionary from upper-case word to the lower-case words that may stand for it."""

    name: str
    table: Mapping[str, frozenset[str]]

    def synonyms(self, word: str) -> frozenset[str]:
        """Return the words that may stand for a word in any case, itself included."""
        names = self.table.get(word.upper().strip())
        return frozenset((word,)) if names is None else names | {word}

    def __repr__(self) -> str:
        return f"TableLexicon({self.name!r}, {len(self.table)} words)"


def collect(pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """Return a `TableLexicon`'s table from pairs of a word and one that may stand for it, in any order."""
    names: dict[str, set[str]] = {}
    for word, name in pairs:
        names.setdefault(word.upper().strip(), set()).add(name.lower())
    return {word: frozenset(found) for word, found in names.items()}


def fingerprint(*paths: Path) -> str:
    """Return eight hexadecimal digits that depend on the content of the files."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()[:8]
