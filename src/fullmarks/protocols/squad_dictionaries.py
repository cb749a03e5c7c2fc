"""SQuAD's questions and answers as Hugging Face's dictionaries: `{"id", "prediction_text"}` and `{"id", "answers"}`.

Both sides meet by id, whatever their order, and one to one: what is missing or comes twice is an error.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from numbers import Real
from typing import Any

from fullmarks.errors import InputError, MismatchError
from fullmarks.metrics.squad import NO_ANSWER
from fullmarks.metrics.tally import Tally, chunk_rows
from fullmarks.protocols.protocol import Protocol
from fullmarks.readers.documents import kind_of
from fullmarks.types import FIRST_IDS, Audit, Examples

PREDICTION = '{"id": ..., "prediction_text": ...}'
REFERENCE = '{"id": ..., "answers": {"text": [...], "answer_start": [...]}}'
_LISTS = (list, tuple)


def published(rules: Protocol, examples: Examples) -> dict[str, Any]:
    """The official result of these examples."""
    tally = Tally(rules.metrics_for(examples), rules.breakdown(examples), keep=True)
    tally.add(examples, chunk_rows(tally.metrics, examples))
    return rules.official(tally, Audit())


def matched(predictions: Sequence[Any], references: Sequence[Any]) -> tuple[Examples, list[int]]:
    """The examples in the order of the references, and the place of the prediction of each."""
    answers = _places(predictions, "predictions", PREDICTION)
    questions = _places(references, "references", REFERENCE)
    _check_met(answers, questions)
    texts = [_text(row, at) for at, row in enumerate(predictions)]
    places = [answers[identifier] for identifier in questions]
    golds = [_answers(row, at) for at, row in enumerate(references)]
    return Examples(list(questions), [texts[place] for place in places], golds), places


def probabilities(predictions: Sequence[Any]) -> list[float]:
    """The no-answer probabilities in single precision, as Hugging Face keeps them; empty where there is none."""
    given = [row.get(NO_ANSWER) for row in predictions]
    if all(value is None for value in given):
        return []
    for at, value in enumerate(given):
        if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
            shown = repr(value) if isinstance(value, Real) else kind_of(value)
            problem = f"'{NO_ANSWER}' must be a finite number, found {shown}"
            raise InputError(f"predictions[{at}]", problem, "Give every prediction one, or none of them.")
    return list(array("f", map(float, given)))


def _places(rows: Sequence[Any], name: str, shape: str) -> dict[str, int]:
    """The place of every id; an error for what is no dictionary, has no id, or has that of another."""
    if not rows:
        raise InputError(name, "there is none", f"Give dictionaries {shape}.")
    places: dict[str, int] = {}
    for at, row in enumerate(rows):
        where = f"{name}[{at}]"
        if not isinstance(row, dict):
            raise InputError(where, f"expected a dictionary, found {kind_of(row)}", f"Give {shape}.")
        found = _field(row, "id", where, shape)
        if isinstance(found, bool) or not isinstance(found, (str, int)):
            raise InputError(where, f"'id' must be a text or a whole number, found {kind_of(found)}", f"Give {shape}.")
        if (identifier := str(found)) in places:
            before = f"{name}[{places[identifier]}]"
            raise MismatchError(where, f"{before} has the id {identifier!r} too; ids must be unique", "Remove one.")
        places[identifier] = at
    return places


def _check_met(answers: dict[str, int], questions: dict[str, int]) -> None:
    for name, wanted, others in (("predictions", questions, answers), ("references", answers, questions)):
        missing = [identifier for identifier in wanted if identifier not in others]
        if missing:
            shown = ", ".join(map(repr, missing[:FIRST_IDS]))
            found = f"{len(missing)} of {len(wanted)} ids of the other side are missing here (first: {shown})"
            raise MismatchError(name, found, "Give one prediction for every reference.")


def _text(row: dict[str, Any], at: int) -> str:
    text = _field(row, "prediction_text", f"predictions[{at}]", PREDICTION)
    if not isinstance(text, str):
        problem = f"'prediction_text' must be a text, found {kind_of(text)}"
        raise InputError(f"predictions[{at}]", problem, "Give an empty one for no answer.")
    return text


def _answers(row: dict[str, Any], at: int) -> list[str]:
    """The texts of the answers: a dictionary of lists, or a list of dictionaries."""
    where = f"references[{at}]"
    answers = _field(row, "answers", where, REFERENCE)
    if isinstance(answers, dict):
        texts = _field(answers, "text", where, REFERENCE)
    else:
        is_list = isinstance(answers, _LISTS) and all(isinstance(answer, dict) for answer in answers)
        texts = [answer.get("text") for answer in answers] if is_list else answers
    texts = texts.tolist() if hasattr(texts, "tolist") else texts
    if not isinstance(texts, _LISTS) or not all(isinstance(text, str) for text in texts):
        odd = next((text for text in texts if not isinstance(text, str)), None) if isinstance(texts, _LISTS) else texts
        raise InputError(
            where, f"the texts of 'answers' must be a list of texts, found {kind_of(odd)}", f"Give {REFERENCE}."
        )
    return list(texts)


def _field(row: dict[str, Any], field: str, where: str, shape: str) -> Any:
    if field not in row:
        found = ", ".join(map(repr, row)) or "nothing"
        raise InputError(where, f"the field '{field}' is missing, found {found}", f"Give {shape}.")
    return row[field]
