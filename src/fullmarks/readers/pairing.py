"""The ways in which gold and predictions reach a protocol: its official files, two tables, or one table of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from fullmarks.checks import check_columns
from fullmarks.errors import InputError, MismatchError
from fullmarks.readers.alignment import Gaps, align, check_gold_ids, note_other_kind
from fullmarks.readers.documents import may_be_log, parse_json
from fullmarks.readers.predictions import (
    PredictionRows,
    Predictions,
    RowForm,
    ids_like,
    read_log_answers,
    read_predictions,
)
from fullmarks.readers.saved_run import refuse_saved_head
from fullmarks.readers.source import ARCHIVE_ENDING, Source
from fullmarks.readers.tables.examples import (
    ALIASES,
    TableLayout,
    gold_blocks,
    prediction_blocks,
    read_examples,
    read_gold_table,
    read_prediction_table,
)
from fullmarks.readers.tables.table import is_table, is_unnamed_lines
from fullmarks.types import Audit, Examples, Finding, FindingKind, Gold, Identifier, Level

if TYPE_CHECKING:
    from fullmarks.readers.logs.log import Log
    from fullmarks.readers.prediction_parts import Parts, PartsForm
    from fullmarks.readers.records import RecordForm

MISSING_PART = FindingKind(
    "missing-part",
    "predictions without the part '{part}'",
    "Add '{part}' to them, or pass --on-missing zero (counts what needs it as 0)",
    for_errors_only=True,
)


class Joined(NamedTuple):
    """What two files came to: the examples to score, the predictions as they were read, the ids of all questions."""

    examples: Examples
    predictions: Predictions
    gold_ids: list[Identifier]
    places: Mapping[Identifier, int] | None = None
    """Where the predictions stand among all, where these are only some of them."""

    def has_numbers(self, field: str) -> bool:
        """Whether any prediction, of this part or another, has a number of that name."""
        numbers = self.predictions.numbers
        return bool(numbers.get(field)) if self.places is None else field in numbers


class JoinedPart:
    """Some of the questions with their predictions, joined already: what a source of predictions then holds."""

    def __init__(self, joined: Joined) -> None:
        self._joined = joined
        self.noted_before: dict[str, Finding] = {}

    def taken(self, audit: Audit) -> Joined:
        """The questions; what the audit says by now is about the files, and the same for every part."""
        self.noted_before = dict(audit.findings)
        audit.findings.clear()
        return self._joined


class Pairing(Struct, frozen=True):
    """How one protocol's input is brought together: its rules, its official reader and its columns."""

    read_gold: Callable[[Source], Gold]
    form: RowForm | PartsForm
    layout: TableLayout
    gaps: Gaps
    gold_form: RecordForm | None = None
    """The form of the official gold, where that is declared: told from a table by its fields."""
    reads_logs: bool = True
    """Whether logs of other tools may stand for tables and predictions."""

    def chunks(self, gold: Source, predictions: Source | None, audit: Audit) -> Iterator[Examples]:
        """The examples: in one piece where two files are joined, in blocks where one table holds everything."""
        if predictions is not None:
            yield self.join(gold, predictions, audit).examples
            return
        log = self._log(gold)
        if log is not None and not self._names_columns(gold):
            from fullmarks.readers.logs.records import as_table

            gold = as_table(gold, log, audit, self.form.log_options, on_missing=self.gaps.on_missing)
        left = self.gaps.limit
        for examples in read_examples(gold, self.layout, audit, self.gaps.on_duplicate):
            yield examples if left is None else examples.part(0, left)
            left = None if left is None else left - len(examples)
            if left is not None and left <= 0:
                return

    def _log(self, source: Source) -> Log | None:
        """The log of another tool that a source is; None where it is none, or none is read."""
        if not self.reads_logs or not may_be_log(source):
            return None
        from fullmarks.readers.logs.files import log_of

        return log_of(source)

    def _names_columns(self, source: Source) -> bool:
        """Whether the user said which columns of a table hold what, so that nobody need guess."""
        is_plain = source.is_object or is_table(source)
        return is_plain and not {"prediction", "references"}.isdisjoint(self.layout.renamed)

    def join(self, gold: Source, predictions: Source, audit: Audit) -> Joined:
        """Gold and predictions of two files aligned by id."""
        if isinstance(predictions.given, JoinedPart):
            return predictions.given.taken(audit)
        questions = self.questions(gold, audit)
        check_gold_ids(questions, gold.name)  # before anything looks an id up
        check_columns(self.layout.required, questions.columns, gold.name)
        form = self.form
        if not isinstance(form, RowForm):
            alone = self._alone(predictions, form)
            if form.alone is None or alone is None:
                return self._join_parts(questions, form, gold, predictions, audit)
            form, predictions = form.alone, alone
        given = self._predictions(predictions, form, audit)
        answers = given.with_ids_like(questions.ids)
        if answers.wrong:
            answers.note_wrong(set(questions.ids), audit, predictions.name)
        if answers.positional and len(answers.texts) != len(questions.ids):
            found = f"{len(answers.texts)} predictions for {len(questions.ids)} questions"
            raise MismatchError(predictions.name, found, "A list without ids needs one prediction for each question.")
        examples = align(questions, answers.texts, audit, self.gaps, gold_name=gold.name, name=predictions.name)
        note_other_kind(given.texts, answers.texts, audit, self.gaps, predictions.name)
        return Joined(examples, answers, questions.ids)

    def _alone(self, source: Source, form: PartsForm) -> Source | None:
        """The source of answers alone; None where predictions have more parts."""
        from fullmarks.readers.prediction_parts import answers_alone

        return source if _is_plain_table(source) else answers_alone(source, form)

    def _join_parts(self, questions: Gold, form: PartsForm, gold: Source, predictions: Source, audit: Audit) -> Joined:
        """The same for predictions with parts: one is missing where no part of it is there."""
        from fullmarks.readers.prediction_parts import drop_wrong_parts

        parts = self._parts(predictions, form, audit)
        by_part = {name: dict(ids_like(questions.ids, values)) for name, values in parts.items()}
        drop_wrong_parts(by_part, set(questions.ids), form, audit, predictions.name)
        named: dict[Identifier, Any] = {found: found for values in by_part.values() for found in values}
        examples = align(questions, named, audit, self.gaps, gold_name=gold.name, name=predictions.name)
        given_ids = dict.fromkeys(found for values in parts.values() for found in values)
        note_other_kind(given_ids, named, audit, self.gaps, predictions.name)
        without = set(examples.unanswered)
        given = [None if at in without else found for at, found in enumerate(examples.predictions)]
        for name, values in by_part.items():
            examples.parts[name] = [None if found is None else values.get(found) for found in given]
            if values or form.alone is not None:
                self._note_gaps(name, examples, without, predictions.name, audit)
        main = examples.parts[form.main]
        examples.predictions = ["" if answer is None else answer for answer in main]
        return Joined(examples, Predictions(by_part[form.main]), questions.ids)

    def _note_gaps(self, part: str, examples: Examples, without: set[int], name: str, audit: Audit) -> None:
        gaps = [
            identifier
            for at, (identifier, value) in enumerate(zip(examples.ids, examples.parts[part], strict=True))
            if value is None and at not in without
        ]
        if gaps:
            level: Level = "error" if self.gaps.on_missing == "error" else "warning"
            audit.add(MISSING_PART.about(part=part), level, gaps, where=name)

    def questions(self, source: Source, audit: Audit) -> Gold:
        """The gold alone: the official file, or a table; a shared one is read once, unless that notes something."""
        if not source.is_shared:
            return self._questions(source, audit)
        code = getattr(self.read_gold, "__code__", self.read_gold)  # a lambda is made anew for every system
        key = (code, self.layout, self.gold_form)
        found: Gold | None = source.kept(key)
        if found is None:
            before = audit.to_dict()
            found = self._questions(source, audit)
            if audit.to_dict() != before:  # which every system's audit has to say
                return found
            source.keep(key, found)
        return _copied(found)

    def _questions(self, source: Source, audit: Audit) -> Gold:
        log = self._log(source)
        if log is not None and not self._names_columns(source):
            from fullmarks.readers.logs.records import as_gold

            return read_gold_table(as_gold(source, log), self.layout, audit)
        if self.gold_form is not None:
            official = _official(source, self.gold_form)
            if official is not None:
                return self.read_gold(official)
        if is_table(source) or is_unnamed_lines(source):
            return read_gold_table(source, self.layout, audit)
        if not source.is_object:
            refuse_saved_head(source.read(), source.name)
        if (not source.is_object and source.read().lstrip()[:1] == b"[") or isinstance(source.given, (tuple, Iterator)):
            from fullmarks.readers.records import read_values

            source = source.holding(read_values(source))
        if source.is_object and isinstance(source.given, list) and isinstance(next(iter(source.given), None), dict):
            return read_gold_table(source, self.layout, audit)
        return self.read_gold(source)

    def reads_gold_in_blocks(self, source: Source) -> bool:
        """Whether the gold is a table that need not be held, and may be cut between its records."""
        if source.is_object or not is_table(source) or self._log(source) is not None:
            return False
        return self.gold_form is None or _is_plain_table(source) or not self.gold_form.fits(_first_line(source))

    def gold_blocks(self, source: Source, audit: Audit, *, in_blocks: bool) -> Iterator[Gold]:
        """The questions in the order of the file: a table in blocks, anything else whole."""
        if in_blocks:
            yield from gold_blocks(source, self.layout, audit)
            return
        gold = self.questions(source, audit)
        check_gold_ids(gold, source.name)
        yield gold

    def reads_predictions_in_blocks(self, source: Source) -> bool:
        """The same of predictions."""
        if source.is_object or not is_table(source) or self._log(source) is not None:
            return False
        if not source.is_json_lines or not isinstance(self.form, RowForm):
            return True
        return self.form.id in ALIASES["id"] or not _is_row(_first_line(source), self.form)

    def prediction_blocks(self, source: Source, audit: Audit, *, in_blocks: bool) -> Iterator[PredictionRows]:
        """The predictions in the order of the file: rows of a table in blocks, anything else whole and settled."""
        if in_blocks:
            yield from prediction_blocks(source, self.layout, audit)
            return
        if not isinstance(self.form, RowForm):
            raise TypeError("predictions with parts are read in one piece")
        found = self._predictions(source, self.form, audit)
        ids = list(found.texts)
        numbers = {field: list(map(values.get, ids)) for field, values in found.numbers.items() if values}
        yield PredictionRows(ids, list(found.texts.values()), numbers, found.positional, found.wrong)

    def _predictions(self, source: Source, form: RowForm, audit: Audit) -> Predictions:
        if is_table(source) or source.ending == ARCHIVE_ENDING:
            log = self._log(source)
            if log is not None:
                return read_log_answers(log, audit, on_duplicate=self.gaps.on_duplicate, form=form)
            if _holds_rows(source, form):
                return read_predictions(source, audit, on_duplicate=self.gaps.on_duplicate, form=form)
            return read_prediction_table(source, self.layout, audit, self.gaps.on_duplicate)
        return read_predictions(source, audit, on_duplicate=self.gaps.on_duplicate, form=form)

    def _parts(self, source: Source, form: PartsForm, audit: Audit) -> Parts:
        if _is_plain_table(source) and self._log(source) is None:
            table = read_prediction_table(source, self.layout, audit, self.gaps.on_duplicate)
            return {name: table.texts if name == form.main else {} for name in form.parts}
        from fullmarks.readers.prediction_parts import read_parts

        return read_parts(source, audit, on_duplicate=self.gaps.on_duplicate, form=form)


def _copied(gold: Gold) -> Gold:
    """A gold of one's own: its lists may be changed, what they hold is the same."""
    columns, facts = ({name: list(values) for name, values in named.items()} for named in (gold.columns, gold.facts))
    return Gold(list(gold.ids), list(gold.references), columns, facts)


def _is_plain_table(source: Source) -> bool:
    """Whether this is a table whose cells hold texts: CSV, TSV or Parquet."""
    return is_table(source) and not source.is_json_lines and not source.is_object


def _official(source: Source, form: RecordForm) -> Source | None:
    """The source as plain objects if it holds the official form; None if it is another table, or a lone document."""
    from fullmarks.readers.records import read_values

    if _is_plain_table(source) or (source.frame is not None and not form.fits(dict.fromkeys(source.frame.names))):
        return None
    values = read_values(source)
    if isinstance(values, list) and values and not form.fits(values[0]):
        return None
    return source.holding(values)


def _holds_rows(source: Source, form: RowForm) -> bool:
    """Whether these are JSON lines or a data frame with the fields of the protocol's own rows, which a table need not
    have, or with answers that are lists.
    """
    if source.frame is not None:
        return form.lists or (form.id not in ALIASES["id"] and _is_row(dict.fromkeys(source.frame.names), form))
    if not source.is_json_lines or form.id in ALIASES["id"]:
        return False
    from fullmarks.readers.records import read_values

    values = read_values(source)
    return _is_row(values[0] if values else None, form)


def _is_row(record: Any, form: RowForm) -> bool:
    return isinstance(record, dict) and form.id in record and any(text in record for text in form.text)


def _first_line(source: Source) -> Any:
    """The first record of JSON lines; None where it is none, which the reader will say."""
    for block in source.blocks():
        for line in block.split(b"\n"):
            if line.strip():
                try:
                    return parse_json(line, source.name)
                except InputError:
                    return None
    return None
