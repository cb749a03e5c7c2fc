"""The answer normaliser of the VQA evaluation, quirks included."""

from __future__ import annotations

import re

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


def map_words(text: str) -> str:
    """Lower-cased words with number words as digits, articles dropped and contractions given their apostrophe."""
    words = table("vqa")
    numbers, articles, contractions = words["numbers"], words["articles"], words["contractions"]
    mapped = (numbers.get(word, word) for word in text.lower().split())
    return " ".join(contractions.get(word, word) for word in mapped if word not in articles)


def normalize_vqa(text: str) -> str:
    """What answers are compared by when the annotators disagree; expects trimmed text.

    >>> normalize_vqa("The two dogs.")
    '2 dogs'
    """
    return map_words(strip_punctuation(text))
