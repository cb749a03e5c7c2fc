"""VQA's accuracy of one answer as its evaluation states it: slow, plain, every step kept.

`explain` shows what `judge` finds; the fast paths are held to it to the last bit and share nothing with it but the word
tables. Source: the evaluation program of VQA (Antol et al., ICCV 2015; Goyal et al., CVPR 2017).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from fullmarks.text.tables import table

FULL_VOTE = 3
"""So many others must have given an answer for a full vote."""
MOST_PERIODS = 32
"""The program passes the number of a flag where the number of replacements belongs: no more periods are deleted."""


def trimmed(text: str) -> str:
    """Line breaks and tabs as blanks, and none around: done to every answer, other white space inside being kept."""
    return text.replace("\n", " ").replace("\t", " ").strip()


def without_marks(text: str) -> str:
    """Every mark of punctuation deleted or made a blank, all of one kind alike.

    A mark is deleted where any of its kind touches a blank, and all are if a comma stands between two digits somewhere;
    otherwise it becomes a blank. The text is looked at as it was before any mark was changed.

    >>> without_marks("b, c,d"), without_marks("c,d"), without_marks("1,000 x-y")
    ('b cd', 'c d', '1000 xy')
    """
    all_go = _has_comma_in_number(text)
    becomes = {
        mark: "" if all_go or f"{mark} " in text or f" {mark}" in text else " " for mark in table("vqa")["punctuation"]
    }
    return "".join(becomes.get(character, character) for character in text)


def _has_comma_in_number(text: str) -> bool:
    """Whether a comma stands between two digits, of any script."""
    places = [place for place, character in enumerate(text) if character == ","]
    return any(text[place - 1 : place].isdecimal() and text[place + 1 : place + 2].isdecimal() for place in places)


def without_periods(text: str) -> str:
    """Periods that no digit follows deleted, from the left, up to `MOST_PERIODS` of them.

    That one stands behind a digit does not keep it: the program means to look there, but its pattern is misspelt.

    >>> without_periods("3.5 m."), without_periods("5."), without_periods(".5")
    ('3.5 m', '5', '.5')
    """
    kept, deleted = [], 0
    for place, character in enumerate(text):
        if character == "." and deleted < MOST_PERIODS and not text[place + 1 : place + 2].isdecimal():
            deleted += 1
        else:
            kept.append(character)
    return "".join(kept)


def without_punctuation(text: str) -> str:
    """Marks first, then periods."""
    return without_periods(without_marks(text))


def mapped_words(text: str, contractions: Mapping[str, str] | None = None) -> str:
    """The words in lower case: number words as digits, then no articles, then contractions with their apostrophe.

    "none" is a number word, 0. The table of contractions is VQA's unless another is given.

    >>> mapped_words("The two dont"), mapped_words("None")
    ("2 don't", '0')
    """
    tables = table("vqa")
    known = tables["contractions"] if contractions is None else contractions
    numbered = [tables["numbers"].get(word, word) for word in text.lower().split()]
    kept = [word for word in numbered if word not in tables["articles"]]
    return " ".join(known.get(word, word) for word in kept)


def normal_form(text: str) -> str:
    """What a trimmed answer is compared by where the annotators disagree.

    >>> normal_form("The two dogs.")
    '2 dogs'
    """
    return mapped_words(without_punctuation(text))


class Vote(Struct, frozen=True):
    """What one annotator's turn adds."""

    answer: str
    """What the annotator gave."""
    compared: str
    """The same as it is compared."""
    agrees: bool
    left_out: list[int]
    """The places of the annotators, from 0, who are left out in this turn; the one in turn is always among them."""
    others: int
    """How many of those who stay gave the predicted answer."""
    vote: float


class Judgement(Struct, frozen=True):
    """What one answer scores, and the steps behind it."""

    accuracy: float
    compared: str
    """The answer as it is compared."""
    is_normalised: bool
    """Whether the texts were normalised or only trimmed."""
    votes: list[Vote]


def judge(
    answer: str,
    golds: Sequence[str],
    rest: Sequence[Any] | None = None,
    *,
    always_normalise: bool = False,
    trims_golds: bool = True,
) -> Judgement:
    """The mean over annotators of min(1, others with this answer / 3), added in their order; 0.0 without annotators.

    Leaving each annotator out in turn makes machines comparable with people, whom only the others can judge; a single
    annotator therefore gives 0.0. The program leaves out every record that equals the one in turn, its answer as it is
    compared: `rest` says what the records hold besides the answer. Without it all differ, as they do by their ids.

    Where all annotators gave the same text nothing is normalised, so that "Black." is wrong where all say "black"; many
    harnesses do it always. Today's metric of the Hugging Face hub does, and does not trim the golds before.

    >>> judge("red", ["red"] * 3 + ["blue"] * 7).accuracy, judge("Black.", ["black"] * 10).accuracy
    (0.9, 0.0)
    """
    compared, given = trimmed(answer), [trimmed(gold) if trims_golds else gold for gold in golds]
    is_normalised = always_normalise or len(set(given)) > 1
    if is_normalised:
        compared, given = normal_form(compared), [normal_form(gold) for gold in given]
    records = list(zip(range(len(given)) if rest is None else rest, given, strict=True))
    votes = []
    for gold, text, record in zip(golds, given, records, strict=True):
        left_out = [place for place, other in enumerate(records) if other == record]
        others = sum(other[1] == compared for other in records if other != record)
        votes.append(Vote(gold, text, text == compared, left_out, others, min(1.0, others / FULL_VOTE)))
    total = 0.0
    for vote in votes:
        total += vote.vote
    return Judgement(total / len(votes) if votes else 0.0, compared, is_normalised, votes)
