"""GSM8K: the share of solutions that end in the right number, and the two readings of it that harnesses have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.metrics.metric import Metric
from fullmarks.metrics.numeric_answer import NumericAnswer
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.official import Key, Mean, Number, Sum, official_result
from fullmarks.protocols.protocol import Protocol
from fullmarks.readers.alignment import NO_REFERENCES
from fullmarks.readers.predictions import RowForm
from fullmarks.readers.records import RecordForm
from fullmarks.readers.source import Source
from fullmarks.text.number_readings import READINGS, number_in
from fullmarks.types import Audit, Examples, FindingKind

UNMARKED = FindingKind(
    "unmarked-references",
    "gold answers without a number after '#### '",
    "Write '#### ' before the number of every gold answer",
)
UNREAD = FindingKind(
    "no-number",
    "predictions without a number where it is looked for",
    "See whether another --variant reads them: fullmarks crosscheck gsm8k, fullmarks card gsm8k",
    is_unreadable=True,
)


@dataclass(frozen=True, kw_only=True)
class Gsm8k(Protocol):
    """The GSM8K evaluation."""

    name: ClassVar[str] = "gsm8k"
    title: ClassVar[str] = "GSM8K: the number after #### in a worked solution"
    gold_format: ClassVar[str] = "JSON lines {question, answer}; the answer ends in a line '#### 18'"
    prediction_format: ClassVar[str] = "JSON lines {id, prediction}; the id is the gold's line, counted from 0"
    variants: ClassVar[dict[str, str]] = {
        "script": READINGS["marked"],
        "strict-match": f"lm-evaluation-harness: {READINGS['strict-match']}",
        "flexible-extract": f"lm-evaluation-harness: {READINGS['flexible-extract']}",
    }
    other_columns: ClassVar[tuple[str, ...]] = ("question",)
    gold_form: ClassVar[RecordForm] = RecordForm(
        "@1", "answer", columns={"question": "question"}, shape='{"question", "answer": "... #### 18"} a line'
    )
    prediction_form: ClassVar[RowForm] = RowForm(positional=True)
    notes: ClassVar[tuple[FindingKind, ...]] = (NO_REFERENCES, UNMARKED, UNREAD)
    keys: ClassVar[dict[str, Key]] = {"correct": Sum("accuracy"), "total": Number(), "accuracy": Mean("accuracy")}
    harness_keys: ClassVar[dict[str, Key]] = {"exact_match": Mean("accuracy"), "total": Number()}
    """The result of the harness's variants."""

    @property
    def reading(self) -> str:
        """Where the number is looked for."""
        return "marked" if self.variant == "script" else self.variant

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """The official files or tables; an official gold without a number is an error, as in the program."""
        for examples in super().read(gold, predictions, audit, by):
            if self.variant == "script" and predictions is not None:
                golds = enumerate(examples.references)
                unmarked = [
                    examples.ids[at] for at, texts in golds if not all(number_in(each, "marked") for each in texts)
                ]
                if unmarked:
                    audit.add(UNMARKED, "error", unmarked, where=gold.name)
            yield examples

    def complete(self, chunks: Iterator[Examples], audit: Audit) -> Iterator[Examples]:
        """Counts the predictions in which no number is found: they are wrong, however right their last line."""
        for examples in chunks:
            passed_over = set(examples.unanswered)
            unread = [
                examples.ids[at]
                for at, text in enumerate(examples.predictions)
                if at not in passed_over and number_in(text, self.reading) is None
            ]
            if unread:
                audit.add(UNREAD, "warning", unread, detail=READINGS[self.reading])
            yield examples

    def metrics(self) -> tuple[Metric]:
        """The right number, by the reading of the variant."""
        return (NumericAnswer(self.reading, score_name="accuracy"),)

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """How many are right, of how many, and their share; or the harness's two keys."""
        return official_result(self.keys if self.variant == "script" else self.harness_keys, tally, audit)
