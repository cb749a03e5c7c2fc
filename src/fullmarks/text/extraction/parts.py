"""The steps that take a part out of a text by its form: a LaTeX box, a field of JSON, a pattern of the user's own.

Where there is no such part, nothing goes on: the text around it is not an answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from fullmarks.text.bounded_regex import BoundedPattern
from fullmarks.text.extraction.found import Found, found
from fullmarks.text.extraction.markup import without_commands

_BRACES = re.compile(r"\\(?:boxed|fbox)[ ]?\{|\\.|[{}]", re.DOTALL)
_KEY_END = re.compile(r"\s{0,9}:\s{0,9}")
_PLAIN = re.compile(r"[^\s,}\]]{1,99}")
_MOST_BROKEN = 8
"""So many values that are cut off or no JSON are looked into; more would be looked at again and again."""


def boxed(text: str) -> Found:
    """What the last `\\boxed{...}` holds, without `\\text{...}` around it; braces inside are balanced."""
    last: tuple[int, int] | None = None
    outermost: set[str] = set()
    opened: list[tuple[int, bool]] = []  # where each open brace's content starts, and whether it is a box
    boxes = 0
    for token in _BRACES.finditer(text):
        if token[0][-1] == "{" and token[0] != "\\{":
            is_box = len(token[0]) > 1
            opened.append((token.end(), is_box))
            boxes += is_box
        elif token[0] == "}" and opened:
            start, is_box = opened.pop()
            boxes -= is_box
            if is_box and (last is None or start > last[0]):
                last = (start, token.start())
            if is_box and boxes == 0:
                outermost.add(without_commands(text[start : token.start()]))
    if last is None:
        return Found("", "none")
    return found(without_commands(text[slice(*last)]), len(outermost) > 1)


def by_pattern(text: str, pattern: BoundedPattern) -> Found:
    """The first group of the first match, or all of it where the pattern has no group."""
    first = pattern.search(text)
    if first is None:
        return Found("", "none")
    taken = _group(first)
    following = pattern.search(text, first.end() + (first.end() == first.start()))
    return found(taken.strip(), following is not None and _group(following) != taken)


def _group(match: re.Match[str]) -> str:
    return match[1 if match.re.groups else 0] or ""


def json_field(text: str, field: str) -> Found:
    """The value of the last such field of JSON in the text, whatever stands around it; `a.b` goes into objects.

    A text comes without quotes, `null` as nothing, everything else as it is written.
    """
    name, *path = field.split(".")
    values = [inner for value in _values(text, name) if (inner := _inner(value, path)) is not None]
    if not values:
        return Found("", "none")
    return found(values[-1].shown, len({value.shown for value in values}) > 1)


class _Value(NamedTuple):
    """A value of JSON: as it was written, what it means, and where it ended."""

    written: str
    meaning: object
    end: int

    @property
    def shown(self) -> str:
        if self.meaning is None:
            return ""
        return self.meaning.strip() if isinstance(self.meaning, str) else self.written


def _values(text: str, name: str) -> Iterator[_Value]:
    """The values after every such key; those inside of a value that was read are part of it."""
    keys = re.compile(rf"""(["'])(?:{re.escape(name)}|{re.escape(json.dumps(name)[1:-1])})\1""")
    place, broken = 0, 0
    while broken < _MOST_BROKEN and (key := keys.search(text, place)):
        place = key.end()
        if (colon := _KEY_END.match(text, place)) is None:
            continue
        value = _value_at(text, colon.end())
        if value is None:
            broken += 1
            continue
        place = value.end
        yield value


def _value_at(text: str, start: int) -> _Value | None:
    if text.startswith("'", start):  # as Python writes it
        end = re.compile(r"'(?:[^'\\\n]|\\.|'(?=\w))*'").match(text, start)
        return end and _Value(end[0], re.sub(r"\\(.)", r"\1", end[0][1:-1]), end.end())
    try:
        meaning, end_at = json.JSONDecoder(strict=False).raw_decode(text, start)
    except (ValueError, RecursionError):
        plain = None if text[start : start + 1] in ("", '"', "{", "[") else _PLAIN.match(text, start)
        return plain and _Value(plain[0], plain[0], plain.end())
    return _Value(text[start:end_at], meaning, end_at)


def _inner(value: _Value, path: list[str]) -> _Value | None:
    meaning = value.meaning
    for name in path:
        if not isinstance(meaning, dict) or name not in meaning:
            return None
        meaning = meaning[name]
    return value if not path else _Value(json.dumps(meaning, ensure_ascii=False), meaning, value.end)
