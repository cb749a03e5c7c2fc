"""Tables of examples: records with a prediction and references, or gold and predictions in two tables by id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import chain
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct, field
from msgspec.structs import replace

from fullmarks.checks import check_labels, no_column
from fullmarks.errors import FullmarksError, InputError, UsageError
from fullmarks.readers.alignment import BAD_REFERENCES, note_empty
from fullmarks.readers.documents import kind_of
from fullmarks.readers.objects import are_text_lists, are_texts
from fullmarks.readers.predictions import (
    ID_NAMES,
    NOT_STRINGS,
    REPEATED,
    TEXT_NAMES,
    OnDuplicate,
    PredictionRows,
    Predictions,
    TakenById,
)
from fullmarks.readers.source import Source
from fullmarks.readers.tables.block import Block
from fullmarks.readers.tables.cells import finite_numbers, reference_lists, reference_text
from fullmarks.readers.tables.columns import CHECKED_ROLES, Chooser
from fullmarks.readers.tables.table import read_blocks
from fullmarks.readers.tables.uniqueness import FirstOnly, HashedIds, keep_last, repeated_ids
from fullmarks.types import Audit, Examples, Gold, Identifier

SHOWN_COLUMNS = 12
ALIASES = {
    "id": ID_NAMES,
    "prediction": TEXT_NAMES,
    "references": ("references", "answers", "reference"),
}
_FIRST_ADVICE = {
    "id": "Add the ids of the questions",
    "prediction": "Pass the predictions as a second file",
    "references": "Check that this is the gold file",
}


@runtime_checkable
class HasGaps(Protocol):
    """Records among which there may be questions without a prediction."""

    def unanswered(self, ids: Sequence[Identifier]) -> tuple[int, ...]:
        """The positions of those ids that stand for such questions."""


class TableLayout(Struct, frozen=True):
    """Which columns to read: renamed ones, the ones to slice by (required), and the ones to take if present."""

    renamed: dict[str, str] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    decisive: tuple[str, ...] = ()
    """Those of the optional ones that the shape of the official result hangs on."""
    numbers: tuple[str, ...] = ()
    """Those of them that hold finite numbers, which every record has if one does."""
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """What a benchmark's own files call a role, before the usual names, or a column to slice by, after its own."""
    has_records: bool = False
    """Whether references may be the records of annotators, and the rules ask which of them are equal."""

    def chooser(self, name: str, roles: Sequence[str]) -> Chooser:
        """A function from a table's column names to the ones to read; an error names what is missing."""

        def choose(available: list[str]) -> dict[str, str]:
            self._check_roles()
            chosen = {}
            for role in dict.fromkeys(("id", *roles)):
                column = self._find(role, available)
                if column is not None:
                    chosen[role] = column
                elif role in roles or role in self.renamed:
                    raise _absent(role, self.renamed.get(role, role), available, name)
            for column in (*self.required, *self.optional):
                actual = next((found for found in self._column_names(column) if found in available), None)
                if actual is not None:
                    chosen.setdefault(column, actual)
            return chosen

        names = chain.from_iterable(map(self._names, dict.fromkeys(("id", *roles))))
        others = chain.from_iterable(map(self._column_names, (*self.required, *self.optional)))
        from_first = CHECKED_ROLES | frozenset(self.numbers)
        return Chooser(choose, (*names, *others), self.required, lambda column: no_slices(column, name), from_first)

    @property
    def of_predictions(self) -> TableLayout:
        """The same for a table that holds predictions alone: what is sliced by stands in the gold."""
        return replace(self, required=(), optional=(*self.optional, *self.required))

    def _find(self, role: str, available: list[str]) -> str | None:
        return next((name for name in self._names(role) if name in available), None)

    def _names(self, role: str) -> tuple[str, ...]:
        return (self.renamed[role],) if role in self.renamed else (*self.names.get(role, ()), *ALIASES[role])

    def _column_names(self, column: str) -> tuple[str, ...]:
        """What a column to slice by may be called: what the user says, else its name or another of the benchmark's."""
        return (self.renamed[column],) if column in self.renamed else (column, *self.names.get(column, ()))

    def _check_roles(self) -> None:
        known = (*ALIASES, *self.required, *self.optional)
        for role in self.renamed:
            if role not in known:
                raise UsageError(
                    f"--columns names '{role}', which is nothing that is read here; these can be named: "
                    + ", ".join(f"'{name}'" for name in known)
                )


def _absent(role: str, column: str, available: list[str], name: str) -> InputError:
    shown = ", ".join(f"'{found}'" for found in available[:SHOWN_COLUMNS])
    more = ", ..." if len(available) > SHOWN_COLUMNS else ""
    return InputError(
        name,
        f"there is no column '{column}'; its columns are {shown}{more}",
        f"{_FIRST_ADVICE[role]}, or say which column it is: --columns {role}=NAME.",
    )


def read_examples(source: Source, layout: TableLayout, audit: Audit, on_duplicate: OnDuplicate) -> Iterator[Examples]:
    """Examples from one table with predictions and references side by side, a block at a time.

    Without an id column the record's number is its id. The rule `last` for repeated ids holds the table in memory,
    the rule `first` its ids.
    """
    chunks: Iterable[Examples] = _example_chunks(source, layout, audit)
    if on_duplicate == "last":
        chunks = [keep_last(chunks, audit, REPEATED, source.name)]
    elif on_duplicate == "first":
        chunks = map(FirstOnly(audit, REPEATED, source.name).keep, chunks)
    with HashedIds() as hashed:
        for examples in chunks:
            if source.reading is None:
                hashed.add(examples)
            else:
                source.reading.see(examples.ids)  # whoever reads all shards looks for repeats
            if isinstance(source.given, HasGaps):
                examples.unanswered = source.given.unanswered(examples.ids)
            audit.gold += len(examples)
            audit.predictions += len(examples) - len(examples.unanswered)
            note_empty(examples, audit)
            yield examples
        repeated = hashed.repeated()
    if repeated:
        _note_repeated(source, layout, audit, repeated)


def _note_repeated(source: Source, layout: TableLayout, audit: Audit, hashes: Set[int]) -> None:
    """Record which ids are repeated, read once more from the source; of a stream that is over only how many."""
    if not source.is_repeatable:
        audit.add(REPEATED, "error", count=len(hashes), where=source.name, detail="score a file to see which")
        return
    blocks = read_blocks(source, layout.chooser(source.name, ("prediction", "references")))
    repeated = repeated_ids(chain.from_iterable(block.columns["id"] for block in blocks), hashes)
    if repeated:
        audit.add(REPEATED, "error", repeated, where=source.name)


def _example_chunks(source: Source, layout: TableLayout, audit: Audit) -> Iterator[Examples]:
    """The examples of every block; if a decisive column may yet begin, all are read before the first is given."""
    chunks = _read_chunks(source, layout, audit)
    for first in chunks:
        if all(column in first.columns for column in layout.decisive):
            yield first
            continue
        held = [first, *chunks]
        late = dict.fromkeys(column for chunk in held for column in chunk.columns if column in layout.decisive)
        for chunk in held:
            chunk.columns.update({name: [None] * len(chunk) for name in late if name not in chunk.columns})
        yield from held


def _read_chunks(source: Source, layout: TableLayout, audit: Audit) -> Iterator[Examples]:
    for block in read_blocks(source, layout.chooser(source.name, ("prediction", "references"))):
        examples = _to_examples(block, layout, source.name, audit)
        _check_required(examples.columns, layout, block.file or source.name)
        yield examples


def read_gold_table(source: Source, layout: TableLayout, audit: Audit) -> Gold:
    """The references of a table by id."""
    gold = Gold([], [], {})
    for part in gold_blocks(source, layout, audit):
        for ours, theirs in ((gold.columns, part.columns), (gold.facts, part.facts)):
            for name in dict.fromkeys((*ours, *theirs)):
                before = ours.setdefault(name, [None] * len(gold.ids))
                before.extend(theirs.get(name, [None] * len(part.ids)))
        gold.ids.extend(part.ids)
        gold.references.extend(part.references)
    return gold


def gold_blocks(source: Source, layout: TableLayout, audit: Audit) -> Iterator[Gold]:
    """The same a block at a time."""
    for block in read_blocks(source, layout.chooser(source.name, ("id", "references"))):
        part = _to_examples(block, layout, source.name, audit)
        _check_required(part.columns, layout, block.file or source.name)
        yield Gold(list(part.ids), part.references, part.columns, part.facts)


def read_prediction_table(source: Source, layout: TableLayout, audit: Audit, on_duplicate: OnDuplicate) -> Predictions:
    """The predictions of a table by id, with no-answer probabilities where it has them."""
    taken = TakenById(audit, on_duplicate, source.name)
    numbers: dict[str, dict[Identifier, float]] = {}
    for rows in prediction_blocks(source, layout, audit):
        for position, identifier in enumerate(rows.ids):
            if taken.put(identifier, rows.texts[position]):
                for column, values in rows.numbers.items():
                    numbers.setdefault(column, {})[identifier] = values[position]
    return Predictions(taken.values, numbers)


def prediction_blocks(source: Source, layout: TableLayout, audit: Audit) -> Iterator[PredictionRows]:
    """The rows of such a table a block at a time, repeated ids and all."""
    for block in read_blocks(source, layout.of_predictions.chooser(source.name, ("id", "prediction"))):
        part = _to_examples(block, layout, source.name, audit)
        found = {column: part.columns[column] for column in layout.numbers if column in part.columns}
        yield PredictionRows(list(part.ids), part.predictions, found)


def _check_required(columns: dict[str, list[Any]], layout: TableLayout, name: str) -> None:
    for column in layout.required:
        if column not in columns:
            raise no_slices(column, name)
        if list in set(map(type, columns[column])):
            columns[column] = [tuple(value) if isinstance(value, list) else value for value in columns[column]]
        check_labels(column, columns[column], name)


def no_slices(column: str, name: str) -> FullmarksError:
    """The error about a column to slice by that a table does not have."""
    return no_column(column, where=name, advice="Check --by and --cluster, or map it with --columns.")


def _to_examples(block: Block, layout: TableLayout, name: str, audit: Audit) -> Examples:
    columns = block.columns
    ids: Sequence[Identifier] = columns.get("id") or block.numbers
    predictions = columns.get("prediction") or [""] * block.count
    references = columns.get("references", [])
    facts: dict[str, list[Any]] = {}
    if not block.is_typed:
        _check_ids(ids, block, name)
        predictions = _only_strings(predictions, ids, block, name, audit)
        references, facts = _references(references, ids, block, name, audit, has_records=layout.has_records)
    others = {role: values for role, values in columns.items() if role not in ALIASES}
    for column in layout.numbers:
        if column in others:
            others[column] = finite_numbers(others[column], column, lambda at: block.where(at, name))
    return Examples(ids, predictions, references, others, facts=facts)


def _check_ids(values: Sequence[Any], block: Block, name: str) -> None:
    if (isinstance(values, list) and are_texts(values)) or set(map(type, values)) <= {str, int}:
        return
    position = next(index for index, value in enumerate(values) if type(value) not in (str, int))
    where = block.where(position, name)
    found = f"the id must be a string or a whole number, found {kind_of(values[position])}"
    raise InputError(where, found, "Write the question's own id.")


def _only_strings(values: list[Any], ids: Sequence[Identifier], block: Block, name: str, audit: Audit) -> list[str]:
    if are_texts(values):
        return values
    bad = [position for position, value in enumerate(values) if not isinstance(value, str)]
    if not bad:
        return values
    detail = f"{block.place(bad[0])} has {kind_of(values[bad[0]])}"
    audit.add(NOT_STRINGS, "error", [ids[position] for position in bad], detail=detail, where=name)
    return [value if isinstance(value, str) else "" for value in values]


def _references(
    values: list[Any], ids: Sequence[Identifier], block: Block, name: str, audit: Audit, *, has_records: bool
) -> tuple[list[list[str]], dict[str, list[Any]]]:
    """The references as lists of texts and, where they are records of annotators, which of these are equal."""
    if are_text_lists(values):
        return values, {}
    items = reference_lists(values, lambda at: block.where(at, name))
    values = [list(map(reference_text, each)) for each in items]
    facts = _equal_records(items) if has_records else {}
    bad = [position for position, value in enumerate(values) if not all(isinstance(item, str) for item in value)]
    if not bad:
        return values, facts
    odd = next(item for item in values[bad[0]] if not isinstance(item, str))
    detail = f"{block.place(bad[0])} holds {kind_of(odd)}"
    audit.add(BAD_REFERENCES, "error", [ids[position] for position in bad], detail=detail, where=name)
    return [[item if isinstance(item, str) else "" for item in value] for value in values], facts


def _equal_records(items: list[list[Any]]) -> dict[str, list[Any]]:
    from fullmarks.readers.vqa import kinds_of_records

    return kinds_of_records(items)
