"""ScienceQA's files: the problems of a split, the results by index, the answers of LLaVA's runs."""

from __future__ import annotations

from typing import Any

from fullmarks.errors import InputError
from fullmarks.protocols.scienceqa.rules import CONTEXT_FIELDS, contexts, read_index
from fullmarks.readers.documents import kind_of, read_plain
from fullmarks.readers.paths import walk
from fullmarks.readers.records import read_values
from fullmarks.readers.source import Source
from fullmarks.text.choice_readings import LETTERS
from fullmarks.types import Audit, FindingKind, Gold

SHAPE = 'Expected {id: {"choices": [...], "answer": index, "split": "test", ...}}.'
NOT_INDICES = FindingKind(
    "not-indices", "results that are no whole number", "Write the place of the choice, counted from 0"
)
_GROUPS = ("subject", "grade", "topic")
LACKS_FIELD = "lacks_context_field"
"""The fact that says whether a problem lacks the hint or the image that others have."""


def read_problems(source: Source, split: str, *, as_letters: bool) -> Gold:
    """The problems of a split in file order; the reference is the right one's index, or its letter."""
    gold = Gold([], [], {"choices": [], **{name: [] for name in _GROUPS}, "context": []}, {LACKS_FIELD: []})
    seen = dict[str, None]()
    problems = list(walk(read_values(source), "{}", source.name))
    fields = {
        field for _, problem in problems if isinstance(problem, dict) for field in CONTEXT_FIELDS if field in problem
    }
    for keys, problem in problems:
        if not isinstance(problem, dict):
            raise InputError(f"{source.name}: {keys[0]!r}", f"expected an object, found {kind_of(problem)}", SHAPE)
        seen[str(problem.get("split"))] = None
        if problem.get("split") != split:
            continue
        answer, number = _checked(problem, f"{source.name}: {keys[0]!r}")
        gold.ids.append(keys[0])
        gold.references.append([LETTERS[answer] if as_letters else str(answer)])
        gold.columns["choices"].append(number)
        for name in _GROUPS:
            gold.columns[name].append(problem.get(name))
        gold.columns["context"].append(contexts(problem, fields) if fields else None)
        gold.facts[LACKS_FIELD].append(not fields.issubset(problem))
    if not gold.ids:
        found = ", ".join(repr(value) for value in list(seen)[:5]) or "none"
        raise InputError(source.name, f"no problem is of the split {split!r}, found {found}", SHAPE)
    gold.columns = {name: found for name, found in gold.columns.items() if any(value is not None for value in found)}
    return gold


def _checked(problem: dict[str, Any], where: str) -> tuple[int, int]:
    """The index of the right choice and the number of choices."""
    choices, answer = problem.get("choices"), problem.get("answer")
    if not isinstance(choices, list) or not 0 < len(choices) <= len(LETTERS):
        raise InputError(where, f"'choices' must be a list of options, found {kind_of(choices)}", SHAPE)
    if isinstance(answer, bool) or not isinstance(answer, int) or not 0 <= answer < len(choices):
        found = f"'answer' must be the index of one of {len(choices)} choices, found {answer!r}"
        raise InputError(where, found, SHAPE)
    return answer, len(choices)


def with_indices(source: Source, audit: Audit) -> Source:
    """Results `{"results": {id: index}}` as `{id: text}`; a value that is no whole number is an error in the audit."""
    if source.is_many or (not source.is_object and source.read().lstrip()[:1] != b"{"):
        return source
    document = read_plain(source) if source.is_object or not source.is_json_lines else None
    results = document.get("results") if isinstance(document, dict) else None
    if not isinstance(results, dict):
        return source if document is None else source.holding(document)
    texts = {}
    for identifier, value in results.items():
        index = read_index(value)
        if index is None:
            shown = repr(value) if isinstance(value, str) else kind_of(value)
            audit.add(NOT_INDICES, "error", [identifier], detail=f"{identifier!r} has {shown}", where=source.name)
        texts[identifier] = "" if index is None else str(index)
    return source.holding(texts)
