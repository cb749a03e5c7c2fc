"""Relaxed correctness of answers about charts: numbers within a tolerance, other texts equal but for case.

`judge` states the rule for one answer and one gold as pix2struct has it; other tools prepare the texts otherwise, swap
the two sides, or (lm-eval) take out the answer first and compare by a rule of their own. `READINGS` has them by name.
`relaxed_rows` judges many answers; the compiled kernel gives the same rows.
"""

from __future__ import annotations

import ast
import re
import string
from array import array
from collections.abc import Callable, Sequence
from typing import NamedTuple

TOLERANCE = 0.05
_ANNOUNCED = re.compile(r"([aA]nswer)\**:\**")
_MARKDOWN = str.maketrans("", "", "*_[]()")


class Judged(NamedTuple):
    """One answer against one gold: whether it is right, and what was compared."""

    is_right: bool
    predicted: float | None
    """The number of the prediction; None where there is none."""
    expected: float | None
    change: float | None
    """How far the numbers are apart, divided by the size of the one that the tolerance is relative to; None where the
    texts were compared."""


class Reading(NamedTuple):
    """How one tool judges."""

    judge: Callable[[str, str, float], Judged]
    description: str
    has_lists: bool = False
    """Whether a gold that is written like a list stands for its elements."""
    takes_out: Callable[[str], str] | None = None
    """What takes the answer out of a response; an empty one is wrong. None where the response is the answer."""


def number_of(text: str) -> float | None:
    """The number that a text is, a percentage divided by 100; None where it is none. Python's `float` decides.

    >>> number_of("5%"), number_of("1,000"), number_of(" 12 ")
    (0.05, None, 12.0)
    """
    try:
        return float(text.rstrip("%")) / 100.0 if text.endswith("%") else float(text)
    except ValueError:
        return None


def judge(prediction: str, gold: str, tolerance: float = TOLERANCE) -> Judged:
    """Numbers within the tolerance of the gold's; where one is missing or the gold's is 0, equal texts but for case."""
    ours, theirs = number_of(prediction), number_of(gold)
    if ours is not None and theirs:
        change = abs(ours - theirs) / abs(theirs)
        return Judged(change <= tolerance, ours, theirs, change)
    return Judged(prediction.lower() == gold.lower(), ours, theirs, None)


def relaxed_rows(
    predictions: list[str], references: list[list[str]], *, tolerance: float, is_swapped: bool
) -> array[float]:
    """1.0 for every prediction that is right for one of its references, otherwise 0.0.

    With `is_swapped` the tolerance is relative to the prediction.
    """
    if len(predictions) != len(references):
        raise ValueError(f"{len(predictions)} predictions do not pair with {len(references)} lists of references")
    return array(
        "d",
        [
            float(any(judge(*((gold, text) if is_swapped else (text, gold)), tolerance).is_right for gold in golds))
            for text, golds in zip(predictions, references, strict=True)
        ],
    )


def judge_stripped(prediction: str, gold: str, tolerance: float = TOLERANCE) -> Judged:
    """The same without white space around the prediction."""
    return judge(prediction.strip(), gold, tolerance)


def judge_swapped(prediction: str, gold: str, tolerance: float = TOLERANCE) -> Judged:
    """The two sides changed about: the tolerance is relative to the prediction, without white space around it."""
    found = judge(gold, prediction.strip(), tolerance)
    return found._replace(predicted=found.expected, expected=found.predicted)


def announced_answer(response: str) -> str:
    """What a response says after its last "answer:": the next line that is not blank, without Markdown's marks.

    Nothing is taken for an answer where it is not announced. Source: lm-eval.

    >>> announced_answer("It rises. **Final Answer:** (5)"), announced_answer("5")
    ('5', '')
    """
    plain = _ANNOUNCED.sub(r"\1:", response)
    at = plain.lower().rfind("answer:")
    if at < 0:
        return ""
    lines = plain[at + len("answer:") :].split("\n")
    return next((line.strip() for line in lines if line.strip()), "").translate(_MARKDOWN)


def judge_generously(prediction: str, gold: str, tolerance: float = TOLERANCE) -> Judged:
    """lm-eval's rule: numbers without marks around them, percentages as they are or divided by 100, one letter.

    A gold of one letter is compared with the first of the prediction. A gold of 0 is a number too, and one side may be
    a percentage where the other is not.
    """
    answer, wanted = _bare(prediction), _bare(gold)
    (ours, is_our_share), (theirs, is_their_share) = _share_of(answer), _share_of(wanted)
    if ours is not None and theirs is not None:
        pairs = [(ours, theirs)]
        if is_our_share or is_their_share:
            pairs += [(ours / 100 if is_our_share else ours, theirs)]
            pairs += [(ours, theirs / 100 if is_their_share else theirs)]
        changes = [abs(one - other) / max(abs(other), 1e-10) for one, other in pairs]
        nearest = next((change for change in changes if change <= tolerance), changes[0])
        return Judged(nearest <= tolerance, ours, theirs, nearest)
    if len(wanted) == 1 and wanted.isalpha() and answer:
        return Judged(answer[0].lower() == wanted.lower(), ours, theirs, None)
    return Judged(answer.rstrip(string.punctuation).lower() == wanted.lower(), ours, theirs, None)


def _bare(text: str) -> str:
    """A text with a digit without marks at its end, commas and dollars; another without the quotes around it."""
    if not any(character.isdigit() for character in text):
        is_quoted = any(text.startswith(mark) and text.endswith(mark) for mark in "\"'")
        return text[1:-1] if is_quoted else text
    end = len(text)
    while end and text[end - 1] != "%" and (text[end - 1] in string.punctuation or text[end - 1].isspace()):
        end -= 1
    return text[:end].replace(",", "").replace("$", "")


def _share_of(text: str) -> tuple[float | None, bool]:
    """The number of a text as it is written, and whether it is a percentage."""
    text = text.strip()
    try:
        return float(text.rstrip("%")), text.endswith("%")
    except ValueError:
        return None, False


def golds_of(golds: Sequence[str], reading: Reading) -> list[str]:
    """The golds, where the reading says so with the elements of one that is written like a list in its place."""
    return [each for gold in golds for each in _elements(gold)] if reading.has_lists else list(golds)


def _elements(gold: str) -> list[str]:
    if not gold.lstrip(" \t").startswith("["):
        return [gold]
    try:
        found = ast.literal_eval(gold.lstrip(" \t"))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return [gold]
    return [str(element) for element in found] if isinstance(found, list) else [gold]


READINGS = {
    "pix2struct": Reading(judge, "within the tolerance of the gold's number, or equal texts but for case"),
    "lmms-eval": Reading(judge, "the same"),
    "VLMEvalKit": Reading(judge_stripped, "the prediction stripped; a gold written like a list is one", has_lists=True),
    "Qwen-VL": Reading(judge_swapped, "the prediction stripped; the tolerance is relative to the prediction"),
    "lm-eval": Reading(
        judge_generously,
        'what follows the last "answer:"; marks around numbers removed, percentages both ways, 0 a number',
        takes_out=announced_answer,
    ),
    "lm-eval-bare": Reading(judge_generously, "marks around numbers removed, percentages both ways, 0 a number"),
}
"""The readings by name."""
