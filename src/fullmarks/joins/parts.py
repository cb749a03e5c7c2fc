"""The second step: one part of the questions is joined with its predictions, read on by its protocol, and scored."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress, pairwise
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from fullmarks.engines.engine import Buffer
from fullmarks.jobs.job import with_labels
from fullmarks.joins.packing import Chunk, chunks_of, form_of, named, packed, put_chunk, unpacked
from fullmarks.joins.placed_audit import Placed, PlacedAudit, plain_ids, with_places
from fullmarks.joins.scattering import ID
from fullmarks.joins.sides import COLUMN, FACT, NUMBER, REFERENCES, TEXT, WRONG
from fullmarks.metrics.tally import Rows, chunk_rows
from fullmarks.protocols.protocol import Protocol
from fullmarks.readers.alignment import Gaps, answered, answers_to, note_other_kind, note_unknown, settled, told_apart
from fullmarks.readers.documents import collector_paused
from fullmarks.readers.pairing import Joined, JoinedPart
from fullmarks.readers.predictions import Predictions, TakenById
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Change, Examples, Finding, Gold, Identifier

PLACE = "place among all questions"
"""The fact that goes with a question until its rows are put back."""
PART, PREDICTION = "part ", "prediction"


class Sides(NamedTuple):
    """What is known of both sides once they are read."""

    gold_starts: tuple[int, ...]
    """The place of the first record of each piece of the gold among all, and behind the last how many there are."""
    prediction_starts: tuple[int, ...]
    gold_columns: tuple[str, ...]
    """All columns of the gold that were put aside, in order of appearance."""
    numbers: tuple[str, ...]
    """The numbers that some prediction has."""
    converts: bool
    """Whether ids that differ only in that one is a text and one a number are made to meet."""


class PartScored(NamedTuple):
    """What there is to say of a part once it is scored."""

    gold: int
    predictions: int
    has_common: bool
    """Whether some prediction is for some question."""
    shape: Examples
    """No examples, with the names of the columns and parts that they had."""
    left_out: set[str]
    """The columns that cannot be sliced by."""
    before: dict[str, Finding]
    """What the protocol noted of the files before it read any question; the same in every part."""
    read: dict[str, Placed]
    """What is wrong with predictions as they were read, told from their ids: repeated ones, answers to questions that
    are no texts."""
    aligned: dict[str, Placed]
    noted: dict[str, Placed]
    extracted: dict[str, Placed]
    completed: dict[str, Placed]
    changes: list[tuple[int, Change]]


class ScorePart(Struct, frozen=True):
    """The work: from the parcels of a part, those of the gold first, to one parcel of rows for each piece of it."""

    rules: Protocol
    wanted: tuple[str, ...]
    """The columns that every question must have."""
    gold_name: str
    name: str
    sides: Sides
    keep: bool
    """Whether the examples go along with their rows."""

    def __call__(self, about: Any, inputs: Sequence[Buffer]) -> tuple[PartScored, Sequence[Buffer]]:
        """What was found, and the parcels."""
        del about
        pieces = len(self.sides.gold_starts) - 1
        with collector_paused():
            gold, places = self._gold(inputs[:pieces])
            rows = self._predictions(inputs[pieces:])
            aligned = _Aligned(self.rules.paired(self.wanted, Audit()).gaps, self.gold_name, self.name)
            joined = aligned.join(gold, places, rows, converts=self.sides.converts)
            return self._scored(joined, aligned)

    def _gold(self, parcels: Sequence[Buffer]) -> tuple[Gold, list[int]]:
        table, places = _assembled(parcels, self.sides.gold_starts, (ID, REFERENCES, *self.sides.gold_columns))
        return Gold(table[ID], table[REFERENCES], named(table, COLUMN), named(table, FACT)), places

    def _predictions(self, parcels: Sequence[Buffer]) -> PlacedRows:
        numbers = tuple(f"{NUMBER}{name}" for name in self.sides.numbers)
        table, places = _assembled(parcels, self.sides.prediction_starts, (ID, TEXT, WRONG, *numbers))
        wrong = {identifier: found for identifier, found in zip(table[ID], table[WRONG], strict=True) if found}
        return PlacedRows(table[ID], table[TEXT], named(table, NUMBER), places, wrong)

    def _scored(self, joined: Joined, aligned: _Aligned) -> tuple[PartScored, Sequence[Buffer]]:
        ids, places = joined.examples.ids, joined.examples.facts[PLACE]
        noted, extracted, completed = PlacedAudit(), PlacedAudit(ids, places), PlacedAudit(ids, places)
        noted.look_in(ids, places, aligned.predictions)
        part = JoinedPart(joined)
        gold, predictions = Source(None, "gold"), Source(part, "predictions")
        gold.name, predictions.name = self.gold_name, self.name
        left_out: set[str] = set()
        chunks = self.rules.read(gold, predictions, noted, self.wanted)
        chunks = with_labels(self.rules, chunks, self.wanted, self.gold_name, left_out)
        (examples,) = self.rules.complete(self.rules.extracted(chunks, extracted), completed)
        columns, parts = ({name: list[Any]() for name in each} for each in (examples.columns, examples.parts))
        scored = PartScored(
            aligned.gold,
            len(aligned.predictions[0]),
            aligned.has_common,
            Examples([], [], [], columns, parts=parts),
            left_out,
            part.noted_before,
            aligned.read.placed(),
            aligned.audit.placed(),
            noted.placed(),
            extracted.placed(),
            completed.placed(),
            extracted.placed_changes(),
        )
        return scored, self._parcels(examples)

    def _parcels(self, examples: Examples) -> Sequence[Buffer]:
        """The rows of every piece of the gold, with labels or whole examples."""
        import numpy

        places = examples.facts.pop(PLACE)
        examples.ids = plain_ids(examples.ids)
        rows = chunk_rows(self.rules.metrics_for(examples), examples) if len(examples) else ()
        if self.keep or self.rules.keeps_rows(examples):
            columns = _whole(examples)
        else:
            labelled = dict.fromkeys((*self.rules.breakdown(examples), *self.wanted))
            columns = {f"{COLUMN}{name}": examples.columns[name] for name in labelled}
        forms = {name: form_of(values, name) for name, values in columns.items()}
        gaps, starts = numpy.array(examples.unanswered, dtype=numpy.uint32), self.sides.gold_starts
        parcels = []
        for start, end in pairwise(starts):
            parcel = bytearray()
            first, last = bisect_left(places, start), bisect_left(places, end)
            if first < last:
                own = {name: packed(values[first:last], forms[name]) for name, values in columns.items()}
                positions = (numpy.array(places[first:last]) - start).astype(numpy.uint32)
                own_gaps = gaps[(gaps >= first) & (gaps < last)] - numpy.uint32(first)
                buffers = (own_gaps.tobytes(), *_row_bytes(rows, first, last, len(examples)))
                put_chunk(parcel, Chunk(memoryview(positions.tobytes()), own, tuple(map(memoryview, buffers))))
            parcels.append(parcel)
        return parcels


class PlacedRows(NamedTuple):
    """The predictions of a part as they were read, with their places among all."""

    ids: list[Identifier]
    texts: list[Any]
    numbers: dict[str, list[Any]]
    places: list[int]
    wrong: dict[Identifier, str]


class _Aligned:
    """Joins the two sides of a part under the rules for gaps, and holds what was odd about it."""

    def __init__(self, gaps: Gaps, gold_name: str, name: str) -> None:
        self.audit = PlacedAudit()
        self.read = PlacedAudit()
        self.gold = 0
        self.has_common = False
        self.predictions: tuple[list[Identifier], list[int]] = ([], [])
        self._gaps = gaps
        self._gold_name = gold_name
        self._name = name

    def join(self, gold: Gold, places: list[int], rows: PlacedRows, *, converts: bool) -> Joined:
        """The questions with their predictions, in the order of their places."""
        asked = gold.ids
        answers = given = self._taken(rows)
        if converts:
            answers = given.with_ids_like(asked)
        gold = self._settled(gold, places)
        self.gold, audit, gaps = len(gold.ids), self.audit, self._gaps
        self.predictions = (list(answers.texts), self.predictions[1])
        if answers.wrong:
            self.read.look_in(*self.predictions)
            answers.note_wrong(set(asked), self.read, self._name)
        found, is_complete = answers_to(gold.ids, answers.texts)
        self.has_common = is_complete and bool(found)
        if not is_complete or len(answers.texts) != len(found) or audit.findings:
            known = set(gold.ids)
            self.has_common = not known.isdisjoint(answers.texts)
            audit.look_in(*self.predictions)
            note_unknown(known, answers.texts, audit, strict=gaps.strict, name=self._name)
        if gaps.limit is not None:
            gaps = replace(gaps, limit=bisect_left(gold.facts[PLACE], gaps.limit))
        if gaps.repeated_gold == "error" and len(set(gold.ids)) < len(gold.ids):
            gold.ids = with_places(gold.ids, gold.facts[PLACE])
        audit.look_in(told_apart(gold.ids) if gaps.repeated_gold == "each" else gold.ids, gold.facts[PLACE])
        examples = answered(gold, found, audit, gaps, self._name)
        audit.look_in(list(given.texts), self.predictions[1])
        note_other_kind(given.texts, answers.texts, audit, gaps, self._name)
        places_by_id = dict(zip(*self.predictions, strict=True)) if answers.numbers else {}
        return Joined(examples, answers, asked, places_by_id)

    def _settled(self, gold: Gold, places: list[int]) -> Gold:
        """The gold under the rule for repeated questions, each with the place of the first of its id."""
        before = gold.ids
        gold.facts[PLACE] = places
        again = _again(before)
        self.audit.look_in(list(compress(before, again)), list(compress(places, again)))
        gold = settled(gold, self._gaps.repeated_gold, self.audit, self._gold_name)
        if len(gold.ids) < len(before):
            gold.facts[PLACE] = [place for place, is_again in zip(places, again, strict=True) if not is_again]
        return gold

    def _taken(self, rows: PlacedRows) -> Predictions:
        """The predictions under the rule for repeated ids, which are counted."""
        again = _again(rows.ids)
        if True not in again:
            self.predictions = (rows.ids, rows.places)
            numbers = {field: _given(rows.ids, values) for field, values in rows.numbers.items()}
            return Predictions(dict(zip(rows.ids, rows.texts, strict=True)), numbers, wrong=rows.wrong)
        self.read.look_in(list(compress(rows.ids, again)), list(compress(rows.places, again)))
        taken = TakenById(self.read, self._gaps.on_duplicate, self._name)
        numbers = {field: {} for field in rows.numbers}
        for position, identifier in enumerate(rows.ids):
            if taken.put(identifier, rows.texts[position]):
                for field, values in rows.numbers.items():
                    if values[position] is not None:
                        numbers[field][identifier] = values[position]
        firsts = [place for place, is_again in zip(rows.places, again, strict=True) if not is_again]
        self.predictions = (list(taken.values), firsts)
        return Predictions(taken.values, numbers, wrong=rows.wrong)


def _again(ids: list[Identifier]) -> list[bool]:
    """For every id whether it came before; empty where none did."""
    if len(set(ids)) == len(ids):
        return []
    seen: set[Identifier] = set()
    again = []
    for identifier in ids:
        again.append(identifier in seen)
        seen.add(identifier)
    return again


def _given(ids: list[Identifier], values: list[Any]) -> dict[Identifier, float]:
    return {identifier: value for identifier, value in zip(ids, values, strict=True) if value is not None}


def _assembled(
    parcels: Sequence[Buffer], starts: Sequence[int], columns: Iterable[str]
) -> tuple[dict[str, list[Any]], list[int]]:
    """The records of a part by column in the order of all, and their places; an absent value is None."""
    import numpy

    table: dict[str, list[Any]] = {name: [] for name in columns}
    places: list[int] = []
    for start, parcel in zip(starts, parcels, strict=False):
        for chunk in chunks_of(parcel):
            own = numpy.frombuffer(chunk.positions, dtype=numpy.uint32).astype(numpy.int64) + start
            for name, values in table.items():
                values.extend(unpacked(chunk.columns[name]) if name in chunk.columns else [None] * len(own))
            places.extend(own.tolist())
    return table, places


def _whole(examples: Examples) -> dict[str, Any]:
    """All that there is of examples, as columns."""
    groups: tuple[tuple[str, Mapping[str, list[Any]]], ...] = (
        (COLUMN, examples.columns),
        (PART, examples.parts),
        (FACT, examples.facts),
    )
    others = {f"{prefix}{name}": values for prefix, group in groups for name, values in group.items()}
    return {ID: list(examples.ids), PREDICTION: examples.predictions, REFERENCES: examples.references, **others}


def _row_bytes(rows: Rows, first: int, last: int, count: int) -> list[bytes]:
    widths = [len(values) // count for values in rows]
    return [
        array("d", values[first * width : last * width]).tobytes() for values, width in zip(rows, widths, strict=True)
    ]
