"""VizWiz's two rules: votes for an answer, and how well unanswerable questions are told apart.

The prediction is normalised, the annotators' answers are compared as they stand: "two" given ten times is never right,
for the prediction "two" becomes "2". Two texts of the program circulate. One means to leave out the annotator in turn
but compares a record with a text, so that nobody is left out; the other leaves out one at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from fullmarks.metrics.votes import Judged, judge_votes
from fullmarks.text.evalai import open_up
from fullmarks.text.recipes import TRIM, VQA, Recipe
from fullmarks.text.steps import Apply
from fullmarks.text.tables import table
from fullmarks.text.vqa import changed_words, map_words

AS_FOUND, LEAVE_ONE_OUT = "all-in-turn", "leave-one-out"


@lru_cache(maxsize=1)
def _words() -> dict[str, str]:
    return changed_words(table("contractions", __file__)["contractions"])


def map_words_typographic(text: str) -> str:
    """As VQA's, with a table of contractions whose apostrophes are typographic."""
    return map_words(text, _words())


RECIPE = Recipe(
    "vizwiz",
    (
        TRIM,
        VQA.order[1],
        Apply("number words to digits, no articles, contractions with typographic apostrophes", map_words_typographic),
    ),
)
LLAVA_UPLOAD = Recipe(
    "vizwiz-llava-upload", (Apply("EvalAI: no commas, question marks, 's apart", open_up), *VQA.order, *RECIPE.order)
)
"""What becomes of a prediction that LLaVA wrote for upload: the EvalAI normal form first."""

RECIPES = {recipe.name: recipe for recipe in (RECIPE, LLAVA_UPLOAD)}


def judge(prediction: str, answers: Sequence[str], rule: str = AS_FOUND) -> Judged:
    """What one prediction scores, with every annotator's vote."""
    return judge_votes(RECIPE(prediction), answers, rule)


def is_called_unanswerable(answerable: float) -> bool:
    """Whether a prediction of how answerable a question is says that it is not: strictly more than half."""
    return 1 - answerable > 0.5


def f1_score(right: float, wrong: float, missed: float) -> float:
    """Harmonic mean of precision and recall from counts; 0.0 where there is nothing to find and nothing was found.

    Source: scikit-learn's f1_score.
    """
    below = 2 * right + wrong + missed
    return 2 * right / below if below else 0.0


def average_precision(is_positive: Sequence[bool], scores: Sequence[float]) -> float:
    """The sum over thresholds of precision times what recall gains there; equal scores are one threshold.

    0.0 without a positive. Source: scikit-learn's average_precision_score, whose additions start at the lowest
    threshold and are NumPy's.

    >>> average_precision([True, False, True], [0.9, 0.5, 0.1])
    0.8333333333333333
    """
    import numpy

    if not any(is_positive):
        return 0.0
    values = numpy.asarray(scores, dtype=numpy.float64)
    order = numpy.argsort(values, kind="stable")[::-1]
    values = values[order]
    last_of_each = numpy.append(numpy.flatnonzero(numpy.diff(values)), len(values) - 1)
    found = numpy.cumsum(numpy.asarray(is_positive, dtype=numpy.float64)[order])[last_of_each]
    precision = found / (1 + last_of_each)
    recall = found / found[-1]
    gained = numpy.diff(recall, prepend=0.0)
    return float(numpy.sum((gained * precision)[::-1]))
