"""OCRBench: how many of 1000 answers contain the right text, by type of question."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.errors import InputError
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.ocrbench.files import TEXTS, named_answers, named_rows, one_file
from fullmarks.protocols.ocrbench.metric import DATASET, OcrbenchMatch
from fullmarks.protocols.ocrbench.rules import COMPLETE, DATASETS, FORMULAS, RECOGNITION, TYPES, cleaned
from fullmarks.protocols.protocol import Kind, Protocol, missing_option
from fullmarks.readers.alignment import NO_REFERENCES, OnMissing
from fullmarks.readers.predictions import RowForm
from fullmarks.readers.records import RecordForm
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, FindingKind, Total

EMPTY_GOLDS = FindingKind("empty-gold-answers", "questions with an empty gold answer")


@dataclass(frozen=True, kw_only=True)
class Ocrbench(Protocol):
    """The OCRBench evaluation."""

    name: ClassVar[str] = "ocrbench"
    title: ClassVar[str] = "OCRBench: answers that contain the right text, by type of question"
    kind: ClassVar[Kind] = "visual"
    needs_all: ClassVar[bool] = True
    gold_format: ClassVar[str] = "[{dataset_name, id, question, answers, type, ...}], with predict where that is all"
    prediction_format: ClassVar[str] = "the same rows with predict, or a list of texts in the order of the gold"
    variants: ClassVar[dict[str, str]] = {
        "script": "what the published program computes",
        "lmms-eval": "lmms-eval's: letters of full width folded, no answer an empty one, the final score by 1000",
    }
    tables: ClassVar[str] = "The rows may also be JSON lines, CSV, TSV or Parquet."
    slices: ClassVar[tuple[str, ...]] = ("type", DATASET)
    other_columns: ClassVar[tuple[str, ...]] = ("image_path", "question")
    official_names: ClassVar[dict[str, str]] = {"ocrbench_match": "Final Score"}
    gold_form: ClassVar[RecordForm] = RecordForm(
        "id",
        "answers",
        columns={name: name for name in ("type", DATASET, "image_path", "question")},
        shape='[{"dataset_name": ..., "id": ..., "answers": [...], "type": ...}]',
    )
    prediction_form: ClassVar[RowForm] = RowForm("id", TEXTS)

    on_missing: OnMissing = missing_option("zero")

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """One file of rows or two; what any answer gets right is counted."""
        rows = named_rows(gold, audit)
        pairing = self.pairing(self.read_gold, by, optional=self.slices, decisive=self.slices)
        if rows is None:
            chunks = pairing.chunks(gold, predictions, audit)
        elif predictions is None:
            chunks = iter([one_file(self.read_gold(gold.holding(rows)), rows, gold.name, audit, self.gaps)])
        else:
            chunks = pairing.chunks(gold.holding(rows), named_answers(predictions, rows), audit)
        seen = _Seen()
        for examples in chunks:
            _note_golds(examples, audit, gold.name)
            if self.variant == "lmms-eval":
                examples.unanswered = ()
            yield examples
            seen.add(examples)
        if self.variant == "script":
            seen.check()

    def metrics(self) -> tuple[OcrbenchMatch]:
        """Whether a gold answer is contained in the prediction."""
        return (OcrbenchMatch(narrow=self.variant == "lmms-eval"),)

    def breakdown(self, first: Examples) -> tuple[str, ...]:
        """The types and data sets that the rows have."""
        return tuple(column for column in self.slices if column in first.columns)

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The final score and its parts where there are 1000 rows, otherwise the share of each data set."""
        del audit
        if self.variant == "lmms-eval":
            return {"ocrbench_accuracy": tally.totals()[0].sums[0] / COMPLETE}
        return _final_score(tally) if tally.n == COMPLETE else _shares(tally)


class _Seen:
    """The rows, types and data sets that were read: what the published program needs of them."""

    def __init__(self) -> None:
        self.rows = 0
        self.types: dict[Hashable, None] = {}
        self.datasets: dict[Hashable, None] = {}

    def add(self, examples: Examples) -> None:
        """Take note of a chunk."""
        self.rows += len(examples)
        self.types.update(dict.fromkeys(examples.columns.get("type", (None,))))
        self.datasets.update(dict.fromkeys(examples.columns.get(DATASET, (None,))))

    def check(self) -> None:
        """An error where the program fails: at an unknown type, or at a data set that is unknown or absent."""
        if self.rows == COMPLETE:
            for kind in self.types:
                if kind not in TYPES:
                    problem = f"{kind!r} is none of OCRBench's types"
                    raise InputError("gold", problem, f"Expected one of {', '.join(TYPES)}.")
            return
        for name in self.datasets:
            if name not in DATASETS:
                problem = f"the dataset_name {name!r} is none of OCRBench's"
                raise InputError("gold", problem, f"Expected one of {', '.join(DATASETS)}.")
        absent = [name for name in DATASETS if name not in self.datasets]
        if absent and self.rows:
            problem = (
                f"there are {self.rows} rows and not {COMPLETE}, so the published program reports the share of each "
                f"data set, and divides by 0 where there is none: {', '.join(absent)}"
            )
            raise InputError("gold", problem, "Score all rows, or pass --variant lmms-eval.")


def _final_score(tally: Tally) -> dict[str, int]:
    found = _totals(tally, "type")
    right = {kind: round(found[kind][0].sums[0]) if kind in found else 0 for kind in TYPES}
    recognition = sum(right[kind] for kind in RECOGNITION)
    return {"Final Score": sum(right.values()), "Text Recognition": recognition, **right}


def _totals(tally: Tally, column: str) -> dict[Hashable, tuple[Total, ...]]:
    """The totals for each value of a column; where the rows do not have it, all of them are without a value."""
    return tally.by(column) if column in tally.columns else {None: tally.totals()}


def _shares(tally: Tally) -> dict[str, float]:
    found = _totals(tally, DATASET)
    return {name: found[name][0].sums[0] / found[name][0].n for name in DATASETS}


def _note_golds(examples: Examples, audit: Audit, name: str) -> None:
    """Record the questions that every answer gets right, and those that none does."""
    datasets = examples.columns.get(DATASET) or [None] * len(examples)
    empty = [
        examples.ids[at]
        for at, golds in enumerate(examples.references)
        if not all(golds)
        or any(gold[0].isspace() and not cleaned(gold, is_formula=datasets[at] == FORMULAS) for gold in golds)
    ]
    without = [examples.ids[at] for at, golds in enumerate(examples.references) if not golds]
    if empty:
        audit.add(EMPTY_GOLDS, "warning", empty, detail="an empty text is contained in every answer", where=name)
    if without:
        audit.add(NO_REFERENCES, "warning", without, detail="they count 0, as in the published program", where=name)
