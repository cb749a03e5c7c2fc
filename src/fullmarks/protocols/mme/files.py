"""MME's folder of results: one `<task>.txt` per task, a line for every question, two questions for every image.

Invariant: the two questions of a pair are about the same image.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from fullmarks.errors import InputError
from fullmarks.protocols.mme.metric import PARTNER
from fullmarks.protocols.mme.rules import TASKS
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, FindingKind

OTHER_FILES = FindingKind("other-files", "files of no task")
LONE = FindingKind(
    "lone-images", "images without exactly two questions", "Write both lines of every image, as in the published files"
)
REPEATED_IMAGES = FindingKind("repeated-images", "images with more than one pair of questions")
MIXED = FindingKind(
    "mixed-images",
    "tasks whose pairs of lines are not about one image each",
    "Write the two lines of an image one after the other",
)
_ENDING = ".txt"


class Line(Struct, frozen=True):
    """One question of a task."""

    id: str
    image: str
    question: str
    label: str
    answer: str


def read_folder(source: Source, audit: Audit) -> Examples:
    """All questions of the tasks' files, task by task in the published order, each with its partner."""
    files = {file.name.replace("\\", "/").rpartition("/")[2].removesuffix(_ENDING): file for file in source.files()}
    missing = [task for task in TASKS if task not in files]
    if missing:
        problem = f"there is no file for {', '.join(missing)}; expected one '<task>.txt' for each of {len(TASKS)} tasks"
        raise InputError(source.name, problem, "Add what is missing: the published program needs all of them.")
    others = [name for name in files if name not in TASKS]
    if others:
        audit.add(OTHER_FILES, "note", others, detail="they are left out", where=source.name)
    examples = Examples([], [], [])
    for task in TASKS:
        examples.extend(_examples(task, read_task(files[task], task), audit, files[task].name))
    audit.gold = audit.predictions = len(examples)
    return examples


def read_task(source: Source, task: str) -> list[Line]:
    """The lines of one task's file; an error names the line that does not have four fields and a yes or no."""
    text = source.read().decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    lines = text.removesuffix("\n").split("\n") if text else []
    if not lines:
        raise InputError(source.name, "the file is empty, expected a line for every question", "Write it again.")
    found = []
    for number, line in enumerate(lines, start=1):
        fields = line.split("\t")
        if len(fields) != 4:
            problem = f"expected image, question, right answer and answer parted by tabs, found {len(fields)} fields"
            advice = "Write tabs and line breaks inside an answer as blanks."
            raise InputError(f"{source.name}: line {number}", problem, advice)
        if fields[2].lower() not in ("yes", "no"):
            problem = f"expected Yes or No as the right answer, found {fields[2]!r}"
            raise InputError(f"{source.name}: line {number}", problem, "Take the line from the published files.")
        found.append(Line(f"{task}/{number}", *fields))
    return found


def _examples(task: str, lines: Sequence[Line], audit: Audit, name: str) -> Examples:
    pairs = _pairs(lines, audit, name)
    partners: dict[str, Any] = {}
    for first, second in pairs:
        partners[first.id] = (second.answer, second.label)
        partners[second.id] = (first.answer, first.label)
    return Examples(
        [line.id for line in lines],
        [line.answer for line in lines],
        [[line.label] for line in lines],
        {
            "task": [task] * len(lines),
            "image": [line.image for line in lines],
            "question": [line.question for line in lines],
        },
        facts={PARTNER: [partners.get(line.id) for line in lines]},
    )


def _pairs(lines: Sequence[Line], audit: Audit, name: str) -> list[tuple[Line, Line]]:
    """Line after line where each two are about one image, as the program has it; otherwise by image."""
    by_lines = list(zip(lines[::2], lines[1::2], strict=False))
    groups: dict[str, list[Line]] = {}
    for line in lines:
        groups.setdefault(line.image, []).append(line)
    if len(lines) % 2 == 0 and all(first.image == second.image for first, second in by_lines):
        repeated = [image for image, group in groups.items() if len(group) > 2]
        if repeated:
            detail = "each pair counts, as in the published program"
            audit.add(REPEATED_IMAGES, "warning", repeated, detail=detail, where=name)
        return by_lines
    lone = [image for image, group in groups.items() if len(group) != 2]
    if lone:
        audit.add(LONE, "error", lone, detail="pairs are made by image, never by line number alone", where=name)
    else:
        detail = "pairs are made by image; the published program would mix images"
        audit.add(MIXED, "warning", [lines[0].id.partition("/")[0]], detail=detail, where=name)
    return [(group[0], group[1]) for group in groups.values() if len(group) == 2]


def with_partners(examples: Examples, audit: Audit, name: str) -> Examples:
    """The examples of a table with the columns task and image, each with its partner, in the tasks' order."""
    lines: dict[str, list[Line]] = {}
    columns = examples.columns
    for at, identifier in enumerate(examples.ids):
        references = examples.references[at]
        if not references or references[0].lower() not in ("yes", "no"):
            problem = f"expected yes or no as the right answer of {identifier!r}, found {references}"
            raise InputError(name, problem, "Check the references.")
        line = Line(str(at), str(columns["image"][at]), "", references[0], examples.predictions[at])
        lines.setdefault(str(columns["task"][at]), []).append(line)
    partners: list[Any] = [None] * len(examples)
    for group in lines.values():
        for first, second in _pairs(group, audit, name):
            partners[int(first.id)] = (second.answer, second.label)
            partners[int(second.id)] = (first.answer, first.label)
    examples.facts[PARTNER] = partners
    return examples
