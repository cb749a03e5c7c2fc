"""What VizWiz's files say about whether questions can be answered: 0 or 1 in the gold, any number in predictions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from fullmarks.readers.documents import kind_of
from fullmarks.types import Audit, Examples, Identifier

ANSWERABLE = "answerable"
"""The part of a prediction, and the fact of the gold, that says how answerable a question is."""


def check_numbers(examples: Examples, audit: Audit, gold_name: str, name: str) -> None:
    """Errors for what is no such number, which is then taken for absent."""
    truths, beliefs = examples.facts.get(ANSWERABLE, []), examples.parts.get(ANSWERABLE, [])
    odd = [at for at, value in enumerate(truths) if value is not None and not (_is_number(value) and value in (0, 1))]
    _refuse(odd, examples.ids, truths, audit, kind="gold 'answerable' that is not 0 or 1", where=gold_name)
    odd = [at for at, value in enumerate(beliefs) if value is not None and not _is_number(value)]
    kind = "predictions whose part 'answerable' is not a number"
    _refuse(odd, examples.ids, beliefs, audit, kind=kind, where=name)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value)


def _refuse(
    odd: list[int], ids: Sequence[Identifier], values: list[Any], audit: Audit, *, kind: str, where: str
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
        audit.add("questions without a predicted 'answerable'", "warning", count=len(examples), detail=detail)
    elif None in truths:
        without = [examples.ids[at] for at, truth in enumerate(truths) if truth is None]
        audit.add("questions without a gold 'answerable'", "warning", without, detail="unanswerability leaves them out")
    if all(answer is None for answer in answers):
        detail = "accuracy is not computed"
        audit.add("questions without a predicted 'answer'", "warning", count=len(examples), detail=detail)
