"""ST-VQA: ANLS and accuracy of answers about scene text, as mmf computes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.anls import MEANINGS, AnlsProtocol
from fullmarks.protocols.protocol import Kind
from fullmarks.protocols.stvqa.metric import StvqaAccuracy
from fullmarks.readers.predictions import RowForm
from fullmarks.readers.records import RecordForm
from fullmarks.types import Audit


@dataclass(frozen=True, kw_only=True)
class Stvqa(AnlsProtocol):
    """The ST-VQA evaluation."""

    name: ClassVar[str] = "stvqa"
    title: ClassVar[str] = "ST-VQA: ANLS and accuracy of answers about scene text"
    kind: ClassVar[Kind] = "visual"
    gold_format: ClassVar[str] = "ST-VQA JSON {data: [{question_id, answers, ...}]}"
    prediction_format: ClassVar[str] = "[{question_id, answer}], in any order"
    variants: ClassVar[dict[str, str]] = {
        "script": "what mmf computes",
        **{name: MEANINGS[name] for name in ("rrc", "pix2struct")},
    }
    reading: ClassVar[str] = "mmf"
    slices: ClassVar[tuple[str, ...]] = ("dataset",)
    other_columns: ClassVar[tuple[str, ...]] = ("file_name", "set_name", "question")
    gold_form: ClassVar[RecordForm] = RecordForm(
        "question_id",
        "answers",
        at="data[]",
        columns={name: name for name in ("dataset", "file_name", "set_name", "question")},
        shape='{"data": [{"question_id": ..., "answers": [...]}]}',
    )
    prediction_form: ClassVar[RowForm] = RowForm("question_id", ("answer", "prediction"))

    def metrics(self) -> tuple[Metric, ...]:
        """ANLS, and accuracy where mmf computes it."""
        return (self.anls, StvqaAccuracy()) if self.variant == "script" else (self.anls,)

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """ANLS and accuracy; other tools have ANLS alone."""
        del audit
        totals = tally.totals()
        result = {"anls": self.scaled(totals[0])}
        return {**result, "accuracy": totals[1].sums[0] / totals[1].n} if len(totals) > 1 else result
