"""Russian normal forms from pymorphy3's dictionary: the most probable parse of each word."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from fullmarks.optional import require

MEMORY = 1 << 18


class RussianLemmatiser:
    """A callable from a word to its normal form; the dictionary is opened with the first word.

    Distinct words are parsed once, as long as there are no more than 262,144 of them at a time.
    """

    def __init__(self) -> None:
        self._parse: Callable[[str], Any] | None = None
        self._remember = lru_cache(maxsize=MEMORY)(self._lemmatise)

    def __call__(self, word: str) -> str:
        """Return the normal form; an empty word is its own, and one that pymorphy3 cannot read in lower case."""
        return self._remember(word)

    def _lemmatise(self, word: str) -> str:
        if self._parse is None:
            pymorphy = require("pymorphy3", needed_by="the Russian lemmatiser", extra="ru")
            require("pymorphy3_dicts_ru", needed_by="the Russian lemmatiser", extra="ru")
            self._parse = pymorphy.MorphAnalyzer(lang="ru").parse
        try:
            normal_form: str = self._parse(word)[0].normal_form
        except ValueError:  # a letter without a Unicode name, which pymorphy3 asks for, or half a surrogate pair
            return word.lower()
        return normal_form

    def __reduce__(self) -> tuple[type[RussianLemmatiser], tuple[()]]:
        return type(self), ()


def morphology_name() -> str:
    """The package and its dictionary with their versions, for a signature."""
    from importlib.metadata import version

    require("pymorphy3", needed_by="the Russian lemmatiser", extra="ru")
    require("pymorphy3_dicts_ru", needed_by="the Russian lemmatiser", extra="ru")
    return f"pymorphy3-{version('pymorphy3')},dictionary-{version('pymorphy3-dicts-ru')}"
