"""MathVista's normaliser: what an extracted answer is compared as, by the kind of its question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

QUESTION_TYPES = ("multi_choice", "free_form")
ANSWER_TYPES = ("text", "integer", "float", "list")
_LETTER = re.compile(r"\(([a-zA-Z])\)")


class Judged(NamedTuple):
    """What an extraction is compared as (None where it cannot be read), and how that was found."""

    answer: str | None
    how: str


class Problem(NamedTuple):
    """What decides how an answer is read."""

    question_type: str = "free_form"
    answer_type: str = "list"
    choices: Sequence[str] | None = None
    precision: float | None = None


def normalise(extraction: Any, problem: Problem, *, ignore_empty: bool = False, as_lmms_eval: bool = False) -> Judged:
    """The extraction as a choice, a whole number, a rounded number or a text.

    lmms-eval hands the precision to `round` as it is: 1.0 is refused there, so that the answer cannot be read.

    >>> normalise("(b) it is", Problem("multi_choice", "text", ["cat", "dog"]))
    Judged(answer='dog', how='the letter B')
    >>> normalise("12.9", Problem("free_form", "integer")).answer
    '12'
    """
    if problem.question_type == "multi_choice":
        text = extraction.strip() if isinstance(extraction, str) else str(extraction)
        if ignore_empty and not text:
            return Judged(None, "empty, and empty ones are ignored")
        return _choice(text, problem.choices or ())
    if problem.answer_type == "list":
        return Judged(str(extraction), "as a text")
    try:
        if problem.answer_type == "integer":
            return Judged(str(int(float(extraction))), "as a whole number, cut off")
        if problem.answer_type == "float":
            digits: Any = problem.precision if as_lmms_eval else int(problem.precision)  # type: ignore[arg-type]
            return Judged(str(round(float(extraction), digits)), f"rounded to {digits} digits")
    except (TypeError, ValueError, OverflowError):
        return Judged(None, f"not readable as {problem.answer_type}")
    raise ValueError(f"the answer type {problem.answer_type!r} has no rule")


def _choice(text: str, choices: Sequence[str]) -> Judged:
    """The choice of a letter, the first in brackets first; else that of least edit distance, first of equals."""
    bracketed = _LETTER.search(text) if "(" in text else None
    if bracketed:
        text = bracketed[1].upper()
    place = ord(text) - ord("A") if len(text) == 1 else -1
    if 0 <= place < len(choices):
        return Judged(choices[place], f"the letter {text}")
    if text in choices:
        return Judged(text, "the choice itself")
    distances = edit_distances(text, choices)
    nearest = distances.index(min(distances))
    return Judged(choices[nearest], f"the nearest choice: {distances[nearest]} edits from {text!r}")


def edit_distances(text: str, choices: Sequence[str]) -> list[int]:
    """Levenshtein's distance of the text from every choice."""
    from rapidfuzz.distance import Levenshtein

    return [Levenshtein.distance(text, choice) for choice in choices]


def is_right(answer: str | None, reference: Any, *, as_lmms_eval: bool = False) -> bool:
    """Whether the answer is the reference; lmms-eval takes both as texts without white space around them, but nothing
    is right where the reference is null.
    """
    if as_lmms_eval:
        return reference is not None and str(answer).strip() == str(reference).strip()
    return bool(answer == reference)
