"""The answer normaliser of the VQA evaluation, quirks included."""

from __future__ import annotations

import re
from functools import lru_cache

from fullmarks.text.tables import table

_COMMA_IN_NUMBER = re.compile(r"\d,\d")
_PERIOD = re.compile(r"\.(?!\d)")
_MOST_PERIODS = 32
"""The published program passes a flag where the number of replacements belongs: only so many periods go."""


def trim(text: str) -> str:
    """The text with line breaks and tabs as blanks and none at its ends: done to every answer."""
    return text.replace("\n", " ").replace("\t", " ").strip()


def strip_punctuation(text: str) -> str:
    """Punctuation deleted where it touches a blank, or anywhere if a comma stands in a number; else made a blank."""
    result = text
    comma_in_number = _COMMA_IN_NUMBER.search(text) is not None
    for mark in table("vqa")["punctuation"]:
        if mark in text:
            gone = comma_in_number or f"{mark} " in text or f" {mark}" in text
            result = result.replace(mark, "" if gone else " ")
    return _PERIOD.sub("", result, count=_MOST_PERIODS)


@lru_cache(maxsize=1)
def _words() -> dict[str, str]:
    """What becomes of the words that do not stay as they are: nothing of articles."""
    words = table("vqa")
    numbers, articles, contractions = words["numbers"], words["articles"], words["contractions"]
    mapped = {word: numbers.get(word, word) for word in (*numbers, *articles, *contractions)}
    return {word: "" if number in articles else contractions.get(number, number) for word, number in mapped.items()}


def map_words(text: str) -> str:
    """Lower-cased words with number words as digits, articles dropped and contractions given their apostrophe."""
    words = text.lower().split()
    return " ".join([word for word in map(_words().get, words, words) if word])


def normalize_vqa(text: str) -> str:
    """What answers are compared by when the annotators disagree; expects trimmed text.

    >>> normalize_vqa("The two dogs.")
    '2 dogs'
    """
    if text.replace(" ", "").isalnum():
        return map_words(text)
    return map_words(strip_punctuation(text))
