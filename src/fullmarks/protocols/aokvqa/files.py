"""A-OKVQA's questions: the right choice as a text, and which questions have direct answers."""

from __future__ import annotations

from typing import Any

from fullmarks.errors import InputError
from fullmarks.readers.documents import kind_of
from fullmarks.readers.records import RecordForm, read_records, read_values
from fullmarks.readers.source import Source
from fullmarks.types import Gold

CHOICE, DIRECT_ANSWER = "multiple_choice", "direct_answer"
RIGHT, CHOICES, ASKED = "right", "choices", "asked"
"""The facts of the gold: the text of the right choice, all choices, whether a direct answer is asked for."""
_DIFFICULT = "difficult_direct_answer"

FORM = RecordForm(
    "question_id",
    "direct_answers",
    columns={"split": "split", "image_id": "image_id", "question": "question"},
    facts={CHOICES: CHOICES, RIGHT: "correct_choice_idx"},
    shape='[{"question_id", "choices", "correct_choice_idx", "direct_answers", "difficult_direct_answer"}]',
)


def read_gold(source: Source) -> Gold:
    """The questions in file order.

    A direct answer is asked for where the question is marked as not difficult by `false` itself: 0 or null drop it.
    None is asked for if one question has no mark at all.
    """
    values = read_values(source)
    gold = read_records(source.holding(values), FORM)
    choices, indices = gold.facts[CHOICES], gold.facts[RIGHT]
    gold.facts[RIGHT] = [
        _right(*pair, f"{source.name}: [{at}]") for at, pair in enumerate(zip(choices, indices, strict=True))
    ]
    is_marked = all(_DIFFICULT in record for record in values)
    gold.facts[ASKED] = [is_marked and record[_DIFFICULT] is False for record in values]
    return gold


def _right(choices: Any, index: Any, where: str) -> str:
    """The text of the right choice."""
    if not isinstance(choices, list) or not all(isinstance(choice, str) for choice in choices):
        raise InputError(
            where, f"'choices' must be a list of texts, found {kind_of(choices)}", f"Expected {FORM.shape}."
        )
    if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(choices):
        shown = index if isinstance(index, (int, float)) else kind_of(index)
        problem = f"'correct_choice_idx' must be the place of one of {len(choices)} choices from 0, found {shown}"
        raise InputError(where, problem, f"Expected {FORM.shape}.")
    right: str = choices[index]
    return right
