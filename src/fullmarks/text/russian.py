"""Preparation of Russian texts for scoring: normal forms, numerals, second-try letters, METEOR tokens.

Every function is pure; the lemmatiser is handed in as a callable from word to normal form, so nothing here
knows which dictionary is behind it. Source: FusionBrain Challenge 2.0.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from fullmarks.optional import require
from fullmarks.text.memo import Memo
from fullmarks.text.number_words import digits_for_words
from fullmarks.text.tables import table

_CAPTION_MARKS = str.maketrans("", "", ",.!?:;%()[]}")  # not "{": the contest's list of opening marks is "([}"
_LETTER = re.compile("[a-e]")
_PLAIN_WORDS = re.compile(r"\s*(?:(?:[а-яё]+|[a-z]+|\d+)(?:\s+|$))*", re.IGNORECASE)
_INNER_MARKS = re.compile(r"--|[*{«»“”„‘’]")
_INNER_MARKS_AND_DASHES = re.compile(r"--|[*{«»“”„‘’‒–—―]")
_FUSED_WORDS = re.compile(r"\b(?:(can)(not)|(gim|lem)(me)|(gon)(na)|(got)(ta))\b|\b(wan)(na)(?=\s|$)", re.IGNORECASE)


def numerals() -> dict[str, str]:
    """Return the table from Russian numerals in normal form to digits."""
    numerals: dict[str, str] = table("russian_numerals")["numerals"]
    return numerals


@cache
def _punctuation_table(keep: str) -> dict[int, None]:
    return {ord(mark): None for mark in string.punctuation if mark not in keep}


def delete_punctuation(text: str, keep: str = "") -> str:
    """Return the text without ASCII punctuation, except the marks in `keep`.

    >>> delete_punctuation("(-3)", keep="-")
    '-3'
    """
    return text.translate(_punctuation_table(keep))


@dataclass(frozen=True)
class RussianNormaliser:
    """Lower case, no ASCII punctuation but `keep`, normal forms, numerals in digits, joined by blanks.

    The lemmatiser is asked once per distinct word. A text without words gives "".
    """

    lemmatise: Callable[[str], str]
    keep: str = ""
    _normal: Memo[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_normal", Memo(self.normal_word))

    def __call__(self, text: str) -> str:
        """Return the normalised text."""
        normal = self._normal
        return " ".join([normal[word] for word in delete_punctuation(text.lower(), self.keep).split()])

    def normal_word(self, word: str) -> str:
        """Return the normal form of one lower-case word, in digits if it is a numeral."""
        lemma = self.lemmatise(word)
        return numerals().get(lemma, lemma)


def option_letter(text: str) -> str | None:
    """Return the first lower-case Latin letter a to e anywhere in the raw text, or None.

    >>> option_letter("ответ: c) или d)")
    'c'
    """
    found = _LETTER.search(text)
    return found.group() if found else None


def normalise_whole(text: str, lemmatise: Callable[[str], str]) -> str:
    """Return the text without punctuation, in lower case, lemmatised as if it were one word.

    A numeral becomes digits only if it is the whole text. Source: FusionBrain Challenge 2.0, VisualQA.
    """
    lemma = lemmatise(delete_punctuation(text).lower())
    return numerals().get(lemma, lemma)


def caption_words(text: str, *, number_words: bool, cuts_dashes: bool = False) -> list[str]:
    """Return METEOR tokens: no , . ! ? : ; % nor brackets but {, razdel tokens in lower case, then NLTK's.

    `number_words` also turns English number words into digits and an old tokeniser's unknown word into <unk> (done on
    predictions only). `cuts_dashes` is that of `nltk_tokens`.
    """
    plain = text.translate(_CAPTION_MARKS)
    if number_words:
        plain = plain.replace("@@UNKNOWN@@", "<unk>")
    words = [word.lower() for word in razdel_tokens(plain)]
    return nltk_tokens(digits_for_words(words) if number_words else words, cuts_dashes=cuts_dashes)


def answer_words(text: str, *, number_words: bool, cuts_dashes: bool = False) -> list[str]:
    """Return METEOR tokens of an answer as `normalise_whole` gives it: NLTK's, for razdel has no part in these.

    `number_words` also turns English number words into digits (done on predictions only). `cuts_dashes` is that of
    `nltk_tokens`.

    >>> answer_words("5км от «дома»", number_words=False)
    ['5км', 'от', '«', 'дома', '»']
    """
    words = text.split()
    return nltk_tokens(digits_for_words(words) if number_words else words, cuts_dashes=cuts_dashes)


def razdel_tokens(text: str) -> list[str]:
    """Return the tokens of `razdel.tokenize`.

    A text of blank-separated words, each in one alphabet or all digits, needs none of razdel's rules and is
    split here.
    """
    if _PLAIN_WORDS.fullmatch(text):
        return text.split()
    razdel = require("razdel", needed_by="the Russian tokeniser", extra="ru")
    return [token.text for token in razdel.tokenize(text)]


def nltk_tokens(words: list[str], *, cuts_dashes: bool = False) -> list[str]:
    """Return what NLTK's `word_tokenize` makes of lower-case words joined by blanks.

    The words are razdel's tokens without , . ! ? : ; % and brackets but {, or have no ASCII punctuation at all: no
    sentence ends, no separators in numbers. Then only five of NLTK's rules can still act: a straight double quote is
    always an opening one, asterisks, { and typographic quotes stand alone, "--" is cut off, and a few fused English
    words ("cannot") are parted. Long dashes stay inside a word, as in the NLTK releases of the
    contest's time (checked: 3.7, 3.8.1, 3.9.1); `cuts_dashes` makes them tokens, as from 3.10 on (checked: 3.10.4).
    """
    marks = _INNER_MARKS_AND_DASHES if cuts_dashes else _INNER_MARKS
    result: list[str] = []
    for word in words:
        if word.isalpha() and not word.isascii():
            result.append(word)
        elif word == '"':
            result.append("``")
        else:
            parted = marks.sub(r" \g<0> ", word)
            result += _FUSED_WORDS.sub(_part, parted).split()
    return result


def _part(match: re.Match[str]) -> str:
    return " " + " ".join(filter(None, match.groups())) + " "
