"""Patterns that users write, searched with a bound on their time.

Python's `re` cannot be stopped once it backtracks, neither by a thread nor on every system by a signal, so a single
careless pattern would hold up a run for ever. The package `regex` can be told how long it may search. Its own additions
to the language (fuzzy counts, POSIX classes, `\\p`, recursion) are kept out: a pattern must be one of `re`, and what
both read differently is escaped first. What remains is that `regex` has its own, usually newer, table of letters.

Invariant: a search ends with what `re` would find or with an error, never with a result that depends on the machine.
"""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from typing import Any, NamedTuple

from fullmarks.errors import UsageError
from fullmarks.optional import require

SECONDS = 2.0
"""How long one search in one text may take, in time of the processor: thousands of times what a sound pattern needs."""


class BoundedPattern(NamedTuple):
    """A pattern in the language of `re`. It pickles, and is compiled once in every process."""

    pattern: str
    ignore_case: bool = False
    multiline: bool = False
    dot_all: bool = False

    def check(self) -> None:
        """An error if this is no pattern of `re`, or if the package that bounds its time is not installed."""
        _compiled(self)

    def search(self, text: str, start: int = 0) -> Any:
        """The first match from a position on, None without one; an error where the time is up."""
        try:
            return _compiled(self).search(text, start, timeout=SECONDS)
        except TimeoutError:
            raise self._too_slow(text) from None

    def match(self, text: str) -> Any:
        """The match at the start of the text, None without one; an error where the time is up."""
        try:
            return _compiled(self).match(text, timeout=SECONDS)
        except TimeoutError:
            raise self._too_slow(text) from None

    def _too_slow(self, text: str) -> UsageError:
        return UsageError(
            f"the pattern {self.pattern!r} did not come to an end within {SECONDS:g} seconds on a text of "
            f"{len(text)} characters. Write it without a repeat inside a repeat"
        )


@lru_cache(maxsize=4096)
def _compiled(wanted: BoundedPattern) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # about brackets that are escaped below
            groups = re.compile(wanted.pattern).groups
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(f"{wanted.pattern!r} is not a regular expression: {error}. See Python's module re") from None
    bounded = require("regex", needed_by="A regular expression", extra="regex")
    flags = bounded.V0 | (bounded.I if wanted.ignore_case else 0)
    flags |= (bounded.M if wanted.multiline else 0) | (bounded.S if wanted.dot_all else 0)
    try:
        compiled = bounded.compile(as_re_reads(wanted.pattern), flags)
    except (bounded.error, OverflowError, RecursionError) as error:
        raise UsageError(f"{wanted.pattern!r} cannot be searched with a bound on its time: {error}") from None
    if compiled.groups != groups:
        raise UsageError(f"{wanted.pattern!r} cannot be searched with a bound on its time: it is read in two ways")
    return compiled


_COUNT = re.compile(r"\{(?:[0-9]+(?:,[0-9]*)?|,[0-9]*)\}")
_CLASS = re.compile(r"\[\^?\]?")


def as_re_reads(pattern: str) -> str:
    r"""The pattern with a backslash before every brace and bracket that `re` takes as itself and `regex` may not.

    >>> as_re_reads(r'{"a": "([[]x{2})"}')
    '\\{"a": "([\\[]x{2})"\\}'
    """
    written: list[str] = []
    place, in_class = 0, False
    while place < len(pattern):
        sign = pattern[place]
        if sign == "\\":
            sign = pattern[place : place + 2]
        elif sign == "{" and not in_class and (count := _COUNT.match(pattern, place)):
            sign = count[0]
        elif sign == "[" and not in_class:
            sign = _CLASS.match(pattern, place)[0]  # type: ignore[index]
            in_class = True
            written.append(sign)
            place += len(sign)
            continue
        elif sign == "]":
            in_class = False
        written.append(f"\\{sign}" if sign in ("{", "}", "[") else sign)
        place += len(sign)
    return "".join(written)
