"""Patterns that users write, searched with a bound on their time.

Python's `re` cannot be stopped once it backtracks, neither by a thread nor on every system by a signal, so a single
careless pattern would hold up a run for ever. The package `regex` can be told how long it may search. It only does the
backtracking: `re` itself reads the pattern (see `re_as_regex`) and says which characters each of its places takes.

Invariant: a search ends with what `re` would find or with an error, never with a result that depends on the machine.
"""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from typing import Any, NamedTuple

from fullmarks.errors import UsageError
from fullmarks.optional import require
from fullmarks.text.re_as_regex import re_as_regex

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
    flags = (re.I if wanted.ignore_case else 0) | (re.M if wanted.multiline else 0) | (re.S if wanted.dot_all else 0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # about brackets that a later Python may read otherwise
            re.compile(wanted.pattern, flags)
    except (re.error, ValueError, OverflowError, RecursionError) as error:
        raise UsageError(f"{wanted.pattern!r} is not a regular expression: {error}. See Python's module re") from None
    bounded = require("regex", needed_by="A regular expression", extra="regex")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            return bounded.compile(re_as_regex(wanted.pattern, flags), bounded.V1)
    except (bounded.error, OverflowError, RecursionError) as error:
        raise UsageError(f"{wanted.pattern!r} cannot be searched with a bound on its time: {error}") from None
