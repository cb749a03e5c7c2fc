"""POPE: precision, recall and F1 of yes-or-no answers about objects in images."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.checks import check_columns
from fullmarks.errors import InputError, UsageError
from fullmarks.metrics.tally import Tally
from fullmarks.metrics.yes_no import YesNo
from fullmarks.protocols.pope.files import (
    answer_rows,
    check_labels_can_pair,
    of_category,
    pair,
    read_answers,
    with_questions,
)
from fullmarks.protocols.protocol import Kind, Protocol, option
from fullmarks.readers.alignment import note_without_references, raise_errors
from fullmarks.readers.predictions import RowForm
from fullmarks.readers.records import RecordForm
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, FindingKind, Total

_METRICS = {
    "script": YesNo("pope", counts_neither=True),
    "lmms-eval": YesNo("strict"),
    "vlmevalkit": YesNo("words", counts_neither=True),
}
OTHER_LABELS = FindingKind("other-labels", "labels other than yes and no")


@dataclass(frozen=True, kw_only=True)
class Pope(Protocol):
    """The POPE evaluation."""

    name: ClassVar[str] = "pope"
    title: ClassVar[str] = "POPE: F1 of yes-or-no answers about objects in images"
    kind: ClassVar[Kind] = "visual"
    gold_format: ClassVar[str] = "JSON lines {question_id, image, text, label} (coco_pope_random.json)"
    prediction_format: ClassVar[str] = "JSON lines {question, answer} or LLaVA's {question_id, prompt, text}"
    variants: ClassVar[dict[str, str]] = {
        "script": "what the published program computes: No, no or not before the first period is no, all else yes",
        "lmms-eval": "only yes and no as the whole answer count, whatever their case; yes ratio is that of the labels",
        "vlmevalkit": "yes or no among the words, and not both; an unknown answer is wrong; times 100",
    }
    slices: ClassVar[tuple[str, ...]] = ("label",)
    other_columns: ClassVar[tuple[str, ...]] = ("image", "question", "category")
    official_names: ClassVar[dict[str, str]] = {
        "accuracy": "Accuracy",
        "precision": "Precision",
        "recall": "Recall",
        "f1": "F1 score",
        "yes_ratio": "Yes ratio",
    }
    gold_form: ClassVar[RecordForm] = RecordForm(
        "question_id",
        "label",
        columns={"label": "label", "image": "image", "question": "text", "category": "category"},
        shape='{"question_id", "image", "text", "label"} a line',
    )
    prediction_form: ClassVar[RowForm] = RowForm("question_id", ("answer", "prediction", "text"))

    strict: bool = option(True, "Make predictions for unknown questions an error.", kind=bool)
    questions: Any = option(None, "LLaVA's question file: whose ids its answers have.", kind=Source)
    category: str | None = option(None, "Which category of the question file the gold is; found where one fits.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.category is not None and self.questions is None:
            raise UsageError("category belongs to LLaVA's question file: pass that with --questions")

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """Official files, LLaVA's answers, or tables; every question that the answers tell is compared."""
        rows = None if predictions is None or self.columns else answer_rows(predictions)
        if rows is None or predictions is None:
            if self.questions is not None:
                problem = "these are not LLaVA's answers {question_id, text}, which the question file belongs to"
                raise InputError((predictions or gold).name, problem, "Leave the question file out.")
            chunks = super().read(gold, predictions, audit, by)
        else:
            chunks = iter([self._paired(gold, predictions, rows, audit, by)])
        for examples in chunks:
            note_without_references(examples, audit, gold.name)
            raise_errors(audit, gold.name)  # before an answer is compared with a label that is not there
            _note_labels(examples, audit, gold.name)
            yield examples

    def _paired(
        self, gold: Source, predictions: Source, rows: list[dict[str, Any]], audit: Audit, by: tuple[str, ...]
    ) -> Examples:
        labels = self.pairing(self.read_gold, by, optional=self.slices).questions(gold, audit)
        check_columns(by, labels.columns, gold.name)
        check_labels_can_pair(labels, gold.name)
        answers = read_answers(rows, predictions.name)
        if self.questions is not None:
            answers = with_questions(answers, Source(self.questions, "questions"), predictions.name)
            answers = of_category(answers, labels, self.category, predictions.name)
        return pair(labels, answers, audit, self.gaps, (gold.name, predictions.name))

    def metrics(self) -> tuple[YesNo]:
        """The counts, by the variant's reading of the answers."""
        return (_METRICS[self.variant],)

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The result of the program that the variant names."""
        del audit
        metric, total = self.metrics()[0], tally.totals()[0]
        scores = metric.finish(total)
        if self.variant == "script":
            return _script(total, scores)
        if self.variant == "lmms-eval":
            tp, _, _, fn, neither, _ = total.sums
            found = {f"pope_{name}": scores[name] for name in ("accuracy", "precision", "recall")}
            return {**found, "pope_f1_score": scores["f1"], "pope_yes_ratio": (tp + fn + neither) / total.n}
        found = {name: 100.0 * scores[key] for name, key in _PERCENTAGES.items()}
        return {"split": "Overall", **found, "unknown": round(sum(total.sums[4:]))}


_PERCENTAGES = {"Overall": "f1", "acc": "accuracy", "precision": "precision", "recall": "recall"}


def _script(total: Total, scores: dict[str, float]) -> dict[str, Any]:
    """The published keys; an error where the published program divides by zero."""
    tp, fp, tn, fn = map(round, total.sums[:4])
    if not tp:
        found = f"TP {tp}, FP {fp}, TN {tn}, FN {fn}: without a true positive the F1 score is undefined"
        raise InputError("predictions", found, "Check the answers, or pass --variant lmms-eval, which takes 0 for it.")
    return {
        "TP": tp,
        "FP": fp,
        "TN": tn,
        "FN": fn,
        "Accuracy": scores["accuracy"],
        "Precision": scores["precision"],
        "Recall": scores["recall"],
        "F1 score": scores["f1"],
        "Yes ratio": (tp + fp) / (tp + fp + tn + fn),
    }


def _note_labels(examples: Examples, audit: Audit, name: str) -> None:
    odd = [
        examples.ids[at] for at, labels in enumerate(examples.references) if labels and labels[0] not in ("yes", "no")
    ]
    if odd:
        detail = "each means yes, as in the published program"
        audit.add(OTHER_LABELS, "warning", odd, detail=detail, where=name)
