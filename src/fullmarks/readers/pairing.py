"""The ways in which gold and predictions reach a protocol: its official files, two tables, or one table of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from msgspec import Struct

from fullmarks.errors import MismatchError
from fullmarks.readers.alignment import OnMissing, align, check_slices
from fullmarks.readers.documents import parse_json
from fullmarks.readers.examples import TableLayout, read_examples, read_gold_table, read_prediction_table
from fullmarks.readers.predictions import OnDuplicate, Predictions, RowForm, read_predictions
from fullmarks.readers.saved_run import refuse_saved_head
from fullmarks.readers.source import Source
from fullmarks.readers.table import is_table, is_unnamed_lines
from fullmarks.types import Audit, Examples, Gold, Identifier


class Joined(NamedTuple):
    """What two files came to: the examples to score, the predictions as they were read, the ids of all questions."""

    examples: Examples
    predictions: Predictions
    gold_ids: list[Identifier]


class Pairing(Struct, frozen=True):
    """How one protocol's input is brought together: its rules, its official reader and its columns."""

    read_gold: Callable[[Source], Gold]
    form: RowForm
    layout: TableLayout
    on_missing: OnMissing
    on_duplicate: OnDuplicate
    strict: bool
    limit: int | None

    def chunks(self, gold: Source, predictions: Source | None, audit: Audit) -> Iterator[Examples]:
        """The examples: in one piece where two files are joined, in blocks where one table holds everything."""
        if predictions is not None:
            yield self.join(gold, predictions, audit).examples
            return
        left = self.limit
        for examples in read_examples(gold, self.layout, audit, self.on_duplicate):
            yield examples if left is None else examples.part(0, left)
            left = None if left is None else left - len(examples)
            if left is not None and left <= 0:
                return

    def join(self, gold: Source, predictions: Source, audit: Audit) -> Joined:
        """Gold and predictions of two files aligned by id."""
        questions = self._gold(gold, audit)
        check_slices(questions, self.layout.required, gold.name)
        answers = self._predictions(predictions, audit).with_ids_like(questions.ids)
        if answers.positional and len(answers.texts) != len(questions.ids):
            found = f"{len(answers.texts)} predictions for {len(questions.ids)} questions"
            raise MismatchError(predictions.name, found, "A list without ids needs one prediction for each question.")
        examples = align(
            questions,
            answers.texts,
            audit,
            on_missing=self.on_missing,
            strict=self.strict,
            limit=self.limit,
            gold_name=gold.name,
            name=predictions.name,
        )
        return Joined(examples, answers, questions.ids)

    def _gold(self, source: Source, audit: Audit) -> Gold:
        if is_table(source) or is_unnamed_lines(source):
            return read_gold_table(source, self.layout, audit)
        if not source.is_object:
            refuse_saved_head(source.read(), source.name)
        if not source.is_object and source.read().lstrip()[:1] == b"[":
            source = source.holding(parse_json(source.read(), source.name))
        elif source.is_object and isinstance(source.object, (tuple, Iterator)):
            source = source.holding(list(source.object))
        if source.is_object and isinstance(source.object, list) and isinstance(next(iter(source.object), None), dict):
            return read_gold_table(source, self.layout, audit)
        return self.read_gold(source)

    def _predictions(self, source: Source, audit: Audit) -> Predictions:
        if is_table(source):
            from fullmarks.readers.foreign import is_samples_file

            if is_samples_file(source):
                return read_predictions(source, audit, on_duplicate=self.on_duplicate, form=self.form)
            return read_prediction_table(source, self.layout, audit, self.on_duplicate)
        return read_predictions(source, audit, on_duplicate=self.on_duplicate, form=self.form)
