"""DocVQA: ANLS of answers about scanned documents, as the script of the Robust Reading Competition computes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.metrics.tally import Tally
from fullmarks.protocols.anls import MEANINGS, AnlsProtocol, Types
from fullmarks.protocols.protocol import Kind, option
from fullmarks.readers.predictions import RowForm
from fullmarks.readers.records import RecordForm
from fullmarks.types import Audit


@dataclass(frozen=True, kw_only=True)
class Docvqa(AnlsProtocol):
    """The DocVQA evaluation."""

    name: ClassVar[str] = "docvqa"
    title: ClassVar[str] = "DocVQA: ANLS of answers about scanned documents"
    kind: ClassVar[Kind] = "visual"
    gold_format: ClassVar[str] = "DocVQA JSON {data: [{questionId, answers, ...}]}"
    prediction_format: ClassVar[str] = "[{questionId, answer}], in any order"
    variants: ClassVar[dict[str, str]] = {
        "script": "what the RRC script computes",
        **{name: MEANINGS[name] for name in ("lmms-eval", "VLMEvalKit", "mmf", "pix2struct")},
    }
    types: ClassVar[tuple[Types, ...]] = (Types("question_types", "question_types"),)
    slices: ClassVar[tuple[str, ...]] = ("question_types",)
    other_columns: ClassVar[tuple[str, ...]] = ("image", "docId", "question")
    official_names: ClassVar[dict[str, str]] = {"anls": "score"}
    gold_form: ClassVar[RecordForm] = RecordForm(
        "questionId",
        "answers",
        at="data[]",
        columns={name: name for name in ("question_types", "image", "docId", "question")},
        shape='{"data": [{"questionId": ..., "answers": [...]}]}',
    )
    prediction_form: ClassVar[RowForm] = RowForm("questionId", ("answer", "prediction"))

    answer_types: bool = option(False, "Add the score of every type of question.", kind=bool)

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The score, and that of every type where it is asked for."""
        del audit
        result: dict[str, Any] = {"score": self.scaled(tally.totals()[0])}
        return {**result, "scores_by_types": self.scores_by_types(tally)} if self.answer_types else result
