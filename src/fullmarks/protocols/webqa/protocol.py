"""WebQA: keyword accuracy, BARTScore fluency and their product, overall and by category of question."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, get_args

from msgspec.structs import replace

from fullmarks.errors import UsageError
from fullmarks.metrics.answers import pairwise_mean
from fullmarks.metrics.bart_score import BartScore
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.protocol import Kind, Protocol, option
from fullmarks.protocols.webqa.metric import AccApprox, WebqaAccuracy
from fullmarks.protocols.webqa.pairing import WebqaInput
from fullmarks.protocols.webqa.product import WebqaScores
from fullmarks.protocols.webqa.retrieval import KNOWN, SOURCES, RetrievalF1
from fullmarks.protocols.webqa.rules import CATEGORIES
from fullmarks.readers.predictions import OnDuplicate
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Example, Examples, Explanation, FindingKind

PARTS = ("accuracy", "fluency")
EACH = "each"
OFFICIAL = {
    "f1": "F1_avg",
    "recall": "RE_avg",
    "precision": "PR_avg",
    "exact_match": "EM",
    "fluency": "fluency_avg",
    "acc": "acc_avg",
    "acc_approx": "acc_approx",
    "mul": "mul_avg",
    "retrieval_f1": "retrieval_F1",
    "retrieval_recall": "retrieval_RE",
    "retrieval_precision": "retrieval_PR",
}
"""The published name of every score, in the published order."""
NO_FLUENCY = FindingKind("no-fluency", "answers whose fluency was not asked for")


@dataclass(frozen=True, kw_only=True)
class Webqa(Protocol):
    """The WebQA evaluation."""

    name: ClassVar[str] = "webqa"
    title: ClassVar[str] = "WebQA: keyword accuracy, BARTScore fluency, their product"
    kind: ClassVar[Kind] = "visual"
    gold_format: ClassVar[str] = "TSV with Guid, Qcate, A, Keywords_A (and Output), or JSON of questions"
    prediction_format: ClassVar[str] = '{guid: {"sources": [...], "answer": "..."}}; none where gold has Output'
    reads_logs: ClassVar[bool] = False
    slices: ClassVar[tuple[str, ...]] = ("category",)
    other_columns: ClassVar[tuple[str, ...]] = ("question", "keywords")
    official_names: ClassVar[dict[str, str]] = OFFICIAL
    needs: ClassVar[str] = "webqa"
    needs_more: ClassVar[str] = "for fluency: pip install 'fullmarks[webqa,fluency]'"
    tables: ClassVar[str] = (
        "The table may also be CSV, JSON lines or Parquet; --columns role=column names its columns, the roles being "
        "id, category, question, references, keywords, candidates and sources."
    )

    measures: str = option(
        "accuracy", "What to score: accuracy, fluency (needs torch) or accuracy,fluency.", flags=("--metrics",)
    )
    categories: str | None = option(None, "Score only these categories, as color,shape.")
    on_duplicate: Any = option(
        "error",
        "What to do about a repeated Guid; each row of one table counts in the published program.",
        choices=(*get_args(OnDuplicate), EACH),
    )
    output_idx: int = option(
        0,
        "Which of the candidates in Output to score, from 0; -1 is the last.",
        flags=("--output-idx", "--output_idx"),
        kind=int,
    )
    approx: bool = option(False, "Compare with the right answers instead of keywords.", kind=bool)
    norm: bool = option(True, "Divide fluency by that of the reference itself.", kind=bool)
    spacy_model: str = option(WebqaAccuracy.spacy_model, "The spaCy model that lemmatises: its name or folder.")
    bart_model: str = option(BartScore.model, "The seq2seq model that judges fluency: its name or folder.")
    bart_weights: str | None = option(None, "A state file to load on top, such as the ParaBank weights.", kind=Path)
    device: str | None = option(None, "Where the seq2seq model runs: cpu, cuda, cuda:1, mps.")
    batch_size: int = option(16, "How many pairs the seq2seq model reads at once.", kind=int)

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_names("metrics", _names(self.measures), PARTS)
        _check_names("categories", _names(self.categories), CATEGORIES)
        if self.categories is not None and not _names(self.categories):
            raise UsageError(f"categories must name at least one of {', '.join(CATEGORIES)}")
        if not _names(self.measures):
            raise UsageError(f"metrics must name at least one of {', '.join(PARTS)}")
        if not self.norm and not self._has("fluency"):
            raise UsageError("--no-norm changes fluency, which is not asked for. Add --metrics accuracy,fluency")
        if self.approx and not self._has("accuracy"):
            raise UsageError("--approx changes accuracy, which is not asked for. Add --metrics accuracy,fluency")

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """One table with outputs, or questions and a submission."""
        rules = WebqaInput(
            needs_keywords=self._has("accuracy") and not self.approx,
            needs_references=self._has("fluency") or self.approx,
            output_idx=self.output_idx,
            categories=_names(self.categories),
            renamed=self.columns,
            gaps=replace(self.gaps, on_duplicate="error") if self.on_duplicate == EACH else self.gaps,
            each_row=self.on_duplicate == EACH,
        )
        examples = rules.read(gold, predictions, audit, by)
        if not self._has("fluency"):
            detail = "--metrics accuracy,fluency scores it too"
            audit.add(NO_FLUENCY, "note", count=len(examples), detail=detail)
        yield examples

    def metrics(self) -> tuple[WebqaScores]:
        """The parts that were asked for."""
        accuracy = (AccApprox if self.approx else WebqaAccuracy)(self.spacy_model)
        fluency = BartScore(
            self.bart_model,
            self.bart_weights,
            exp=True,
            normalise=self.norm,
            cap=1.0,
            strip_marks=True,
            device=self.device,
            batch_size=self.batch_size,
        )
        return (
            WebqaScores(
                accuracy if self._has("accuracy") else None,
                fluency if self._has("fluency") else None,
            ),
        )

    def metrics_for(self, examples: Examples) -> tuple[Metric, ...]:
        """With the sources where both sides name them."""
        is_known = SOURCES in examples.parts and any(right is not None for right in examples.facts[SOURCES])
        return (*self.metrics(), RetrievalF1()) if is_known else self.metrics()

    def breakdown(self, first: Examples) -> tuple[str, ...]:
        """The categories."""
        del first
        return ("category",)

    def keeps_rows(self, first: Examples) -> bool:
        """The published means are not running sums, so every row is needed."""
        del first
        return True

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The published means and n: overall, then for each category that occurs."""
        del audit
        categories = tally.examples.columns["category"]
        result: dict[str, Any] = _means(tally, range(tally.n))
        for category in CATEGORIES:
            where = [position for position, found in enumerate(categories) if found == category]
            if where:
                result[category] = _means(tally, where)
        return result

    def explain(self, example: Example) -> Explanation:
        """Normal forms, tokens, overlap, the parts of fluency, and the sources where both sides have them."""
        explanation = self.metrics()[0].explain(example)
        if example.parts.get(SOURCES) is None or example.facts.get(SOURCES) is None:
            return explanation
        retrieval = RetrievalF1().explain(example)
        scores = {**explanation.scores, **retrieval.scores}
        return Explanation(example.id, scores, explanation.facts, {**explanation.tables, **retrieval.tables})

    def signature(self) -> dict[str, str]:
        """The parts, the models by version and content, and the rules that change the number."""
        scores = self.metrics()[0]
        facts = {"metrics": "+".join(_names(self.measures)), "output": str(self.output_idx)}
        if self.categories:
            facts["categories"] = "+".join(_names(self.categories))
        if scores.accuracy is not None:
            facts.update(form="approx" if self.approx else "keywords", lemmas=scores.accuracy.lemmatiser_name)
        if scores.fluency is not None:
            facts.update(fluency=scores.fluency.model_identity, norm="yes" if self.norm else "no")
        return {**facts, **super().signature()}

    def _has(self, part: str) -> bool:
        return part in _names(self.measures)


def _means(tally: Tally, where: Sequence[int]) -> dict[str, Any]:
    """The published means over the questions at these positions; of sources over those whose right ones are known."""
    means: dict[str, Any] = {}
    for metric, rows in zip(tally.metrics, tally.rows, strict=True):
        columns, width = metric.columns, len(metric.columns)
        counted = where
        if KNOWN in columns:
            known = rows[columns.index(KNOWN) :: width]
            counted = [position for position in where if known[position]]
        for name, key in OFFICIAL.items():
            if name in columns and counted:
                values = rows[columns.index(name) :: width]
                means[key] = pairwise_mean(array("d", [values[position] for position in counted]))
    return {**means, "n": len(where)}


def _names(listed: str | Sequence[str] | None) -> tuple[str, ...]:
    """The names in a list written with commas, or given as a list."""
    parts = listed.split(",") if isinstance(listed, str) else listed or ()
    return tuple(dict.fromkeys(name.strip() for name in parts if name.strip()))


def _check_names(role: str, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise UsageError(f"{role}: there is no '{name}'. Known: {', '.join(known)}")
