"""DROP's rule: spans as bags of words, aligned one to one. Source: its evaluation script.

A span is normalised piece by piece between blanks and hyphens. What Python's float reads is a number, so that "1,000",
"1e3" and "١٠٠٠" are 1000.0; a span with numbers is only matched by one that shares a number with it.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

from fullmarks.metrics.answers import mean, pairwise_mean
from fullmarks.protocols.drop.assignment import best_assignment
from fullmarks.text.recipes import Recipe
from fullmarks.text.steps import LOWER, NO_ASCII_PUNCTUATION, NO_ENGLISH_ARTICLES, SINGLE_BLANKS, Apply, EachPiece


def is_number(text: str) -> bool:
    """Whether Python's float reads the text."""
    if text.isalpha() and len(text) not in (3, 8):  # of letters alone it reads nan, inf and infinity
        return False
    try:
        float(text)
    except ValueError:
        return False
    return True


def without_punctuation(piece: str) -> str:
    """A number as it is, anything else without ASCII punctuation."""
    return piece if is_number(piece) else NO_ASCII_PUNCTUATION(piece)


def as_float(piece: str) -> str:
    """A number as Python writes its float, anything else as it is."""
    return str(float(piece)) if is_number(piece) else piece


RECIPE = Recipe(
    "drop",
    (
        EachPiece(
            "pieces between blanks and hyphens",
            " -",
            (
                LOWER,
                Apply("ASCII punctuation deleted unless a number", without_punctuation),
                Apply("numbers as floats", as_float),
                NO_ENGLISH_ARTICLES,
                SINGLE_BLANKS,
            ),
        ),
    ),
)
RECIPES = {RECIPE.name: RECIPE}


class Span(NamedTuple):
    """One span as it is compared."""

    normal: str
    tokens: frozenset[str]
    numbers: frozenset[str]
    """Those of the tokens that are numbers."""


def read_span(text: str) -> Span:
    """The normal form of a span and its bag of words.

    >>> read_span("The $1,000").normal
    '1000.0'
    """
    normal = RECIPE(text)
    tokens = frozenset(normal.split())
    return Span(normal, tokens, frozenset(filter(is_number, tokens)))


def bag_f1(prediction: Span, gold: Span) -> float:
    """F1 of two bags, in which a word counts once; 0 where the gold has numbers and the prediction none of them.

    An empty bag has precision (or recall) 1, so that two empty ones score 1 and one empty one 0.
    """
    if gold.numbers and gold.numbers.isdisjoint(prediction.tokens):
        return 0.0
    common = len(gold.tokens & prediction.tokens)
    precision = common / len(prediction.tokens) if prediction.tokens else 1.0
    recall = common / len(gold.tokens) if gold.tokens else 1.0
    return 2 * precision * recall / (precision + recall) if precision or recall else 0.0


def slot_mean(slots: Sequence[float]) -> float:
    """NumPy's mean: from the eighth number on it adds in pairs."""
    return mean(slots) if len(slots) < 8 else pairwise_mean(array("d", slots))


def two_digits(value: float) -> float:
    """The value rounded as NumPy does: times 100, to the nearest whole number (of two the even one), by 100.

    >>> two_digits(0.025), round(0.025, 2)
    (0.02, 0.03)
    """
    return round(value * 100.0) / 100.0


class Judged(NamedTuple):
    """One prediction against one gold answer: exact match, F1, and which spans met."""

    em: float
    f1: float
    steps: list[dict[str, Any]]


def judge(prediction: Sequence[str], gold: Sequence[str], scale: float = 1.0) -> Judged:
    """Exact match and F1 of two lists of spans; each gold span gets one predicted span, for the greatest total.

    Exact match asks for equal sets of normal forms and equal numbers of spans. F1 is the mean over as many slots as the
    longer list has spans, spans left over counting 0, rounded to two digits; `scale` multiplies before the rounding.
    """
    ours, theirs = list(map(read_span, prediction)), list(map(read_span, gold))
    same = {span.normal for span in ours} == {span.normal for span in theirs}
    scores = [[scale * bag_f1(span, wanted) for span in ours] for wanted in theirs]
    slots = [0.0] * max(len(ours), len(theirs))
    left = set(range(len(ours)))
    steps = []
    for row, column in enumerate(best_assignment(scores)):
        met = None if column is None else ours[column]
        if column is not None:
            slots[row] = scores[row][column]
            left.discard(column)
        steps.append(_step(gold[row], theirs[row], None if column is None else prediction[column], met, slots[row]))
    steps += [_step(None, None, prediction[column], ours[column], 0.0) for column in sorted(left)]
    return Judged(float(same and len(ours) == len(theirs)), two_digits(slot_mean(slots)), steps)


def _step(text: str | None, wanted: Span | None, given: str | None, span: Span | None, f1: float) -> dict[str, Any]:
    shared = sorted(wanted.tokens & span.tokens) if wanted and span else []
    return {
        "gold span": text,
        "normalised gold": wanted and wanted.normal,
        "predicted span": given,
        "normalised": span and span.normal,
        "shared words": " ".join(shared),
        "f1": f1,
    }
