"""The VQA rules as their definition states them, character by character: slow, plain, the oracle of the fast path.

Only the word tables are shared with the package.
"""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

TABLES: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "src" / "fullmarks" / "data" / "vqa.json").read_text(encoding="utf-8")
)
MARKS = ';/[]"{}()=+\\_-><@`,?!'


def clean(text: str) -> str:
    """Newlines and tabs become blanks; blanks at the ends go."""
    return "".join(" " if character in "\n\t" else character for character in text).strip()


def has_number_with_comma(text: str) -> bool:
    """Whether a comma stands between two digits, digits of any script included."""
    triples = zip(text, text[1:], text[2:], strict=False)
    return any(middle == "," and before.isdecimal() and after.isdecimal() for before, middle, after in triples)


def without_punctuation(text: str) -> str:
    """Marks gone, then periods."""
    return without_periods(without_marks(text))


def without_marks(text: str) -> str:
    """A mark goes if the original text has it beside a blank, or has a comma in a number; else it becomes a blank."""
    neighbours = set(pairwise(text))
    every_mark_goes = has_number_with_comma(text)
    kept = []
    for character in text:
        goes = every_mark_goes or (character, " ") in neighbours or (" ", character) in neighbours
        kept.append(("" if goes else " ") if character in MARKS else character)
    return "".join(kept)


def without_periods(text: str) -> str:
    """Periods not followed by a digit go, but only the first 32 of them."""
    if "." not in text:
        return text
    kept, gone = [], 0
    for position, character in enumerate(text):
        following = text[position + 1 : position + 2]
        if character == "." and not following.isdecimal() and gone < 32:
            gone += 1
        else:
            kept.append(character)
    return "".join(kept)


def plain_words(text: str) -> str:
    """Lower-cased words: number words as digits, no articles, contractions with their apostrophe."""
    words = []
    for word in text.lower().split():
        mapped = TABLES["numbers"].get(word, word)
        if mapped not in ("a", "an", "the"):
            words.append(TABLES["contractions"].get(mapped, mapped))
    return " ".join(words)


@lru_cache(maxsize=1000)
def normal(text: str) -> str:
    """What answers are compared by where annotators disagree."""
    return plain_words(without_punctuation(text))


def accuracy(prediction: str, golds: list[str], *, always_normalise: bool = False) -> float:
    """The mean over annotators of min(1, number of others with this answer / 3)."""
    answer, given = clean(prediction), [clean(gold) for gold in golds]
    if always_normalise or len(set(given)) > 1:
        answer = normal(answer)
        given = [normal(gold) for gold in given]
    total = 0.0
    for one in range(len(given)):
        others = [gold for position, gold in enumerate(given) if position != one]
        total += min(1.0, others.count(answer) / 3)
    return total / len(given)


def record_accuracy(prediction: str, records: list[dict[str, Any]]) -> float:
    """The same over whole records: left out is every record equal to the one in turn."""
    answer = clean(prediction)
    read = [{**record, "answer": clean(record["answer"])} for record in records]
    if len({record["answer"] for record in read}) > 1:
        answer = normal(answer)
        read = [{**record, "answer": normal(record["answer"])} for record in read]
    total = 0.0
    for one in read:
        others = [record["answer"] for record in read if record != one]
        total += min(1.0, others.count(answer) / 3)
    return total / len(read)


def has_equal_records(records: list[dict[str, Any]]) -> bool:
    """Whether two records are equal, their answers being in the form in which they are compared."""
    given = [clean(record["answer"]) for record in records]
    if len(set(given)) > 1:
        given = [normal(text) for text in given]
    read = [{**record, "answer": text} for record, text in zip(records, given, strict=True)]
    return any(one == other for place, one in enumerate(read) for other in read[:place])
