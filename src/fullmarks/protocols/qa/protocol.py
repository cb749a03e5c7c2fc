"""Generic question answering: exact match, F1, BLEU-1, BLEU-4 and corpus BLEU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from fullmarks.metrics.answers import AGGREGATES, Aggregate, ExactMatch, TokenF1, aggregate_function
from fullmarks.metrics.bleu import Bleu, SentenceBleu
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.protocol import Kind, Protocol, option
from fullmarks.protocols.qa.files import read_gold_answers
from fullmarks.readers.alignment import NO_REFERENCES, note_without_references
from fullmarks.readers.pairing import Pairing
from fullmarks.readers.predictions import RowForm
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Example, Examples, Explanation, FindingKind

if TYPE_CHECKING:
    from fullmarks.protocols.other_rule import OtherRule

_KEYS = {
    "exact_match": "ExactMatch",
    "token_f1": "F1",
    "bleu_1": "BLEU-1",
    "bleu_4": "BLEU-4",
    "corpus_bleu_1": "Corpus_BLEU-1",
    "corpus_bleu_4": "Corpus_BLEU-4",
}


@dataclass(frozen=True)
class _CorpusBleu(Bleu):
    """Corpus BLEU under a name that tells its order."""

    @property
    def scores(self) -> tuple[str, ...]:
        return (f"corpus_bleu_{self.max_order}",)

    def finish(self, total: Any) -> dict[str, float]:
        return {self.scores[0]: super().finish(total)["bleu"]}


@dataclass(frozen=True, kw_only=True)
class Qa(Protocol):
    """The generic metrics, 0-1."""

    name: ClassVar[str] = "qa"
    title: ClassVar[str] = "Generic QA: exact match, F1, BLEU-1, BLEU-4, corpus BLEU"
    kind: ClassVar[Kind] = "generic"
    gold_format: ClassVar[str] = "lists of acceptable answers, by position or id"
    prediction_format: ClassVar[str] = "a list of texts, {id: text}, or rows"
    official_names: ClassVar[dict[str, str]] = _KEYS
    prediction_form: ClassVar[RowForm] = RowForm(positional=True)
    notes: ClassVar[tuple[FindingKind, ...]] = (NO_REFERENCES,)

    aggregate: Aggregate = option(
        "max", "How the scores against several gold answers become one.", choices=tuple(AGGREGATES), or_function=True
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        aggregate_function(self.aggregate)

    def paired(self, by: tuple[str, ...], audit: Audit) -> Pairing:
        """Lists, mappings or tables."""
        return self.pairing(lambda source: read_gold_answers(source, audit), by, optional=("question",))

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """Lists, mappings or tables."""
        for examples in self.paired(by, audit).chunks(gold, predictions, audit):
            note_without_references(examples, audit, gold.name)
            yield examples

    def metrics(self) -> tuple[Metric, ...]:
        """The six metrics in the order of the result."""
        return (
            ExactMatch(self.aggregate, both_empty=0.0),
            TokenF1(self.aggregate, both_empty=0.0),
            SentenceBleu(1, self.aggregate),
            SentenceBleu(4, self.aggregate),
            _CorpusBleu(1, first_reference_only=True),
            _CorpusBleu(4, first_reference_only=True),
        )

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The six numbers under their published names."""
        del audit
        finished = (metric.finish(total) for metric, total in zip(tally.metrics, tally.totals(), strict=True))
        return {_KEYS[name]: number for scores in finished for name, number in scores.items()}

    def explain(self, example: Example) -> Explanation:
        """Token overlap and n-gram precisions against every gold answer."""
        scores: dict[str, float] = {}
        for metric in self.metrics():
            scores.update(metric.explain(example).scores)
        overlap = TokenF1(self.aggregate, both_empty=0.0).explain(example)
        bleu = SentenceBleu(4, self.aggregate).explain(example)
        tables = {"references": overlap.tables["references"], "bleu": bleu.tables["references"]}
        return Explanation(example.id, scores, {**overlap.facts, "BLEU tokens": bleu.facts["tokens"]}, tables)

    def other_rules(self) -> Sequence[OtherRule]:
        """What other tools do."""
        from fullmarks.protocols.qa.other_rules import other_rules

        return other_rules(self.metrics())

    def signature(self) -> dict[str, str]:
        """Normaliser, tokeniser, the way of combining gold answers and the rule for missing predictions."""
        name = self.aggregate
        if not isinstance(name, str):
            name = f"function:{getattr(name, '__name__', type(name).__name__)}"
        return {"norm": "squad", "tok": "13a", "aggregate": name, **super().signature()}
