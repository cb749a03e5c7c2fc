"""What VQA shares with the benchmarks that took over its program: annotation files, accuracy by type, rounding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from msgspec.structs import replace

from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Tally
from fullmarks.metrics.vqa_accuracy import ROUNDINGS, VqaAccuracy, VqaRecordAccuracy
from fullmarks.protocols.protocol import Kind, Protocol, option
from fullmarks.readers.alignment import NO_REFERENCES, RepeatedGold, note_without_references, repeated
from fullmarks.readers.pairing import Pairing
from fullmarks.readers.predictions import RowForm
from fullmarks.readers.source import Source
from fullmarks.readers.vqa import read_annotations, read_questions
from fullmarks.types import RECORD_KINDS, Audit, Examples, FindingKind, Gold

_KEYS = {"perQuestionType": "question_type", "perAnswerType": "answer_type"}
"""The column behind each of the published keys."""
HUGGING_FACE = "hugging-face"
SINGLE_ANNOTATOR = FindingKind("single-annotator", "questions with a single annotator")
EQUAL_RECORDS = FindingKind("equal-records", "questions with equal records of annotators")


@dataclass(frozen=True, kw_only=True)
class VqaProtocol(Protocol):
    """A benchmark in VQA's files, scored by VQA's program."""

    kind: ClassVar[Kind] = "visual"
    gold_format: ClassVar[str] = "VQA annotations JSON"
    prediction_format: ClassVar[str] = "[{question_id, answer}]"
    variants: ClassVar[dict[str, str]] = {
        "script": (
            "what the published program computes: normalises only where annotators disagree, and leaves out together "
            "all annotators whose records in the file are equal"
        ),
        "leave-one-out": "as the script, but leaves out one annotator at a time, equal records or not",
        "always-normalise": "normalises every answer and leaves out one annotator at a time, as many harnesses do",
        "hugging-face": "the metric Kamichanw/vqa_accuracy of the Hugging Face hub: the same, and rounds nothing",
    }
    slices: ClassVar[tuple[str, ...]] = ("question_type", "answer_type")
    other_columns: ClassVar[tuple[str, ...]] = ("image_id",)
    scale: ClassVar[float] = 100.0
    official_names: ClassVar[dict[str, str]] = {"accuracy": "overall"}
    notes: ClassVar[tuple[FindingKind, ...]] = (NO_REFERENCES, SINGLE_ANNOTATOR, EQUAL_RECORDS)
    repeated_gold: ClassVar[RepeatedGold] = "each"

    prediction_form: ClassVar[RowForm] = RowForm("question_id", ("answer", "prediction"))
    column_names: ClassVar[dict[str, tuple[str, ...]]] = {
        "question_type": ("question_types",),
        "answer_type": ("answer_types",),
    }

    strict: bool = option(True, "Make predictions for unknown questions an error.", kind=bool)
    questions: Any = option(None, "The questions file: adds each question's text to reports.", kind=Source)
    precision: int = option(2, "Round to so many digits.", kind=int, least=0, most=15)
    rounding: str = option(
        "half-even", "Where exact ties go: as in Python 3, or away from 0 as in Python 2.", choices=ROUNDINGS
    )

    def paired(self, by: tuple[str, ...], audit: Audit) -> Pairing:
        """Official files or tables."""
        del audit
        found = self.pairing(read_gold, by, optional=self.slices, decisive=self.slices)
        return replace(found, layout=replace(found.layout, has_records=True))

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """Official files or tables."""
        texts = None if self.questions is None else read_questions(Source(self.questions, "questions"))
        for examples in self.paired(by, audit).chunks(gold, predictions, audit):
            note_without_references(examples, audit, gold.name)
            _note_single_annotators(examples, audit, gold.name)
            if self.variant == "script":
                _note_equal_records(examples, audit, gold.name)
            if texts is not None:
                examples.columns["question"] = [texts.get(identifier) for identifier in examples.ids]
            yield examples

    def metrics(self) -> tuple[Metric, ...]:
        """VQA accuracy."""
        return (self.accuracy,)

    @property
    def accuracy(self) -> VqaAccuracy:
        """VQA accuracy under the variant."""
        if self.variant == HUGGING_FACE:
            return VqaAccuracy(as_hugging_face=True)
        rules = VqaRecordAccuracy if self.variant == "script" else VqaAccuracy
        return rules(self.precision, self.variant == "always-normalise", self.rounding)

    def breakdown(self, first: Examples) -> tuple[str, ...]:
        """The types that the annotations carry."""
        return tuple(column for column in _KEYS.values() if column in first.columns)

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The published result, 0-100, rounded."""
        del audit
        share = self.accuracy.percentage
        result: dict[str, Any] = {"overall": share(tally.totals()[0])}
        for key, column in _KEYS.items():
            found = tally.by(column) if column in tally.columns else {}
            result[key] = {value: share(totals[0]) for value, totals in found.items()}
        return result

    def signature(self) -> dict[str, str]:
        """Normaliser, rounding and the rule for missing predictions."""
        parts = {"norm": "vqa"}
        if self.variant == HUGGING_FACE:
            return {**parts, **super().signature()}
        parts["precision"] = str(self.precision)
        if self.rounding != "half-even":
            parts["rounding"] = self.rounding
        return {**parts, **super().signature()}


def read_gold(source: Source) -> Gold:
    """The annotated questions; one that comes twice is two questions, as in the published program.

    The program keeps the last annotation of an id for all of them, and writes over its answers: the second time they
    are those that were compared the first time.
    """
    gold = read_annotations(source)
    if len(set(gold.ids)) == len(gold.ids):
        return gold
    again = set(repeated(gold.ids))
    last = {identifier: at for at, identifier in enumerate(gold.ids) if identifier in again}
    answers = {identifier: gold.references[at] for identifier, at in last.items()}
    for at, identifier in enumerate(gold.ids):
        if identifier not in again:
            continue
        gold.references[at] = answers[identifier]
        answers[identifier] = VqaAccuracy().compared("", answers[identifier])[1]
        for values in (*gold.columns.values(), *gold.facts.values()):
            values[at] = values[last[identifier]]
    return gold


def _note_single_annotators(examples: Examples, audit: Audit, name: str) -> None:
    if 1 in map(len, examples.references):
        single = [examples.ids[at] for at, references in enumerate(examples.references) if len(references) == 1]
        audit.add(
            SINGLE_ANNOTATOR,
            "warning",
            single,
            detail="they score 0, for no other annotator agrees",
            where=name,
        )


def _note_equal_records(examples: Examples, audit: Audit, name: str) -> None:
    metric = VqaRecordAccuracy()
    kinds = examples.facts.get(RECORD_KINDS, ())
    equal = [
        examples.ids[at]
        for at, known in enumerate(kinds)
        if known is not None and metric.has_equal_records(examples.references[at], known)
    ]
    if equal:
        audit.add(
            EQUAL_RECORDS,
            "warning",
            equal,
            detail="annotators with equal records are left out together, as the published program does; "
            "--variant leave-one-out leaves out one at a time",
            where=name,
        )
