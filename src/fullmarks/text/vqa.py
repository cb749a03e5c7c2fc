"""The answer normaliser of the VQA evaluation, quirks included."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from fullmarks.text.tables import table

_COMMA_IN_NUMBER = re.compile(r"\d,\d")
_PERIOD = re.compile(r"\.(?!\d)")
_MOST_PERIODS = 32
"""The published program passes a flag where the number of replacements belongs: only so many periods go."""


def trim(text: str) -> str:
    """The text with line breaks and tabs as blanks and none at its ends: done to every answer."""
    return text.replace("\n", " ").replace("\t", " ").strip()


def blank_marks(text: str) -> str:
    """Punctuation deleted where it touches a blank, or anywhere if a comma stands in a number; else made a blank."""
    result = text
    comma_in_number = _COMMA_IN_NUMBER.search(text) is not None
    for mark in table("vqa")["punctuation"]:
        if mark in text:
            gone = comma_in_number or f"{mark} " in text or f" {mark}" in text
            result = result.replace(mark, "" if gone else " ")
    return result


def strip_punctuation(text: str) -> str:
    """The same, and periods that no digit follows deleted."""
    if text.replace(" ", "").isalnum():
        return text
    return _PERIOD.sub("", blank_marks(text), count=_MOST_PERIODS)


def changed_words(contractions: Mapping[str, str]) -> dict[str, str]:
    """What becomes of the words that do not stay as they are, under a table of contractions: nothing of articles."""
    numbers, articles = table("vqa")["numbers"], table("vqa")["articles"]
    mapped = {word: numbers.get(word, word) for word in (*numbers, *articles, *contractions)}
    return {word: "" if number in articles else contractions.get(number, number) for word, number in mapped.items()}


@lru_cache(maxsize=1)
def _words() -> dict[str, str]:
    return changed_words(table("vqa")["contractions"])


def map_words(text: str, changed: Mapping[str, str] | None = None) -> str:
    """Lower-cased words with number words as digits, articles dropped and contractions given their apostrophe.

    `changed` is what becomes of words where the table of contractions is another than VQA's.
    """
    words = text.lower().split()
    return " ".join([word for word in map((_words() if changed is None else changed).get, words, words) if word])


def normalize_vqa(text: str) -> str:
    """What answers are compared by when the annotators disagree; expects trimmed text.

    >>> normalize_vqa("The two dogs.")
    '2 dogs'
    """
    return map_words(strip_punctuation(text))
