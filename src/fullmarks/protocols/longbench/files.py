"""LongBench's files: a folder with one file of JSON lines for each data set, predictions and references together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fullmarks.errors import InputError, UsageError
from fullmarks.protocols.longbench.rules import OTHER_TASKS, TASKS, length_class
from fullmarks.readers.alignment import AS_CHARACTERS, LONE_TEXTS
from fullmarks.readers.documents import is_finite_number, kind_of
from fullmarks.readers.records import read_values
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples

SHAPE = 'Expected {"pred": text, "answers": [texts], "length": words} a line.'
_ENDINGS = (".jsonl", ".jsonl.gz", ".jsonl.zst")


def data_sets(source: Source, wanted: tuple[str, ...]) -> Iterator[tuple[str, Source]]:
    """Every data set that is there with its records, by name; only those that are wanted, where any are.

    A folder has a file for each; one file is a data set named by its name up to the first dot, or by the one wanted.
    From Python also `{data set: records}` or, of one data set, the records.
    """
    for task in wanted:
        check_task(task, "task")
    found = _named(source, wanted)
    if wanted and (absent := [task for task in wanted if task not in found]):
        known = ", ".join(found) or "none"
        raise InputError(source.name, f"there is no data set '{absent[0]}'; it has {known}", "Check --task.")
    for task in sorted(found):
        if not wanted or task in wanted:
            check_task(task, found[task].name)
            yield task, found[task]


def _named(source: Source, wanted: tuple[str, ...]) -> dict[str, Source]:
    if source.is_folder:
        found: dict[str, Source] = {}
        for file in source.files():
            base = Path(file.name).name
            task = base.split(".")[0]
            if not base.lower().endswith(_ENDINGS):
                continue
            if task in found:
                problem = f"two files of the data set '{task}': {Path(found[task].name).name} and {base}"
                raise InputError(source.name, problem, "Leave one there.")
            found[task] = file
        if not found:
            raise InputError(
                source.name, "there is no .jsonl file in it", "Name the folder of the model's predictions."
            )
        return found
    if source.is_object and isinstance(source.given, dict):
        return {task: source.holding(records) for task, records in source.given.items()}
    if len(wanted) > 1:
        raise UsageError(f"one file holds one data set, found {len(wanted)} in task: {', '.join(wanted)}")
    if wanted:
        return {wanted[0]: source}
    if source.path is None:
        raise UsageError(f"the data set cannot be told without a file's name: pass task, one of {', '.join(TASKS)}")
    return {Path(source.name).name.split(".")[0]: source}


def check_task(task: str, where: str) -> None:
    """An error unless this is a data set of questions; the others of LongBench are told from unknown ones."""
    if task in TASKS:
        return
    known = ", ".join(TASKS)
    if task in OTHER_TASKS:
        problem = f"the data set '{task}' is scored by {OTHER_TASKS[task]}, not as questions with short answers"
        raise InputError(where, problem, f"Move it away, or name those to score with --task: {known}.")
    raise InputError(where, f"'{task}' is no data set of LongBench", f"Name the file for its data set: {known}.")


def read_data_set(task: str, source: Source, audit: Audit, *, by_length: bool) -> Examples:
    """The examples of one data set in file order; `by_length` adds the class of LongBench-E that each belongs to.

    Answers that are a text are its characters, as in the published program, and are counted.
    """
    records = read_values(source)
    records = [records] if isinstance(records, dict) else records
    if not isinstance(records, list) or not records:
        found = "there is no record in it" if records == [] else f"expected records, found {kind_of(records)}"
        raise InputError(source.name, found, SHAPE)
    examples = Examples([], [], [], {"task": [task] * len(records)})
    lengths: list[Any] = []
    for number, record in enumerate(records):
        where = f"{source.name}: record {number + 1}"
        examples.predictions.append(_prediction(record, where))
        examples.references.append(_answers(record, where))
        lengths.append(record.get("length"))
        if by_length and not is_finite_number(lengths[-1]):
            found = f"'length' must be a number, found {kind_of(lengths[-1])}"
            raise InputError(where, found, "LongBench-E is scored by length; leave --e out for LongBench.")
    examples.ids = [f"{task}:{number}" for number in range(len(records))]
    lone = [examples.ids[at] for at, record in enumerate(records) if isinstance(record["answers"], str)]
    if lone:
        audit.add(LONE_TEXTS, "warning", lone, detail=AS_CHARACTERS, where=source.name)
    if all(map(is_finite_number, lengths)):
        examples.columns["length"] = [length_class(length) for length in lengths]
    return examples


def _prediction(record: Any, where: str) -> str:
    if not isinstance(record, dict):
        raise InputError(where, f"expected an object, found {kind_of(record)}", SHAPE)
    text = record.get("pred")
    if not isinstance(text, str):
        found = f"'pred' must be a text, found {kind_of(text)}" if "pred" in record else "the field 'pred' is missing"
        raise InputError(where, found, SHAPE)
    return text


def _answers(record: dict[str, Any], where: str) -> list[str]:
    answers = record.get("answers")
    if not isinstance(answers, (list, tuple, str)) or not all(isinstance(answer, str) for answer in answers):
        raise InputError(where, f"'answers' must be a list of texts, found {kind_of(answers)}", SHAPE)
    return list(answers)
