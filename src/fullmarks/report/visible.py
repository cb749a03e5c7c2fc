"""Texts from files and names made harmless to look at: what a terminal would obey is shown as an escape instead."""

from __future__ import annotations


def visible(text: str) -> str:
    """The text with every character that is not for print written as Python escapes it; always valid Unicode.

    >>> print(visible("red: \\x1b[31m, half: \\ud800, a\\nb"))
    red: \\x1b[31m, half: \\ud800, a\\nb
    """
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _escaped(character) for character in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
