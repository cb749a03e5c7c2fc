"""A pattern of `re` rewritten for the package `regex` so that both take the same characters.

The two packages have different tables of letters, white space and case: `re` takes "²" for a letter and "ı" for an "i",
`regex` takes combining marks for letters. So `re` parses the pattern, `re` is asked for every place which characters it
takes there, and `regex` gets these characters written out. What is left for it is the order in which ways are tried,
and there both agree.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import lru_cache
from itertools import groupby
from typing import Any

from fullmarks.optional import require

_parser: Any = getattr(re, "_parser", None) or re.sre_parse  # type: ignore[attr-defined]  # its name up to Python 3.10
_CATEGORIES = {"DIGIT": (r"\d", r"\p{Nd}"), "SPACE": (r"\s", r"\s"), "WORD": (r"\w", r"\p{L}\p{N}_")}
"""The categories of characters as `re` writes them, and what is nearly the same in `regex`."""
_ENDS = {"BEGINNING": "^", "BEGINNING_STRING": r"\A", "END": "$", "END_STRING": r"\Z"}
_REPEATS = {"MAX_REPEAT": "", "MIN_REPEAT": "?", "POSSESSIVE_REPEAT": "+"}
_KINDS_OF_TEXT = re.ASCII | re.LOCALE | re.UNICODE
"""The flags of which a group may have another one than its surroundings."""


def re_as_regex(pattern: str, flags: int = 0) -> str:
    r"""The pattern, which `re` takes with these flags, in the language of version 1 of `regex`, where it needs none.

    >>> re_as_regex(r"a{2}\N{DIGIT ONE}"), re_as_regex("(K)+", re.IGNORECASE)
    ('(?:[\\x61]){2,2}[\\x31]', '(?:((?:[\\x4b]|[\\x6b\\u212a]))){1,}')
    """
    parsed = _parser.parse(pattern, flags)
    names = {number: name for name, number in parsed.state.groupdict.items()}
    return _Writer(names).sequence(parsed, parsed.state.flags)


class _Writer:
    """Writes what the parser found; `names` are those of the groups that have one."""

    def __init__(self, names: dict[int, str]) -> None:
        self._names = names

    def sequence(self, items: Iterable[tuple[Any, Any]], flags: int) -> str:
        return "".join(self._item(op.name, value, flags) for op, value in items)

    def _item(self, name: str, value: Any, flags: int) -> str:
        if name in _REPEATS:
            least, most, inner = value
            end = "" if most == _parser.MAXREPEAT else int(most)
            return f"(?:{self.sequence(inner, flags)}){{{int(least)},{end}}}{_REPEATS[name]}"
        if name == "ANY":
            return "(?s:.)" if flags & re.DOTALL else "."
        if name == "AT":
            return _place(value.name.removeprefix("AT_"), flags)
        if name == "IN":
            return _brackets(value, flags)
        if name in ("LITERAL", "NOT_LITERAL"):
            return _one_of(_escaped(value), _escaped(value), flags, is_negated=name == "NOT_LITERAL")
        return getattr(self, f"_{name.lower()}")(value, flags)  # type: ignore[no-any-return]

    def _subpattern(self, value: Any, flags: int) -> str:
        number, added, dropped, inner = value
        if added & _KINDS_OF_TEXT:
            flags &= ~_KINDS_OF_TEXT
        start = "?:" if number is None else f"?P<{self._names[number]}>" if number in self._names else ""
        return f"({start}{self.sequence(inner, (flags | added) & ~dropped)})"

    def _branch(self, value: Any, flags: int) -> str:
        return f"(?:{'|'.join(self.sequence(way, flags) for way in value[1])})"

    def _atomic_group(self, value: Any, flags: int) -> str:
        return f"(?>{self.sequence(value, flags)})"

    def _assert(self, value: Any, flags: int) -> str:
        direction, inner = value
        return f"(?{'<' if direction < 0 else ''}={self.sequence(inner, flags)})"

    def _assert_not(self, value: Any, flags: int) -> str:
        direction, inner = value
        return f"(?{'<' if direction < 0 else ''}!{self.sequence(inner, flags)})"

    def _groupref(self, value: Any, flags: int) -> str:
        return f"(?i-f:\\g<{value}>)" if flags & re.IGNORECASE else f"\\g<{value}>"

    def _groupref_exists(self, value: Any, flags: int) -> str:
        number, there, absent = value
        return f"(?({number}){self.sequence(there, flags)}|{self.sequence(absent or (), flags)})"

    def _failure(self, value: Any, flags: int) -> str:
        del value, flags
        return "(?!)"


def _place(name: str, flags: int) -> str:
    """A place between characters."""
    if name not in _ENDS:
        word = _category("WORD", flags & re.ASCII)
        if name == "BOUNDARY":
            return f"(?(?<={word})(?!{word})|(?={word}))"
        empty = "" if re.search(r"\B", "") else r"(?!\A\Z)"  # nothing at all has such a place from Python 3.14 on
        return f"{empty}(?(?<={word})(?={word})|(?!{word}))"
    return f"(?m:{_ENDS[name]})" if flags & re.MULTILINE else _ENDS[name]


def _brackets(items: Iterable[tuple[Any, Any]], flags: int) -> str:
    """Brackets with their categories written out."""
    inside, asked, is_negated = "", "", False
    for op, value in items:
        if op.name == "NEGATE":
            is_negated = True
            continue
        if op.name == "CATEGORY":
            name = value.name.removeprefix("CATEGORY_")
            sign = _CATEGORIES[name.removeprefix("NOT_")][0]
            asked += sign.upper() if name.startswith("NOT_") else sign
            inside += _category(name, flags & re.ASCII)
            continue
        written = "-".join(map(_escaped, value)) if op.name == "RANGE" else _escaped(value)
        inside, asked = inside + written, asked + written
    return _one_of(inside, asked, flags, is_negated=is_negated)


@lru_cache(maxsize=4096)
def _one_of(inside: str, asked: str, flags: int, *, is_negated: bool) -> str:
    """What takes one of the characters inside, or one that is none of them.

    Where case does not count, `re` is asked which it takes then; `asked` is what stands inside for it.
    """
    start = "[^" if is_negated else "["
    if not flags & re.IGNORECASE:
        return f"{start}{inside}]"
    kinds = (flags & re.ASCII, flags & (re.ASCII | re.IGNORECASE))
    without, found = (set(re.compile(f"{start}{asked}]", kind).findall(_cased())) for kind in kinds)
    more, fewer = _listed(found - without), _listed(without - found)
    taken = f"(?![{fewer}]){start}{inside}]" if fewer else f"{start}{inside}]"
    return f"(?:{taken}|[{more}])" if more else f"(?:{taken})"


@lru_cache(maxsize=16)
def _category(name: str, flags: int) -> str:
    """The characters of a category, as brackets."""
    regex = require("regex", needed_by="A regular expression", extra="regex")
    sign, near = _CATEGORIES[name.removeprefix("NOT_")]
    start = "[^" if name.startswith("NOT_") else "["
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    ours, theirs = re.compile(sign, flags), regex.compile(f"[{near}]", regex.V1)
    if flags & re.ASCII:
        return f"{start}{_listed(ours.findall(everything))}]"
    more = _listed(ours.findall(theirs.sub("", everything)))
    fewer = _listed(theirs.findall(ours.sub("", everything)))
    return f"{start}[{near}{more}]--[{fewer}]]" if fewer else f"{start}{near}{more}]"


def _listed(signs: Iterable[str]) -> str:
    """The characters for inside of brackets, those that follow one another by the first and the last of them."""
    written = ""
    for _, run in groupby(enumerate(sorted(map(ord, signs))), key=lambda each: each[1] - each[0]):
        found = [code for _, code in run]
        written += _escaped(found[0]) if len(found) == 1 else f"{_escaped(found[0])}-{_escaped(found[-1])}"
    return written


def _escaped(code: int) -> str:
    """A character by its number, which means itself everywhere and in both packages."""
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


@lru_cache(maxsize=1)
def _cased() -> str:
    """The characters of which there are large and small ones; they are all in the first two planes."""
    return "".join(sign for sign in map(chr, range(0x20000)) if sign.lower() != sign or sign.upper() != sign)
