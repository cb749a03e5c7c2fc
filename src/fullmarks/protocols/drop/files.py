"""DROP's gold: what each answer says, as spans with a type, as the published program and as harnesses read it."""

from __future__ import annotations

from typing import Any

from fullmarks.errors import InputError
from fullmarks.readers.documents import kind_of
from fullmarks.readers.records import RecordForm, read_records
from fullmarks.readers.source import Source
from fullmarks.types import Gold, Identifier

TYPES = "types"
"""The fact that holds the type of each reference."""
ANSWER_TYPE = "answer_type"
"""The fact that holds the type of the answer proper; None where that is empty."""
HARNESS = "harness_references"
"""The fact that holds the references as harnesses read them, where that is another way; otherwise None."""
_NOTHING = ([""], "number")
"""What an empty `answer` is taken for where there is no prediction; a prediction for it is an error."""
SHAPE = '{passage: {"qa_pairs": [{"query_id", "answer": {"number", "spans", "date"}, "validated_answers"}]}}'
FORM = RecordForm(
    "query_id",
    at="{}.qa_pairs[]",
    columns={"passage": "@1", "question": "question"},
    facts={"answer": "answer", "validated": "validated_answers?"},
    shape=SHAPE,
)


def read_drop(source: Source) -> Gold:
    """Every question of the file in file order, its references being lists of spans: the answer, then the validated."""
    gold = read_records(source, FORM)
    types: list[list[str]] = []
    harness: list[list[list[str]] | None] = []
    own: list[str | None] = []
    for identifier, answer, validated in zip(gold.ids, gold.facts["answer"], gold.facts["validated"], strict=True):
        answers = [answer, *_listed(validated, identifier, source.name)] if validated else [answer]
        read = [_read(each, identifier, source.name) for each in answers[1:]]
        read.insert(0, _read(answer, identifier, source.name) if answer else _NOTHING)
        spans = [found for found, _ in read]
        gold.references[len(types)] = spans
        types.append([kind for _, kind in read])
        own.append(types[-1][0] if answer else None)
        harness.append(_at_harness(answers, spans))
    gold.facts = {TYPES: types, ANSWER_TYPE: own, HARNESS: harness}
    return gold


def _listed(validated: Any, identifier: Identifier, name: str) -> list[Any]:
    if not isinstance(validated, list):
        raise _error(f"'validated_answers' must be a list, found {kind_of(validated)}", identifier, name)
    return validated


def _read(answer: Any, identifier: Identifier, name: str) -> tuple[list[str], str]:
    """The spans and the type: of number, spans and date the first that says something."""
    if not isinstance(answer, dict):
        raise _error(f"an answer must be an object, found {kind_of(answer)}", identifier, name)
    if answer.get("number"):
        return [str(answer["number"])], "number"
    spans = answer.get("spans")
    if spans:
        if not isinstance(spans, list) or not all(isinstance(span, str) for span in spans):
            raise _error("'spans' must be a list of texts", identifier, name)
        return spans, "span" if len(spans) == 1 else "spans"
    date = answer.get("date")
    if not isinstance(date, dict) or not {"day", "month", "year"} <= date.keys():
        found = ", ".join(f"'{key}'" for key in answer) or "nothing"
        problem = f"an answer has neither a number, nor spans, nor a date with day, month and year; it has {found}"
        raise _error(problem, identifier, name)
    return [f"{date['day']} {date['month']} {date['year']}"], "date"


def _at_harness(answers: list[Any], spans: list[list[str]]) -> list[list[str]] | None:
    """The same where any number counts that is there, 0 too; None where that makes no difference."""
    odd = {at: str(answer["number"]) for at, answer in enumerate(answers) if answer and _is_zero(answer.get("number"))}
    return [[odd[at]] if at in odd else each for at, each in enumerate(spans)] if odd else None


def _is_zero(number: Any) -> bool:
    """Whether it is a number that the published program passes over."""
    return not number and isinstance(number, (int, float))


def _error(problem: str, identifier: Identifier, name: str) -> InputError:
    return InputError(f"{name}: question {identifier!r}", problem, f"Expected {SHAPE}.")
