"""TextVQA's answers as LLaVA writes them, and answers that are given more than once.

LLaVA's rows name the image instead of the question; the question stands in the prompt. Both together find the question,
never the row's position.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from fullmarks.errors import InputError, MismatchError
from fullmarks.protocols.textvqa.rules import question_of
from fullmarks.readers.documents import check_pairs_by, kind_of
from fullmarks.readers.records import read_values
from fullmarks.readers.source import Source
from fullmarks.readers.tables.table import is_table
from fullmarks.types import FIRST_IDS, Examples, Gold, Identifier

Row = dict[str, Any]
_LLAVA = {"question_id", "prompt", "text"}


def answer_rows(source: Source) -> list[Row]:
    """The predictions as objects, where they are a list of such or JSON lines; otherwise nothing."""
    if is_table(source) and not source.is_json_lines and not source.is_object:
        return []
    values = read_values(source)
    is_rows = isinstance(values, list) and all(isinstance(value, dict) for value in values)
    return values if is_rows else []


def are_llava(rows: list[Row]) -> bool:
    """Whether these are answers as LLaVA writes them."""
    return bool(rows) and rows[0].keys() >= _LLAVA


def with_question_ids(rows: list[Row], gold: Gold, gold_name: str, name: str) -> list[Row]:
    """LLaVA's rows as a submission has them, each found by its image and question; what is not found is an error."""
    if "image_id" not in gold.columns or "question" not in gold.columns:
        raise InputError(name, "these answers are paired by image and question, which the gold lacks", _OFFICIAL)
    ids: dict[tuple[Any, str], Identifier] = {}
    for image, question, known in zip(gold.columns["image_id"], gold.columns["question"], gold.ids, strict=True):
        check_pairs_by("image_id", image, f"{gold_name}: question {known!r}")
        ids[image, str(question).lower()] = known
    found: list[Row] = []
    strangers: list[str] = []
    for number, row in enumerate(rows, start=1):
        where = f"{name}: record {number}"
        image, question = row.get("question_id"), _question(row, where)
        check_pairs_by("question_id", image, where)
        if (image, question) in ids:
            found.append({"question_id": ids[image, question], "answer": row.get("text")})
        else:
            strangers.append(f"{image} {question!r}")
    if strangers:
        shown = "; ".join(strangers[:FIRST_IDS])
        problem = f"{len(strangers)} of {len(rows)} answers are for no question of the gold (first: {shown})"
        raise MismatchError(name, problem, "Check that both files belong together.")
    return found


_OFFICIAL = "Score against the official file, TextVQA_0.5.1_val.json."


def _question(row: Row, where: str) -> str:
    prompt = row.get("prompt")
    question = question_of(prompt) if isinstance(prompt, str) else None
    if question is None:
        found = repr(prompt[:60]) if isinstance(prompt, str) else kind_of(prompt)
        expected = "expected a prompt whose first line is the question and whose last is the instruction"
        raise InputError(where, f"{expected}, found {found}", "Write the prompt as LLaVA does, or give question ids.")
    return question


def repeated_texts(rows: list[Row], text_fields: tuple[str, ...]) -> dict[str, list[str]]:
    """All texts of every question that is answered more than once, by its id as a text."""
    counts = Counter(str(row.get("question_id")) for row in rows)
    texts: dict[str, list[str]] = {identifier: [] for identifier, count in counts.items() if count > 1}
    for row in rows:
        if (identifier := str(row.get("question_id"))) in texts:
            text = next((row[field] for field in text_fields if field in row), None)
            texts[identifier].append(text if isinstance(text, str) else "")
    return texts


def each_counted(examples: Examples, texts: dict[str, list[str]]) -> Examples:
    """The examples with one for every answer to a question that is answered more than once, where it stood.

    The second has the question's id with `#2` behind it, so that ids stay different.
    """
    ids: list[Identifier] = []
    positions: list[int] = []
    predictions: list[str] = []
    unanswered: list[int] = []
    without = set(examples.unanswered)
    for position, identifier in enumerate(examples.ids):
        if position in without:
            unanswered.append(len(positions))
        several = texts.get(str(identifier), [examples.predictions[position]])
        ids += [identifier, *(f"{identifier}#{number}" for number in range(2, len(several) + 1))]
        positions += [position] * len(several)
        predictions += several
    counted = examples.take(positions)
    counted.ids, counted.predictions, counted.unanswered = ids, predictions, tuple(unanswered)
    return counted


def ids_without_ten(examples: Examples, ten: int) -> list[Identifier]:
    """The questions with another number of gold answers."""
    return [examples.ids[at] for at, answers in enumerate(examples.references) if answers and len(answers) != ten]
