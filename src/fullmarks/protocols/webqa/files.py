"""WebQA's files: the table of questions and outputs with JSON lists in its cells, JSON of questions, submissions.

Whatever is wrong with single rows is collected with line numbers and raised together, before anything is scored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from fullmarks.errors import InputError, UsageError
from fullmarks.protocols.webqa.cells import FACTS, Cells
from fullmarks.readers.complaints import Complaints
from fullmarks.readers.documents import Pairs, kind_of, pairs_of, parse_json, read_plain
from fullmarks.readers.predictions import OnDuplicate, TakenById
from fullmarks.readers.saved_run import refuse_saved_run
from fullmarks.readers.source import Source
from fullmarks.readers.tables.block import Block
from fullmarks.readers.tables.columns import Chooser
from fullmarks.readers.tables.table import is_table, read_blocks
from fullmarks.types import Audit, Gold, Identifier

COLUMNS = {
    "id": "Guid",
    "category": "Qcate",
    "question": "Q",
    "references": "A",
    "keywords": "Keywords_A",
    "candidates": "Output",
    "sources": "sources",
}
"""What WebQA calls its columns, by role."""
ALSO_CALLED: dict[str, tuple[str, ...]] = {"keywords": ("Keywords_answer",)}
"""What else its files call them: the hidden test set's description has another name for the keywords."""
ABSENT = (None, "")
"""What a cell holds where a record says nothing: no such field in JSON, an empty cell in a table."""
SUBMISSION = '{"guid": {"sources": [...], "answer": "..."}}'


@dataclass(slots=True)
class Questions:
    """The rows of a file: gold, where each stands, and the lists of candidate answers if the file has them."""

    gold: Gold = field(default_factory=lambda: Gold([], [], {}))
    places: list[str] = field(default_factory=list)
    candidates: list[list[str]] | None = None
    sources: list[list[str] | None] | None = None
    """The ids of what supports each answer, if the file says so."""

    def take(self, positions: Sequence[int]) -> Questions:
        """The rows at these positions, in that order."""
        gold = self.gold
        columns = {name: [values[at] for at in positions] for name, values in gold.columns.items()}
        return Questions(
            Gold([gold.ids[at] for at in positions], [gold.references[at] for at in positions], columns),
            [self.places[at] for at in positions],
            None if self.candidates is None else [self.candidates[at] for at in positions],
            None if self.sources is None else [self.sources[at] for at in positions],
        )


@dataclass(slots=True)
class Submission:
    """Answers and named sources by id; `empty` are the ids that have no candidate at all."""

    answers: dict[Identifier, Any] = field(default_factory=dict)
    sources: dict[Identifier, list[str]] = field(default_factory=dict)
    empty: set[Identifier] = field(default_factory=set)


def read_questions(
    source: Source, *, needed: Sequence[str], categories: Sequence[str], renamed: dict[str, str]
) -> Questions:
    """All rows in file order; the needed roles must have a column, and every category must be a known one."""
    unknown = [role for role in renamed if role not in COLUMNS]
    if unknown:
        known = ", ".join(f"'{role}'" for role in COLUMNS)
        raise UsageError(
            f"--columns names '{unknown[0]}', which is nothing that webqa reads; these can be named: {known}"
        )
    names = {**COLUMNS, **renamed}
    others = {role: called for role, called in ALSO_CALLED.items() if role not in renamed}
    complaints = Complaints(source.name)
    questions = Questions()
    for block in _aligned(_blocks(source, _chooser(source.name, names, others, needed))):
        silent = _fill_gaps(block)
        _take(questions, block, Cells(block, names, complaints), categories, silent)
    complaints.raise_all("Correct the file; nothing was scored.")
    if not questions.gold.ids:
        raise InputError(source.name, "there is no question in it", "Check that this is the file of questions.")
    return questions


def read_submission(source: Source, audit: Audit, on_duplicate: OnDuplicate) -> Submission:
    """A submission's answers and sources; `{guid: answer}` is accepted too."""
    document = read_plain(source, pairs=True)
    if not isinstance(document, (dict, Pairs)):
        raise InputError(source.name, f"found {kind_of(document)}", f"Expected {SUBMISSION}.")
    refuse_saved_run(document, source.name)
    complaints = Complaints(source.name)
    taken = TakenById(audit, on_duplicate, source.name)
    for identifier, value in pairs_of(document):
        entry = dict(value) if isinstance(value, (dict, Pairs)) else {"answer": value}
        if not isinstance(entry.get("answer"), str):
            found = kind_of(entry["answer"]) if "answer" in entry else "none"
            complaints.add(f"id {identifier!r}", f"expected an 'answer' as a string, found {found}")
        if not isinstance(entry.get("sources", []), list):
            complaints.add(f"id {identifier!r}", f"expected 'sources' as a list, found {kind_of(entry['sources'])}")
        taken.put(identifier, entry)
    complaints.raise_all(f"Expected {SUBMISSION}.")
    sourced = {identifier: entry["sources"] for identifier, entry in taken.values.items() if "sources" in entry}
    return Submission(
        {identifier: entry["answer"] for identifier, entry in taken.values.items()},
        {identifier: list(map(str, sources)) for identifier, sources in sourced.items()},
    )


def _fill_gaps(block: Block) -> set[int]:
    """Give records an empty value for what single ones may lack: the question, right answers, supporting facts.

    Comes back with the positions of the records that say nothing of supporting facts. Right answers that are needed
    and empty are found later, with their ids.
    """
    columns = block.columns
    said = [columns[name] for name in FACTS if name in columns]
    silent = {at for at, facts in enumerate(zip(*said, strict=True)) if all(cell in ABSENT for cell in facts)}
    for name, empty in {"question": str, "references": list, **dict.fromkeys(FACTS, list)}.items():
        if name in columns:
            columns[name] = [empty() if cell in ABSENT else cell for cell in columns[name]]
    return silent


def _take(questions: Questions, block: Block, cells: Cells, categories: Sequence[str], silent: set[int]) -> None:
    gold = questions.gold
    gold.ids.extend(cells.identifiers())
    gold.references.extend(cells.text_lists("references"))
    columns: dict[str, list[Any] | None] = {
        "category": cells.categories(categories) if "category" in block.columns else None,
        "question": cells.strings("question") if "question" in block.columns else None,
        "keywords": cells.strings("keywords") if "keywords" in block.columns else None,
    }
    for name, values in columns.items():
        if values is not None:
            gold.columns.setdefault(name, []).extend(values)
    if "candidates" in block.columns:
        questions.candidates = [*(questions.candidates or []), *cells.text_lists("candidates")]
    sources = cells.sources()
    if sources is not None:
        if "sources" not in block.columns:
            sources = [None if at in silent else found for at, found in enumerate(sources)]
        questions.sources = [*(questions.sources or []), *sources]
    questions.places.extend(map(block.place, range(cells.count)))


def _chooser(name: str, names: dict[str, str], others: dict[str, tuple[str, ...]], needed: Sequence[str]) -> Chooser:
    """What chooses the columns; where the file calls one by another of its names, `names` has that one from then on."""

    def choose(available: list[str]) -> dict[str, str]:
        for role, called in others.items():
            names[role] = next((column for column in (names[role], *called) if column in available), names[role])
        for role in needed:
            if names[role] not in available:
                shown = ", ".join(f"'{column}'" for column in available)
                raise InputError(
                    f"{name}: line 1" if name.endswith(".tsv") else name,
                    f"there is no column '{names[role]}'; its columns are {shown}",
                    f"Add it, or say which one it is: --columns {role}=NAME.",
                )
        chosen = {role: column for role, column in names.items() if column in available}
        return {**chosen, **{column: column for column in FACTS if column in available}}

    wanted = (*names.values(), *(column for called in others.values() for column in called), *FACTS)
    return Chooser(choose, wanted, from_first=frozenset())


def _aligned(blocks: Iterable[Block]) -> list[Block]:
    """All blocks with the columns of all, for a column may begin late; empty cells before."""
    held = list(blocks)
    roles = dict.fromkeys(role for block in held for role in block.columns)
    for block in held:
        count = block.count
        block.columns = {role: block.columns.get(role) or [None] * count for role in roles}
    return held


def _blocks(source: Source, choose: Chooser) -> Iterator[Block]:
    """A table of any kind; a name that says nothing is taken for JSON if it begins like it, else for TSV."""
    if source.is_object:
        yield from read_blocks(source.holding(_as_records(source.object)), choose)
    elif is_table(source) and source.ending != ".tsv":
        yield from read_blocks(source, choose)
    elif source.ending != ".tsv" and source.read().lstrip()[:1] in (b"{", b"["):
        yield from read_blocks(source.holding(_as_records(parse_json(source.read(), source.name))), choose)
    else:
        yield _tab_separated(source, choose)


def _as_records(document: Any) -> Any:
    """`{guid: {...}}` as a list of records, each with its guid."""
    if isinstance(document, dict) and all(isinstance(entry, dict) for entry in document.values()):
        return [{COLUMNS["id"]: identifier, **entry} for identifier, entry in document.items()]
    return document


def _tab_separated(source: Source, choose: Chooser) -> Block:
    """One record per line. Quotes matter only where they enclose a whole cell: JSON in cells has its own."""
    lines = [line.removesuffix("\r") for line in source.read().decode("utf-8").split("\n")]
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        advice = "Check that it was written completely."
        raise InputError(source.name, "the file is empty, expected a header line with column names", advice)
    header = list(map(_unquoted, lines[0].split("\t")))
    chosen = choose(header)
    for column in chosen.values():
        if header.count(column) > 1:
            raise InputError(f"{source.name}: line 1", f"it names the column '{column}' twice", "Rename one of them.")
    complaints = Complaints(source.name)
    records = [line.split("\t") for line in lines[1:]]
    for number, record in enumerate(records, start=2):
        if len(record) != len(header):
            complaints.add(f"line {number}", f"{len(record)} cells where the header has {len(header)}")
    complaints.raise_all("Write one record per line, its cells separated by tabs.")
    positions = {role: header.index(column) for role, column in chosen.items()}
    columns = {role: [_cell(record[at], role) for record in records] for role, at in positions.items()}
    return Block(columns, 2, "line")


def _cell(cell: str, role: str) -> str:
    """The cell as it counts: the program takes keywords with their quotes, and a quoted letter is no single one."""
    return cell if role == "keywords" else _unquoted(cell)


def _unquoted(cell: str) -> str:
    """The cell without the quotes that a table writer put around it."""
    inner = cell[1:-1]
    if len(cell) < 2 or cell[0] != '"' or cell[-1] != '"' or '"' in inner.replace('""', ""):
        return cell
    return inner.replace('""', '"')
