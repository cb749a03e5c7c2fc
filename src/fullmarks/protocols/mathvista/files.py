"""MathVista's output file: problems by their ids, with the right answer and the extraction in one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fullmarks.errors import InputError
from fullmarks.protocols.mathvista.metric import FACTS
from fullmarks.protocols.mathvista.rules import ANSWER_TYPES
from fullmarks.readers.documents import kind_of
from fullmarks.readers.records import read_values
from fullmarks.readers.source import Source
from fullmarks.types import Examples, Identifier

OF_METADATA = ("language", "source", "category", "task", "context", "grade", "skills")
TABLES = ("question_type", "answer_type", *OF_METADATA)
_SHAPE = 'Expected {pid: {"question_type", "answer_type", "answer", "extraction", "metadata", ...}}.'


def read_problems(source: Source) -> dict[Identifier, Any]:
    """The problems of a file by id: an object of them, or rows with `pid`."""
    values = read_values(source)
    if isinstance(values, list):
        values = {row.get("pid") if isinstance(row, dict) else None: row for row in values}
    if not isinstance(values, dict) or None in values:
        raise InputError(source.name, f"expected an object of problems by id, found {kind_of(values)}", _SHAPE)
    return values


def to_examples(problems: Mapping[Identifier, Any], more: Mapping[Identifier, Any], name: str) -> Examples:
    """The problems as examples; what one does not tell itself is taken from `more`, the data set."""
    columns: dict[str, list[Any]] = {table: [] for table in TABLES}
    facts: dict[str, list[Any]] = {fact: [] for fact in FACTS}
    for identifier, own in problems.items():
        where = f"{name}: problem {identifier!r}"
        if not isinstance(own, dict):
            raise InputError(where, f"expected an object, found {kind_of(own)}", _SHAPE)
        problem = {**more.get(identifier, {}), **own}
        _check(problem, where)
        for fact in FACTS:
            facts[fact].append(problem.get(fact))
        for table in ("question_type", "answer_type"):
            columns[table].append(_label(problem[table], table, where))
        for table in OF_METADATA:
            columns[table].append(_label(problem["metadata"].get(table), table, where))
    texts = ["" if found is None else str(found) for found in facts["extraction"]]
    references: list[list[Any]] = [[str(answer)] for answer in facts["answer"]]
    return Examples(list(problems), texts, references, columns, facts=facts)


def _check(problem: dict[str, Any], where: str) -> None:
    """An error for what the published program stops at."""
    advice = {
        "extraction": "Extract the answers first: every problem needs one, empty or null where nothing was found.",
        "answer": "Pass the data set too: fullmarks score mathvista DATASET OUTPUT.",
    }
    for field in ("question_type", "answer_type", "answer", "extraction", "metadata"):
        if field not in problem:
            raise InputError(where, f"the field '{field}' is missing", advice.get(field, _SHAPE))
    if not isinstance(problem["metadata"], dict):
        raise InputError(where, f"'metadata' must be an object, found {kind_of(problem['metadata'])}", _SHAPE)
    if problem["question_type"] == "multi_choice":
        choices = problem.get("choices")
        if not isinstance(choices, list) or not choices or not all(isinstance(each, str) for each in choices):
            found = "an empty list" if choices == [] else kind_of(choices)
            raise InputError(where, f"'choices' must be a list of texts, found {found}", "Give the problem's choices.")
    elif problem["answer_type"] not in ANSWER_TYPES[1:]:
        known = ", ".join(f"'{each}'" for each in ANSWER_TYPES[1:])
        problem_text = f"the answer type of a free answer must be one of {known}, found {problem['answer_type']!r}"
        raise InputError(where, problem_text, "Correct it.")


def _label(value: Any, field: str, where: str) -> Any:
    """A list as the values that the problem counts under, each once; an error for what no table can count under."""
    labels = value if isinstance(value, list) else [value]
    odd = next((label for label in labels if isinstance(label, (list, dict))), None)
    if odd is not None:
        raise InputError(where, f"'{field}' must be a text or a list of texts, found {kind_of(odd)}", _SHAPE)
    return tuple(dict.fromkeys(value)) if isinstance(value, list) else value
