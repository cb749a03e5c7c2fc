"""What VizWiz's files say about whether questions can be answered: 0 or 1 in the gold, any number in predictions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from fullmarks.readers.documents import kind_of
from fullmarks.types import Audit, Examples, FindingKind, Identifier

ANSWERABLE = "answerable"
"""The part of a prediction, and the fact of the gold, that says how answerable a question is."""
BAD_TRUTHS = FindingKind("bad-gold-answerable", "gold 'answerable' that is not 0 or 1", "Write 0 or 1")
BAD_BELIEFS = FindingKind(
    "bad-answerable", "predictions whose part 'answerable' is not a number", "Write a number such as 0.25"
)
NO_BELIEFS = FindingKind(
    "no-answerable",
    "questions without a predicted 'answerable'",
    "Add 'answerable' to the predictions to have unanswerability scored",
)
NO_TRUTHS = FindingKind("no-gold-answerable", "questions without a gold 'answerable'")
NO_ANSWERS = FindingKind(
    "no-answers", "questions without a predicted 'answer'", "Add 'answer' to the predictions to have accuracy scored"
)


def check_numbers(examples: Examples, audit: Audit, gold_name: str, name: str) -> None:
    """Errors for what is no such number, which is then taken for absent."""
    truths, beliefs = examples.facts.get(ANSWERABLE, []), examples.parts.get(ANSWERABLE, [])
    odd = [at for at, value in enumerate(truths) if value is not None and not (_is_number(value) and value in (0, 1))]
    _refuse(odd, examples.ids, truths, audit, kind=BAD_TRUTHS, where=gold_name)
    odd = [at for at, value in enumerate(beliefs) if value is not None and not _is_number(value)]
    _refuse(odd, examples.ids, beliefs, audit, kind=BAD_BELIEFS, where=name)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value)


def _refuse(
    odd: list[int], ids: Sequence[Identifier], values: list[Any], audit: Audit, *, kind: FindingKind, where: str
) -> None:
    if not odd:
        return
    first = values[odd[0]]
    shown = repr(first) if isinstance(first, (int, float)) else kind_of(first)
    audit.add(kind, "error", [ids[at] for at in odd], detail=f"{ids[odd[0]]!r} has {shown}", where=where)
    for at in odd:
        values[at] = None


def note_absent_parts(examples: Examples, audit: Audit) -> None:
    """Say which part of the result is not there, and why."""
    truths, beliefs = examples.facts.get(ANSWERABLE, []), examples.parts.get(ANSWERABLE, [])
    answers = examples.parts.get("answer", [""])
    if all(belief is None for belief in beliefs):
        detail = "unanswerability is not computed"
        audit.add(NO_BELIEFS, "warning", count=len(examples), detail=detail)
    elif None in truths:
        without = [examples.ids[at] for at, truth in enumerate(truths) if truth is None]
        audit.add(NO_TRUTHS, "warning", without, detail="unanswerability leaves them out")
    if all(answer is None for answer in answers):
        detail = "accuracy is not computed"
        audit.add(NO_ANSWERS, "warning", count=len(examples), detail=detail)
