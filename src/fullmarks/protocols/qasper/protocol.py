"""Qasper: answers to questions about papers by type, and the paragraphs that support them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.checks import no_column
from fullmarks.metrics.answers import TokenF1
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.official import Counted, Groups, Key, Mean, official_result
from fullmarks.protocols.other_rule import OtherRule
from fullmarks.protocols.protocol import Protocol, duplicate_option, missing_option, option
from fullmarks.protocols.qasper.files import ANSWER_TYPES, FORM, read_qasper
from fullmarks.protocols.qasper.metric import EVIDENCE, EvidenceF1
from fullmarks.protocols.qasper.rules import RECIPE, TYPES, first_best
from fullmarks.protocols.with_parts import ANSWERS_ALONE
from fullmarks.readers.alignment import NO_REFERENCES, OnMissing, RepeatedGold
from fullmarks.readers.prediction_parts import Part, PartsForm
from fullmarks.readers.predictions import OnDuplicate, RowForm
from fullmarks.readers.records import RecordForm
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, FindingKind, Gold

TYPE = "type"
"""The column with the type of the reference that an answer is counted under; None without a prediction."""
INCOMPLETE = FindingKind(
    "incomplete-predictions", "predictions with an answer or evidence only", "Write both fields of every prediction"
)
NOT_TEXTS = FindingKind(
    "evidence-not-texts",
    "predictions whose evidence holds something else than texts",
    "Write 'predicted_evidence' as a list of paragraphs",
)


@dataclass(frozen=True, kw_only=True)
class Qasper(Protocol):
    """The Qasper evaluation."""

    name: ClassVar[str] = "qasper"
    title: ClassVar[str] = "Qasper: F1 of answers about papers, by type, and of their evidence"
    gold_format: ClassVar[str] = "{paper: {qas: [{question_id, answers: [{answer}]}]}}"
    prediction_format: ClassVar[str] = (
        "JSON lines {question_id, predicted_answer, predicted_evidence}; answers alone: {id: text}"
    )
    slices: ClassVar[tuple[str, ...]] = (TYPE,)
    other_columns: ClassVar[tuple[str, ...]] = ("paper", "question")
    official_names: ClassVar[dict[str, str]] = {"token_f1": "Answer F1", "evidence_f1": "Evidence F1"}
    recipe: ClassVar[str] = RECIPE.name
    repeated_gold: ClassVar[RepeatedGold] = "last"
    tells_ids_apart: ClassVar[bool] = True
    gold_form: ClassVar[RecordForm] = FORM
    prediction_form: ClassVar[PartsForm] = PartsForm(
        {"answer": Part("predicted_answer"), EVIDENCE: Part("predicted_evidence", "list")},
        id="question_id",
        alone=RowForm("question_id", ("predicted_answer", "prediction", "answer")),
    )
    column_names: ClassVar[dict[str, tuple[str, ...]]] = {"prediction": ("predicted_answer",)}
    keys: ClassVar[dict[str, Key]] = {
        "Answer F1": Mean("token_f1"),
        "Answer F1 by type": Groups(TYPE, Mean("token_f1"), order=TYPES),
        "Evidence F1": Mean("evidence_f1"),
        "Missing predictions": Counted("missing"),
    }

    on_missing: OnMissing = missing_option("zero")
    on_duplicate: OnDuplicate = duplicate_option("last")
    text_evidence_only: bool = option(
        False, "Drop figures and tables from the gold evidence; those of predictions stay.", kind=bool
    )

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """The official files, or answers alone."""
        wanted = tuple(name for name in by if name != TYPE)
        name = gold.name if predictions is None else predictions.name
        for examples in self.pairing(self.read_gold, wanted, optional=(TYPE, "question")).chunks(
            gold, predictions, audit
        ):
            if TYPE in by and TYPE not in examples.columns and ANSWER_TYPES not in examples.facts:
                raise no_column(TYPE, examples.columns, gold.name)
            _check(examples, audit, gold.name, name)
            yield examples

    def read_gold(self, source: Source) -> Gold:
        """The gold of the official file."""
        return read_qasper(source, text_evidence_only=self.text_evidence_only)

    def complete(self, chunks: Iterator[Examples], audit: Audit) -> Iterator[Examples]:
        """The examples with the type that each answer is counted under."""
        del audit
        for examples in chunks:
            if ANSWER_TYPES in examples.facts and TYPE not in examples.columns:
                examples.columns[TYPE] = counted_types(examples)
            yield examples

    def metrics(self) -> tuple[Metric, ...]:
        """F1 of the answer and of the evidence."""
        return (TokenF1(recipe=RECIPE.name), EvidenceF1())

    def metrics_for(self, examples: Examples) -> tuple[Metric, ...]:
        """That of the answer alone where no evidence is predicted."""
        return self.metrics() if EVIDENCE in examples.parts else self.metrics()[:1]

    def breakdown(self, first: Examples) -> tuple[str, ...]:
        """The types."""
        return (TYPE,) if TYPE in first.columns else ()

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The published keys; without evidence, or without types, what is left of them."""
        has_evidence = len(tally.metrics) > 1 and (not tally.keep or EVIDENCE in tally.examples.parts)
        left_out = set() if has_evidence else {"Evidence F1"}
        if TYPE not in tally.columns:
            left_out.add("Answer F1 by type")
        return official_result({key: each for key, each in self.keys.items() if key not in left_out}, tally, audit)

    def other_rules(self) -> Sequence[OtherRule]:
        """The program on a later Python, and SQuAD's way with answers of which nothing is left."""
        return (
            OtherRule(
                "python-3.12",
                "the script on Python 3.12 or later, whose sum() compensates for rounding",
                self.metrics(),
                is_elsewhere=True,
                integers=_no_integers,
            ),
            OtherRule(
                "squad2-empty-rule",
                "two answers without words score F1 1, as in SQuAD 2.0",
                (TokenF1(recipe=RECIPE.name, both_empty=1.0),),
            ),
        )

    def signature(self) -> dict[str, str]:
        """The normaliser, the evidence that counts and the rules for gaps."""
        parts = super().signature()
        return {**parts, "evidence": "text"} if self.text_evidence_only else parts


def _no_integers(examples: Examples) -> tuple[int, ...]:
    """The program's whole zeros change no sum."""
    del examples
    return ()


def _check(examples: Examples, audit: Audit, gold_name: str, name: str) -> None:
    """Record questions without an answer that are predicted, parts that are missing, and evidence of no texts."""
    unanswered = set(examples.unanswered)
    answered = [at for at in range(len(examples)) if at not in unanswered]
    without = [examples.ids[at] for at in answered if not examples.references[at]]
    if without:
        audit.add(NO_REFERENCES, "error", without, where=gold_name)
    if EVIDENCE not in examples.parts:
        detail = "the predictions have no 'predicted_evidence', so 'Evidence F1' is left out of the result"
        audit.add(ANSWERS_ALONE, "warning", count=len(examples), detail=detail)
        return
    answers, evidence = examples.parts["answer"], examples.parts[EVIDENCE]
    half = [examples.ids[at] for at in answered if answers[at] is None or evidence[at] is None]
    if half:
        detail = "'predicted_answer' and 'predicted_evidence' must both be there, an empty text or list for none"
        audit.add(INCOMPLETE, "error", half, detail=detail, where=name)
    odd = [
        at for at in answered if evidence[at] is not None and not all(isinstance(text, str) for text in evidence[at])
    ]
    if odd:
        audit.add(NOT_TEXTS, "error", [examples.ids[at] for at in odd], where=name)
        for at in odd:
            evidence[at] = []


def counted_types(examples: Examples) -> list[str | None]:
    """The type of the best reference, of equal ones the first; None without a prediction."""
    types = examples.facts[ANSWER_TYPES]
    found: list[str | None] = [kinds[0] if kinds else None for kinds in types]
    mixed = [at for at, kinds in enumerate(types) if len(set(kinds)) > 1]
    predictions = [examples.predictions[at] for at in mixed]
    scores = RECIPE.pairs(predictions, [examples.references[at] for at in mixed])[1::4].tolist()
    start = 0
    for at in mixed:
        end = start + len(types[at])
        found[at] = types[at][first_best(scores[start:end])]
        start = end
    for at in examples.unanswered:
        found[at] = None
    return found
