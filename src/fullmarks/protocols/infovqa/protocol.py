"""InfographicVQA: ANLS of answers about infographics, as the script of the Robust Reading Competition computes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.metrics.tally import Tally
from fullmarks.protocols.anls import MEANINGS, AnlsProtocol, Types
from fullmarks.protocols.infovqa.rules import ANSWER_TYPES, EVIDENCE_TYPES, OPERATION_TYPES
from fullmarks.protocols.protocol import Kind, option
from fullmarks.readers.predictions import RowForm
from fullmarks.readers.records import RecordForm
from fullmarks.types import Audit


@dataclass(frozen=True, kw_only=True)
class Infovqa(AnlsProtocol):
    """The InfographicVQA evaluation."""

    name: ClassVar[str] = "infovqa"
    title: ClassVar[str] = "InfographicVQA: ANLS of answers about infographics"
    kind: ClassVar[Kind] = "visual"
    also_known_as: ClassVar[tuple[str, ...]] = ("infographicvqa",)
    gold_format: ClassVar[str] = "InfographicVQA JSON {data: [{questionId, answers, ...}]}"
    prediction_format: ClassVar[str] = "[{questionId, answer}], in any order"
    variants: ClassVar[dict[str, str]] = {
        "script": "what the RRC script computes",
        **{name: MEANINGS[name] for name in ("lmms-eval", "VLMEvalKit", "mmf", "pix2struct")},
    }
    types: ClassVar[tuple[Types, ...]] = (
        Types("answer_types", "answer_type", ANSWER_TYPES),
        Types("evidence_types", "evidence", EVIDENCE_TYPES),
        Types("operation_types", "operation", OPERATION_TYPES),
    )
    slices: ClassVar[tuple[str, ...]] = ("answer_type", "evidence", "operation")
    other_columns: ClassVar[tuple[str, ...]] = ("image_local_name", "question")
    official_names: ClassVar[dict[str, str]] = {"anls": "score"}
    gold_form: ClassVar[RecordForm] = RecordForm(
        "questionId",
        "answers",
        at="data[]",
        columns={
            "answer_type": "answer_type",
            "evidence": "evidence",
            "operation": "operation/reasoning",
            "image_local_name": "image_local_name",
            "question": "question",
        },
        shape='{"data": [{"questionId": ..., "answers": [...]}]}',
    )
    prediction_form: ClassVar[RowForm] = RowForm("questionId", ("answer", "prediction"))

    answer_types: bool = option(
        False, "Add the score of every type of answer, evidence and operation, as the script's -a does.", kind=bool
    )

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The score, and that of every type where it is asked for."""
        del audit
        result: dict[str, Any] = {"score": self.scaled(tally.totals()[0])}
        return {**result, "scores_by_types": self.scores_by_types(tally)} if self.answer_types else result
