"""Texts without the Markdown, LaTeX and quotation marks around them."""

from __future__ import annotations

import re

_PAIRS = (
    ("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ("`", "`"), ("$$", "$$"), ("$", "$"), ("\\(", "\\)"),
    ("\\[", "\\]"), ('"', '"'), ("'", "'"), ("“", "”"), ("„", "“"), ("«", "»"), ("「", "」"), ("『", "』"), ("‘", "’"),
    ("<answer>", "</answer>"),
)  # fmt: skip
_COMMAND = re.compile(r"\\(?:boxed|fbox|text|textbf|textit|textrm|mathrm|mathbf|mathit|emph)[ ]?\{")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
MOST_LAYERS = 8
"""So many marks around each other are taken off; each costs one look at the text."""
_STOPS = ".。।"


def without_markup(text: str) -> str:
    """The text without pairs of marks around the whole of it, a final full stop, and marks left open at its ends.

    >>> without_markup("**Paris**."), without_markup(r"$\\boxed{42}$"), without_markup('"The Beatles"')
    ('Paris', '42', 'The Beatles')
    """
    start, end = _trimmed(text, 0, len(text))
    for _ in range(MOST_LAYERS):
        inner = _unwrapped(text, start, end)
        if inner == (start, end):
            break
        start, end = _trimmed(text, *inner)
    return text[start:end].strip("*`").strip()


def without_commands(text: str) -> str:
    """The text without white space and LaTeX commands around the whole of it, such as `\\text{...}`."""
    start, end = _trimmed(text, 0, len(text), stops="")
    for _ in range(MOST_LAYERS):
        inner = _without_command(text, start, end)
        if inner == (start, end):
            break
        start, end = _trimmed(text, *inner, stops="")
    return text[start:end]


def _trimmed(text: str, start: int, end: int, stops: str = _STOPS) -> tuple[int, int]:
    """Without white space, and without one full stop that is not part of an ellipsis or an abbreviation."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if end - start > 1 and text[end - 1] in stops and not _belongs(text, start, end):
        return _trimmed(text, start, end - 1, stops="")
    return start, end


def _belongs(text: str, start: int, end: int) -> bool:
    """Whether the last full stop is a part of the word: "U.S.", "...", but not "42."."""
    if text[end - 1] != ".":
        return False
    before = text[max(start, end - 4) : end - 1]
    return before.endswith(".") or (len(before) > 1 and before[-1].isalpha() and before[-2] == ".")


def _unwrapped(text: str, start: int, end: int) -> tuple[int, int]:
    for opening, closing in _PAIRS:
        inner, outer = start + len(opening), end - len(closing)
        if inner <= outer and text.startswith(opening, start) and text.startswith(closing, outer):
            if opening == closing and text.find(opening, inner, outer) >= 0:
                return start, end  # two marked parts, not one
            return inner, outer
    return _without_command(text, start, end)


def _without_command(text: str, start: int, end: int) -> tuple[int, int]:
    """What stands between the braces of a command, if the last brace closes the first."""
    opened = _COMMAND.match(text, start, end)
    if opened is None or text[end - 1] != "}":
        return start, end
    depth = 1
    for brace in _BRACE.finditer(text, opened.end(), end):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return (opened.end(), end - 1) if brace.end() == end else (start, end)
    return start, end
