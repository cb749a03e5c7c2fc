"""Answer normalisers as other tools have them, each a choice of steps; none of them is a benchmark's own."""

from __future__ import annotations

import re
import string
import unicodedata
from dataclasses import dataclass
from typing import Literal

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_ASCII_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_NO_ASCII_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True)
class Normaliser:
    """The steps in their order: lower case, punctuation, articles, white space.

    >>> Normaliser(articles="keep")("The  Cat's hat.")
    'the cats hat'
    >>> Normaliser(case="keep", punctuation="keep", articles="keep", blanks="strip")(" The  Cat. ")
    'The  Cat.'
    """

    case: Literal["lower", "ascii-lower", "keep"] = "lower"
    punctuation: Literal["ascii", "unicode", "keep"] = "ascii"
    articles: Literal["drop", "keep"] = "drop"
    blanks: Literal["single", "strip"] = "single"

    def __call__(self, text: str) -> str:
        """The text after all steps."""
        if self.case == "lower":
            text = text.lower()
        elif self.case == "ascii-lower":
            text = text.translate(_ASCII_LOWER)
        if self.punctuation == "ascii":
            text = text.translate(_NO_ASCII_PUNCTUATION)
        elif self.punctuation == "unicode":
            text = "".join(character for character in text if not unicodedata.category(character).startswith("P"))
        if self.articles == "drop":
            text = _ARTICLES.sub(" ", text)
        return " ".join(text.split()) if self.blanks == "single" else text.strip()

    def __str__(self) -> str:
        return f"{self.case}+{self.punctuation}+{self.articles}+{self.blanks}"


RAW = Normaliser(case="keep", punctuation="keep", articles="keep", blanks="strip")
"""Only white space around the text is removed."""
