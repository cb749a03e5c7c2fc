"""ScienceQA's rules: which number a result is, in which groups a problem counts, how a share is printed."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

EXPECTED_RESULTS = 4241
"""How many results the published program insists on: those of the test split."""
TEXT, IMAGE, NO_CONTEXT = "text", "image", "none"
SUBJECTS = {"natural": "natural science", "social": "social science", "language": "language science"}
CONTEXTS = {"has_text": TEXT, "has_image": IMAGE, "no_context": NO_CONTEXT}
GRADES = {
    "grade_1_6": tuple(f"grade{number}" for number in range(1, 7)),
    "grade_7_12": tuple(f"grade{number}" for number in range(7, 13)),
}
TOPICS = (
    *("punctuation", "literacy-in-science", "verbs", "pronouns", "civics", "culture", "word-study", "economics"),
    *("physics", "units-and-measurement", "science-and-engineering-practices", "reading-comprehension"),
    *("global-studies", "grammar", "figurative-language", "us-history", "writing-strategies", "world-history"),
    *("reference-skills", "biology", "earth-science", "phonological-awareness", "capitalization", "chemistry"),
    *("vocabulary", "geography"),
)
"""The topics in the published order."""
_BEGINS_WORD = re.compile(r"The answer is [A-Z][^\W\d_]")


def read_index(value: Any) -> int | None:
    """The result as Python's `int` reads it: a whole number, a text of one, a fraction cut off; None for all else.

    >>> read_index("1"), read_index(1.9), read_index("B"), read_index(None)
    (1, 1, None, None)
    """
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return None


CONTEXT_FIELDS = {"hint": TEXT, "image": IMAGE}


def contexts(problem: Mapping[str, Any], fields: Collection[str]) -> tuple[str, ...]:
    """What a problem comes with: a hint, an image, both, or neither; empty texts are none.

    `fields` are those that any problem of the file has. One that lacks such a field counts as having it: pandas writes
    NaN there, which the program takes for true.

    >>> contexts({"hint": "", "image": "a.png"}, ("hint", "image")), contexts({"hint": ""}, ("hint", "image"))
    (('image',), ('image',))
    """
    found = tuple(kind for field, kind in CONTEXT_FIELDS.items() if problem.get(field, field in fields))
    return found or (NO_CONTEXT,)


def share(right: float, number: int) -> str | int:
    """A percentage as a text with two digits; the number -1 where there is no question.

    >>> share(2, 3), share(0, 0)
    ('66.67', -1)
    """
    return f"{right / number * 100:.2f}" if number else -1


def begins_word(text: str) -> bool:
    """Whether the capital after "The answer is " is the first of a word, as in Banana: LLaVA reads it as an option."""
    return _BEGINS_WORD.search(text) is not None
