"""Texts without their ASCII punctuation."""

from __future__ import annotations

import string

_MARKS = str.maketrans(dict.fromkeys(string.punctuation))


def without_marks(text: str) -> str:
    """The text without ASCII punctuation, its words separated by single blanks.

    >>> without_marks("No,  it's not .")
    'No its not'
    """
    return " ".join(text.translate(_MARKS).split())
