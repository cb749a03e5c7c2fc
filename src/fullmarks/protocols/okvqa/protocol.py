"""OK-VQA: VQA's files and VQA's program, five annotators written twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.okvqa.rules import LMMS_EVAL, LMMS_VOTES
from fullmarks.protocols.protocol import duplicate_option
from fullmarks.protocols.vqa_protocol import VqaProtocol
from fullmarks.readers.predictions import OnDuplicate
from fullmarks.types import Audit


@dataclass(frozen=True, kw_only=True)
class Okvqa(VqaProtocol):
    """The OK-VQA evaluation."""

    name: ClassVar[str] = "okvqa"
    title: ClassVar[str] = "OK-VQA: VQA accuracy of answers that need outside knowledge"
    also_known_as: ClassVar[tuple[str, ...]] = ("ok_vqa", "ok-vqa")
    variants: ClassVar[dict[str, str]] = {
        **VqaProtocol.variants,
        LMMS_EVAL: "lmms-eval's: the EvalAI normal form on both sides, always, and one annotator at a time left out",
    }

    on_duplicate: OnDuplicate = duplicate_option("last")

    def metrics(self) -> tuple[Metric, ...]:
        """VQA accuracy, or lmms-eval's."""
        return (LMMS_VOTES,) if self.variant == LMMS_EVAL else super().metrics()

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The published result, 0-100, rounded; lmms-eval's is one number from 0 to 1."""
        if self.variant != LMMS_EVAL:
            return super().official(tally, audit)
        return {"exact_match": LMMS_VOTES.finish(tally.totals()[0])["accuracy"]}

    def signature(self) -> dict[str, str]:
        """As VQA's; lmms-eval's has another normaliser and rounds nothing."""
        parts = super().signature()
        if self.variant == LMMS_EVAL:
            parts["norm"] = "evalai"
            parts.pop("precision")
            parts.pop("rounding", None)
        return parts
