"""TextVQA's rule as mmf has it, and what others changed about it.

Both sides are brought to the EvalAI normal form. For every annotator the others with the same answer make a vote of
min(1, others / 3), and the answer's score is the mean over the ten: 0.3, 0.6, 0.9 and 1 where one, two, three or more
of them gave it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from fullmarks.metrics.votes import Judged, judge_votes
from fullmarks.text.evalai import normalize_evalai
from fullmarks.text.recipes import TRIM, VQA, Recipe
from fullmarks.text.steps import Apply
from fullmarks.text.vqa import blank_marks

ANNOTATORS = 10
_LONE_PERIOD = re.compile(r"(?<!\d)\.(?!\d)")
_MOST_PERIODS = 32


def judge(prediction: str, answers: Sequence[str]) -> Judged:
    """What one prediction scores, with every annotator's vote."""
    given = [normalize_evalai(answer) for answer in answers]
    return judge_votes(normalize_evalai(prediction), given)


def strip_punctuation_vlmeval(text: str) -> str:
    """As VQA's, but a period stays where a digit stands before it, too."""
    return _LONE_PERIOD.sub("", blank_marks(text), count=_MOST_PERIODS)


VLMEVAL = Recipe(
    "textvqa-vlmevalkit",
    (
        TRIM,
        Apply("punctuation deleted or to blanks, periods beside digits kept", strip_punctuation_vlmeval),
        VQA.order[2],
    ),
)
"""VLMEvalKit's normaliser: VQA's with the look-behind for periods that VQA's program meant to have."""

RECIPES = {VLMEVAL.name: VLMEVAL}


def question_of(prompt: str) -> str | None:
    """The question in one of LLaVA's prompts, lower-cased; None where there is none to be found.

    >>> question_of("What is it?\\nAnswer the question using a single word or phrase.")
    'what is it?'
    """
    lines = prompt.split("\n")
    if prompt.startswith("OCR tokens: "):
        found = re.search(r"Question: (.*?) Short answer:", prompt, re.DOTALL)
        return found.group(1).lower() if found else None
    if len(lines) == 3 and "Reference OCR token: " in prompt:
        return lines[1 if prompt.startswith("Reference OCR token:") else 0].lower()
    return lines[0].lower() if len(lines) == 2 else None
