"""MuSiQue's files: questions and predictions as JSON lines that belong together one by one, in the same order.

Invariant: ids are made different by their occurrence. In the full form every id comes twice, once with an answer and
once without; the second of them is called `ID (2)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fullmarks.errors import InputError, MismatchError
from fullmarks.protocols.musique.metric import ANSWER, ANSWERABLE, SUPPORT, TWINS
from fullmarks.protocols.musique.rules import paragraph_numbers
from fullmarks.readers.alignment import Gaps, align, told_apart
from fullmarks.readers.documents import kind_of
from fullmarks.readers.records import RecordForm, read_records
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, FindingKind, Gold, Identifier

FIELDS = ("predicted_answer", "predicted_support_idxs", "predicted_answerable")
DISPLACED = "predictions that stand in another order than their questions"
NOT_TEXTS = FindingKind(
    "predicted-answers-not-texts", "predicted answers that are not texts", "Write 'predicted_answer' as a text"
)
NOT_NUMBERS = FindingKind(
    "support-not-numbers",
    "predicted supporting paragraphs that are not lists of numbers",
    "Write 'predicted_support_idxs' as a list of the paragraphs' idx",
)
NOT_LISTS = FindingKind(
    "support-not-lists",
    "predicted supporting paragraphs that are a text or an object",
    "Write 'predicted_support_idxs' as a list of the paragraphs' idx",
)
PAIR = "pair"


def read_questions(source: Source, form: RecordForm) -> Gold:
    """The questions in file order under their own ids; paragraphs as the numbers of the supporting ones."""
    gold = read_records(source, form)
    gold.facts[SUPPORT] = [
        _supporting(identifier, paragraphs, source.name)
        for identifier, paragraphs in zip(gold.ids, gold.facts[SUPPORT], strict=True)
    ]
    gold.columns[PAIR] = list(gold.ids)
    gold.columns[ANSWERABLE] = list(map(bool, gold.facts[ANSWERABLE]))
    hops = [str(identifier).partition("hop")[0] for identifier in gold.ids]
    if all(map(str.isdigit, hops)):
        gold.columns["hops"] = hops
    return gold


def _supporting(identifier: Identifier, paragraphs: Any, name: str) -> list[int]:
    try:
        return paragraph_numbers([paragraph["idx"] for paragraph in paragraphs if paragraph["is_supporting"]])
    except (TypeError, KeyError, ValueError):
        problem = "'paragraphs' must be a list of objects with a number 'idx' and 'is_supporting'"
        raise InputError(f"{name}: question {identifier!r}", problem, "Check that this is the gold file.") from None


def check_pairs(gold: Gold, name: str) -> None:
    """An error unless every question has one twin with an answer and one without, if any has none."""
    if all(gold.facts[ANSWERABLE]):
        return
    flags: dict[Identifier, list[bool]] = {}
    for identifier, is_answerable in zip(gold.ids, gold.facts[ANSWERABLE], strict=True):
        flags.setdefault(identifier, []).append(bool(is_answerable))
    odd = next((identifier for identifier, found in flags.items() if sorted(found) != [False, True]), None)
    if odd is not None:
        said = ["answerable" if flag else "unanswerable" for flag in flags[odd]]
        problem = f"the question {odd!r} is there {len(said)} times ({', '.join(said)})"
        advice = "In a set with unanswerable questions each comes twice, once with an answer and once without."
        raise InputError(name, problem, advice)


def join(gold: Gold, rows: list[Any], audit: Audit, gaps: Gaps, names: tuple[str, str]) -> Examples:
    """Questions and predictions in the order of the files, under the rules for gaps; `names` are those of the files."""
    check_pairs(gold, names[0])
    row_ids = [_row_id(row, number, names[1]) for number, row in enumerate(rows, start=1)]
    given = told_apart(row_ids, gold.ids)
    by_id = dict(zip(given, rows, strict=True))
    gold.ids = list(told_apart(gold.ids, row_ids))
    _check_order(gold.ids, given, names)
    examples = align(gold, by_id, audit, gaps, gold_name=names[0], name=names[1])
    without = set(examples.unanswered)
    found = [None if at in without else by_id[identifier] for at, identifier in enumerate(examples.ids)]
    _take_parts(examples, found, audit, names[1])
    if not all(gold.facts[ANSWERABLE]):
        examples.facts[TWINS] = _twins(examples)
    return examples


def _row_id(row: Any, number: int, name: str) -> Identifier:
    where = f"{name}: record {number}"
    if not isinstance(row, dict):
        raise InputError(where, f"expected an object, found {kind_of(row)}", "Write one object per prediction.")
    for field in ("id", *FIELDS):
        if field not in row:
            found = ", ".join(f"'{key}'" for key in row) or "nothing"
            raise InputError(where, f"the field '{field}' is missing, found {found}", "The published program wants it.")
    identifier = row["id"]
    if isinstance(identifier, bool) or not isinstance(identifier, (str, int)):
        problem = f"'id' must be a string or a whole number, found {kind_of(identifier)}"
        raise InputError(where, problem, "Write the question's own id.")
    return identifier


def _check_order(wanted: Sequence[Identifier], given: Sequence[Identifier], names: tuple[str, str]) -> None:
    """An error where those that both files have stand in another order: twins could not be told from each other."""
    both = set(wanted) & set(given)
    pairs = zip((i for i in wanted if i in both), (i for i in given if i in both), strict=True)
    for place, (question, prediction) in enumerate(pairs, start=1):
        if question != prediction:
            problem = f"{DISPLACED}: number {place} of those in both files is {question!r} there, {prediction!r} here"
            raise MismatchError(names[1], problem, f"Write the predictions in the order of {names[0]}.")


def _take_parts(examples: Examples, rows: Sequence[Any], audit: Audit, name: str) -> None:
    """The parts of the predictions; what is said of a question without an answer is not looked at."""
    answers: list[Any] = []
    support: list[Any] = []
    for identifier, row, is_answerable in zip(examples.ids, rows, examples.facts[ANSWERABLE], strict=True):
        answer, numbers = (None, None) if row is None else (row["predicted_answer"], row["predicted_support_idxs"])
        if row is not None and not is_answerable:
            answer, numbers = (answer if isinstance(answer, str) else ""), []
        elif row is not None:
            if not isinstance(answer, str):
                detail = f"{identifier!r} has {kind_of(answer)}"
                audit.add(NOT_TEXTS, "error", [identifier], detail=detail, where=name)
                answer = ""
            numbers = _support(identifier, numbers, audit, name)
        answers.append(answer)
        support.append(numbers)
    examples.parts = {
        ANSWER: answers,
        SUPPORT: support,
        ANSWERABLE: [None if row is None else row["predicted_answerable"] for row in rows],
    }
    examples.predictions = ["" if answer is None else answer for answer in answers]


def _support(identifier: Identifier, given: Any, audit: Audit, name: str) -> list[int]:
    """The predicted paragraphs; of a text each character and of an object each key, as in the published program."""
    if isinstance(given, (str, dict)):
        detail = "each character, or each key, is a paragraph, as in the published program"
        audit.add(NOT_LISTS, "warning", [identifier], detail=detail, where=name)
    elif not isinstance(given, list):
        audit.add(NOT_NUMBERS, "error", [identifier], detail=f"{identifier!r} has {kind_of(given)}", where=name)
        return []
    try:
        return paragraph_numbers(given)
    except ValueError as error:
        audit.add(NOT_NUMBERS, "error", [identifier], detail=f"{identifier!r}: {error}", where=name)
        return []


def _twins(examples: Examples) -> list[Any]:
    """What gold and prediction say of both questions of each pair; None where only one of them is scored."""
    places: dict[Identifier, list[int]] = {}
    for position, pair in enumerate(examples.columns[PAIR]):
        places.setdefault(pair, []).append(position)
    said, flags = examples.parts[ANSWERABLE], examples.facts[ANSWERABLE]
    return [
        [[flags[at] for at in places[pair]], [said[at] for at in places[pair]]] if len(places[pair]) == 2 else None
        for pair in examples.columns[PAIR]
    ]
