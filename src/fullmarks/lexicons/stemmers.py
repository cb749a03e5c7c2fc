"""Stemmers by name: each is a callable from a word to its stem, safe to share between threads and to pickle."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import get_close_matches

from fullmarks.errors import UsageError
from fullmarks.lexicons.russian_stemmer import russian_stem
from fullmarks.optional import require
from fullmarks.text.kernel import porter_stem

Stemmer = Callable[[str], str]

_OWN: dict[str, Stemmer] = {"porter": porter_stem, "russian": russian_stem}


@dataclass(frozen=True)
class SnowballStemmer:
    """The published Snowball algorithm of a language, from the `snowballstemmer` package.

    Its objects keep the word they are working on, so every thread has its own.
    """

    language: str
    _local: threading.local = field(default_factory=threading.local, init=False, repr=False, compare=False)

    def __call__(self, word: str) -> str:
        """Return the stem of a word."""
        stem: Stemmer | None = getattr(self._local, "stem", None)
        if stem is None:
            package = require("snowballstemmer", needed_by="the Snowball stemmer", extra="ru")
            stem = self._local.stem = package.stemmer(self.language).stemWord
        result: str = stem(word)
        return result

    def __reduce__(self) -> tuple[type[SnowballStemmer], tuple[str]]:
        return type(self), (self.language,)


def open_stemmer(name: str) -> Stemmer:
    """Return a stemmer by name: "porter" and "russian" (both as in NLTK), or "snowball-LANGUAGE".

    >>> open_stemmer("porter")("running")
    'run'
    """
    if name in _OWN:
        return _OWN[name]
    language = name.removeprefix("snowball-")
    if language == name:
        raise UsageError(_unknown(name, [*_OWN, "snowball-english", "snowball-russian"]))
    known = require("snowballstemmer", needed_by="the Snowball stemmer", extra="ru").algorithms()
    if language not in known:
        raise UsageError(_unknown(name, [*_OWN, *(f"snowball-{language}" for language in sorted(known))]))
    return SnowballStemmer(language)


def _unknown(name: str, choices: list[str]) -> str:
    close = get_close_matches(name, choices, n=2)
    hint = f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
    return f"unknown stemmer {name!r}.{hint} Known: {', '.join(choices)}."
