"""ChartQA: relaxed accuracy of answers about charts, for one split or for both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.metrics.relaxed_accuracy import RelaxedAccuracy
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.chartqa.files import own_answers, placed
from fullmarks.protocols.protocol import Kind, Protocol, option
from fullmarks.readers.alignment import note_without_references
from fullmarks.readers.keyed_rows import have_fields, read_rows
from fullmarks.readers.predictions import RowForm
from fullmarks.readers.records import RecordForm
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, Total

SPLITS = ("human", "augmented")


@dataclass(frozen=True, kw_only=True)
class Chartqa(Protocol):
    """The ChartQA evaluation."""

    name: ClassVar[str] = "chartqa"
    title: ClassVar[str] = "ChartQA: relaxed accuracy of answers about charts"
    kind: ClassVar[Kind] = "visual"
    gold_format: ClassVar[str] = "[{imgname, query, label}], with split where both are in one file"
    prediction_format: ClassVar[str] = "[{imgname, query, prediction}], or a list of texts in the order of the gold"
    variants: ClassVar[dict[str, str]] = {
        "script": "what pix2struct computes",
        "lmms-eval": "lmms-eval's relaxed_overall: the same rule, from 0 to 1",
        "VLMEvalKit": "VLMEvalKit's: the prediction stripped, a gold that is written like a list taken for one",
        "Qwen-VL": "Qwen-VL's, from 0 to 1: the prediction stripped, the tolerance relative to the prediction",
        "lm-eval": 'lm-eval\'s, from 0 to 1: what follows the last "answer:", nothing where it is not announced',
        "lm-eval-bare": "lm-eval's comparison of the whole text: marks around numbers removed, percentages both ways",
    }
    tables: ClassVar[str] = (
        "Both may also be tables (JSON lines, CSV, TSV, Parquet) with these columns, or with id, prediction and "
        "references; one table may hold gold and predictions, and a column split both splits."
    )
    slices: ClassVar[tuple[str, ...]] = ("split",)
    other_columns: ClassVar[tuple[str, ...]] = ("imgname", "question")
    scale: ClassVar[float] = 100.0
    gold_form: ClassVar[RecordForm] = RecordForm(
        "@1",
        "label",
        columns={"split": "split", "imgname": "imgname", "question": "query"},
        shape='[{"imgname": ..., "query": ..., "label": ...}]',
    )
    prediction_form: ClassVar[RowForm] = RowForm("id", ("prediction", "answer", "prediction_text"), positional=True)

    strict: bool = option(True, "Make predictions for unknown questions an error.", kind=bool)

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """Official rows paired by image and question; or tables by id."""
        golds = read_rows(gold)
        if golds is not None and have_fields(golds, "label"):
            texts = (self.columns["prediction"],) if "prediction" in self.columns else self.prediction_form.text
            answers = own_answers(gold, golds, texts) if predictions is None else placed(predictions, golds, texts)
            gold, predictions = gold.holding(golds), answers
        elif golds is not None:
            gold = gold.holding(golds)
        pairing = self.pairing(self.read_gold, by, optional=self.slices, decisive=self.slices)
        for examples in pairing.chunks(gold, predictions, audit):
            note_without_references(examples, audit, gold.name)
            yield examples

    def metrics(self) -> tuple[RelaxedAccuracy]:
        """Relaxed accuracy by the variant's rule."""
        return (RelaxedAccuracy("pix2struct" if self.variant == "script" else self.variant),)

    def breakdown(self, first: Examples) -> tuple[str, ...]:
        """The splits, where there is a column of them."""
        return tuple(column for column in self.slices if column in first.columns)

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The share of right answers over all questions, then of each split and their mean."""
        del audit
        whole, names = self._share(tally.totals()[0]), dict.fromkeys(SPLITS)
        found = tally.by("split") if "split" in tally.columns else {}
        splits = {
            str(split): self._share(found[split][0])
            for split in sorted(found, key=lambda each: _place(each, list(names)))
        }
        if self.variant == "lmms-eval":
            return {"relaxed_overall": whole, **{f"relaxed_{name}_split": share for name, share in splits.items()}}
        result = {"relaxed_accuracy": whole, **splits}
        if len(splits) == 2:
            one, other = splits.values()
            result["average of the two splits"] = (one + other) / 2
        return result

    def _share(self, total: Total) -> float:
        right, n = total.sums[0], total.n
        if self.variant == "script":
            return 100.0 * right / n
        return right / n * 100 if self.variant == "VLMEvalKit" else right / n


def _place(split: Any, names: list[str]) -> int:
    return names.index(split) if split in names else len(names)
