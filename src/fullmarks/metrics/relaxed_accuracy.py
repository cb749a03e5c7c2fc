"""Relaxed accuracy of answers about charts: numbers within a tolerance, other texts equal but for case."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.metrics.metric import Metric
from fullmarks.options import limited
from fullmarks.text.kernel import relaxed_rows
from fullmarks.text.relaxed import (
    READINGS,
    TOLERANCE,
    Judged,
    Reading,
    golds_of,
    judge,
    judge_generously,
    judge_swapped,
)
from fullmarks.types import Example, Examples, Explanation


@dataclass(frozen=True)
class RelaxedAccuracy(Metric):
    """1 where an answer is within the tolerance of a gold number, or equal to a gold text but for case; best reference.

    `reading` is `pix2struct` (the de-facto program of ChartQA), `lmms-eval` (the same), `VLMEvalKit`, `Qwen-VL`,
    `lm-eval` (what follows the last "answer:") or `lm-eval-bare` (the same comparison of the whole text). An example
    without references scores 0.
    """

    name: ClassVar[str] = "relaxed_accuracy"
    summary: ClassVar[str] = "share of answers equal to a gold text, or within 5 % of a gold number"
    citation: ClassVar[str] = (
        "Masry et al.: ChartQA: A Benchmark for Question Answering about Charts with Visual and Logical Reasoning, "
        "Findings of ACL 2022"
    )

    reading: str = limited("pix2struct", choices=READINGS)
    tolerance: float = limited(TOLERANCE, least=0)

    @property
    def columns(self) -> tuple[str, ...]:
        """Whether the answer is right."""
        return (self.name,)

    @property
    def rules(self) -> Reading:
        """What the reading does."""
        return READINGS[self.reading]

    def rows(self, examples: Examples) -> array[float]:
        """1.0 for every example whose answer is right, otherwise 0.0."""
        predictions, references = examples.predictions, examples.references
        if self.rules.judge is judge_generously:
            return self._rows_one_by_one(predictions, references)
        if self.rules.judge is not judge:
            predictions = [text.strip() for text in predictions]
        if self.rules.has_lists:
            references = [golds_of(golds, self.rules) for golds in references]
        is_swapped = self.rules.judge is judge_swapped
        return relaxed_rows(predictions, references, tolerance=self.tolerance, is_swapped=is_swapped)

    def _rows_one_by_one(self, predictions: list[str], references: list[list[str]]) -> array[float]:
        """The same by the reading's own function, each distinct pair once."""
        known: dict[tuple[str, str], bool] = {}
        rows = array("d", bytes(8 * len(predictions)))
        for at, prediction in enumerate(predictions):
            for gold in references[at]:
                is_right = known.get((prediction, gold))
                if is_right is None:
                    is_right = self._judge(prediction, gold).is_right
                    known[prediction, gold] = is_right
                if is_right:
                    rows[at] = 1.0
                    break
        return rows

    def _judge(self, prediction: str, gold: str) -> Judged:
        """One response against one gold, by the answer that the reading takes out of it."""
        answer = self._answer(prediction)
        if self.rules.takes_out is not None and not answer:
            return Judged(False, None, None, None)
        return self.rules.judge(answer, gold, self.tolerance)

    def _answer(self, prediction: str) -> str:
        return prediction if self.rules.takes_out is None else self.rules.takes_out(prediction)

    def explain(self, example: Example) -> Explanation:
        """The numbers that were compared, how far they are apart, or that texts were compared, for every reference."""
        table: list[dict[str, Any]] = []
        for gold in golds_of(example.references, self.rules):
            found = self._judge(example.prediction, gold)
            table.append(
                {
                    "reference": gold,
                    "compared as": "texts" if found.change is None else "numbers",
                    "number of the prediction": found.predicted,
                    "number of the reference": found.expected,
                    "relative change": found.change,
                    "right": found.is_right,
                }
            )
        taken = (
            {} if self.rules.takes_out is None else {"answer": self._answer(example.prediction) or "(none announced)"}
        )
        facts = {
            "prediction": example.prediction,
            **taken,
            "reading": f"{self.reading}: {self.rules.description}",
            "tolerance": self.tolerance,
        }
        return Explanation(example.id, super().explain(example).scores, facts, {"references": table})
