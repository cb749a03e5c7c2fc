"""MMMU's rules: which subject an id names, how an open answer is taken apart and compared, how a guess is drawn.

The letter of a multiple-choice response is read by `fullmarks.text.choice_readings`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

QUESTION_TYPE = "question_type"
MULTIPLE_CHOICE, OPEN = "multiple-choice", "open"
"""The two types of questions: all that is not the first is treated as the second."""
DOMAINS = {
    "Art and Design": ("Art", "Art_Theory", "Design", "Music"),
    "Business": ("Accounting", "Economics", "Finance", "Manage", "Marketing"),
    "Science": ("Biology", "Chemistry", "Geography", "Math", "Physics"),
    "Health and Medicine": (
        "Basic_Medical_Science",
        "Clinical_Medicine",
        "Diagnostics_and_Laboratory_Medicine",
        "Pharmacy",
        "Public_Health",
    ),
    "Humanities and Social Science": ("History", "Literature", "Sociology", "Psychology"),
    "Tech and Engineering": (
        "Agriculture",
        "Architecture_and_Engineering",
        "Computer_Science",
        "Electronics",
        "Energy_and_Power",
        "Materials",
        "Mechanical_Engineering",
    ),
}
"""The subjects of every domain, both in the published order."""
DOMAIN_OF = {subject: domain for domain, subjects in DOMAINS.items() for subject in subjects}
SUBJECTS = tuple(sorted(DOMAIN_OF))
"""All subjects in the order in which the program goes through them."""
SEED = 42

_INDICATORS = ("could be ", "so ", "is ", "thus ", "therefore ", "final ", "answer ", "result ")
_LONE_MARKS = tuple(":,.!?;'")
_NUMBERS = (
    re.compile(r"-?\b\d{1,3}(?:,\d{3})+\b"),  # with commas for thousands
    re.compile(r"-?\d+(?:\.\d+)?[eE][-+]?\d+"),  # scientific
    re.compile(r"-?(?:\d*\.\d+|\d+\b)(?![eE][-+]?\d+)(?![\d,])"),  # plain, not the beginning of one of the others
)

Normal = str | float
"""A text in lower case, or a number of two digits."""


def subject_of(identifier: object) -> str:
    """What stands between the first and the last underscore of an id.

    >>> subject_of("validation_Art_Theory_12")
    'Art_Theory'
    """
    return "_".join(str(identifier).split("_")[1:-1])


def normal_forms(text: str) -> list[Normal]:
    """A number rounded to two digits, or the text in lower case; a single character with a blank on either side.

    >>> normal_forms("1,250.004"), normal_forms(" Blue"), normal_forms("A")
    ([1250.0], ['blue'], [' a', 'a '])
    """
    bare = text.strip()
    try:
        return [round(float(bare.replace(",", "")), 2)]
    except ValueError:
        lower = bare.lower()
        return [f" {lower}", f"{lower} "] if len(lower) == 1 else [lower]


def answer_tails(text: str) -> list[str]:
    """What a response says at the end of its lines: the shortest tail after a word that announces an answer.

    The last line may announce it by "=" too. A tail of nothing, or of one mark, is none; where no line has any, the
    whole response stands for itself.

    >>> answer_tails("So it could be 7.\\nThe answer is 24")
    ['7.', '24']
    """
    whole = text.strip().strip(".").lower()
    lines = whole.split("\n")
    tails = [_shortest_tail(line, _INDICATORS) for line in lines[:-1]]
    tails.append(_shortest_tail(lines[-1], (*_INDICATORS, "=")))
    return [tail for tail in tails if tail and tail not in _LONE_MARKS] or [whole]


def _shortest_tail(line: str, indicators: Iterable[str]) -> str:
    """An empty tail is forgotten as soon as another indicator has one."""
    shortest = ""
    for word in indicators:
        if word in line:
            tail = line.rpartition(word)[2].strip()
            if not shortest or len(tail) < len(shortest):
                shortest = tail
    return shortest


def numbers_in(text: str) -> list[str]:
    """All numbers in a text: those with commas, the scientific ones, the plain ones.

    >>> numbers_in("$1,000 or -7.5")
    ['1,000', '000', '-7.5']
    """
    return [number for pattern in _NUMBERS for number in pattern.findall(text)]


def parse_open(text: str) -> list[Normal]:
    """What a response to an open question says, each thing once: its tails and the numbers in them."""
    tails = answer_tails(text)
    said = [*tails, *(number for tail in tails for number in numbers_in(tail))]
    return list(dict.fromkeys(form for each in said for form in normal_forms(each)))


@dataclass(frozen=True)
class OpenVerdict:
    """Whether an open answer is right, and what of it agrees with which gold answer."""

    is_right: bool
    said: list[Normal]
    wanted: list[Normal]
    agreement: tuple[Normal, Normal] | None = None


def judge_open(text: str, golds: Sequence[str]) -> OpenVerdict:
    """Right if a text that is said contains a text that is wanted, or a number said is one that is wanted."""
    return compare_open(parse_open(text), wanted_forms(golds))


def wanted_forms(golds: Sequence[str]) -> list[Normal]:
    """The normal forms of all right answers."""
    return [form for gold in golds for form in normal_forms(gold)]


def compare_open(said: list[Normal], wanted: list[Normal]) -> OpenVerdict:
    """The first thing said that agrees with one that is wanted."""
    for each in said:
        for form in wanted:
            if (isinstance(form, str) and form in each) if isinstance(each, str) else form == each:
                return OpenVerdict(True, said, wanted, (each, form))
    return OpenVerdict(False, said, wanted)


def judge_open_lmms_eval(text: str, golds: Sequence[str]) -> OpenVerdict:
    """As lmms-eval: single characters of what is said are compared, so that only an empty gold answer is right."""
    said: list[Normal] = [character for each in parse_open(text)[:1] for character in str(each)]
    return compare_open(said, wanted_forms(golds))


class Guesses:
    """Python's `random.choice` after `random.seed(42)`, drawn in one order: the same on every Python."""

    def __init__(self) -> None:
        self._bits = random.Random(SEED)  # noqa: S311 - the program's own draws

    def draw(self, letters: Sequence[str]) -> str:
        """The next guess: so many random bits as the number of letters has, until they are below it."""
        width = len(letters).bit_length()
        place = self._bits.getrandbits(width)
        while place >= len(letters):
            place = self._bits.getrandbits(width)
        return letters[place]


def printed_result(by_subject: Mapping[str, tuple[float, int]], digits: int) -> dict[str, Any]:
    """The published table from how many answers of every subject are right, and how many there are.

    A domain's accuracy is the mean of its subjects' weighted by their numbers; all are rounded to so many digits.
    """

    def row(accuracy: float, number: int) -> dict[str, Any]:
        return {"num": number, "acc": round(accuracy, digits)}

    accuracy = {subject: (right / n, n) for subject, (right, n) in by_subject.items() if n}
    table: dict[str, Any] = {}
    for domain, subjects in DOMAINS.items():
        known = [accuracy[subject] for subject in subjects if subject in accuracy]
        table[f"Overall-{domain}"] = row(*weighted(known))
        table.update({subject: row(*accuracy[subject]) for subject in subjects if subject in accuracy})
    table["Overall"] = row(*weighted([accuracy[subject] for subject in SUBJECTS if subject in accuracy]))
    return table


def weighted(parts: Iterable[tuple[float, int]]) -> tuple[float, int]:
    """The mean of some accuracies by their numbers, added in their order; 0 of none."""
    total: float = 0
    number = 0
    for accuracy, n in parts:
        total += accuracy * n
        number += n
    return (total / number if number else 0), number
