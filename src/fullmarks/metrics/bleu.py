"""BLEU as Hugging Face `evaluate` computes it: 13a tokens, clipped counts, the shortest reference, no smoothing."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.metrics.answers import Aggregate, aggregate_function
from fullmarks.metrics.metric import Metric, only
from fullmarks.options import limited
from fullmarks.text.bleu import bleu_from_statistics, tokenize_13a
from fullmarks.text.kernel import bleu_rows
from fullmarks.types import Example, Examples, Explanation, Total

_HIGHEST_ORDER = 16


@dataclass(frozen=True)
class Bleu(Metric):
    """One BLEU for the whole corpus, from the sums of matches, totals and lengths."""

    name: ClassVar[str] = "bleu"
    summary: ClassVar[str] = "corpus BLEU (13a tokens, no smoothing)"
    citation: ClassVar[str] = (
        "Papineni et al.: BLEU: a Method for Automatic Evaluation of Machine Translation, ACL 2002"
    )
    is_mean: ClassVar[bool] = False

    max_order: int = limited(4, least=1, most=_HIGHEST_ORDER)
    first_reference_only: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """Matches and totals by order, then the two lengths."""
        orders = range(1, self.max_order + 1)
        counts = [f"{kind}_{order}" for kind in ("matches", "totals") for order in orders]
        return (*counts, "prediction_length", "reference_length")

    @property
    def scores(self) -> tuple[str, ...]:
        """BLEU alone; `published` has the parts."""
        return ("bleu",)

    def rows(self, examples: Examples) -> array[float]:
        """The counts of every example."""
        references = examples.references
        if self.first_reference_only:
            references = [texts[:1] for texts in references]
        return bleu_rows(examples.predictions, references, max_order=self.max_order)

    def unanswered_row(self, row: array[float]) -> array[float]:
        """The counts of an empty answer: its reference counts for the brevity penalty."""
        return only(("reference_length",), self.columns, row)

    def finish(self, total: Total) -> dict[str, float]:
        """BLEU of the summed counts; no examples give 0.0."""
        return {"bleu": bleu_from_statistics(total.sums, self.max_order)["bleu"]}

    def published(self, total: Total, slices: dict[str, dict[Any, Total]]) -> dict[str, Any]:
        """BLEU with precisions, brevity penalty and lengths."""
        return {**bleu_from_statistics(total.sums, self.max_order), **super().published(total, slices)}

    def explain(self, example: Example) -> Explanation:
        """Tokens, n-gram precisions and brevity penalty: against all references together, then for every one."""
        told = _explain_bleu(self, example, self.max_order)
        counts = self.rows(example.alone())
        parts = bleu_from_statistics(counts, self.max_order)
        together = {name: parts[name] for name in ("precisions", "brevity_penalty")}
        return Explanation(told.id, told.scores, {**told.facts, **together}, told.tables)


@dataclass(frozen=True)
class SentenceBleu(Metric):
    """BLEU of each answer against each of its references alone, put together by `aggregate`, then averaged."""

    name: ClassVar[str] = "sentence_bleu"
    summary: ClassVar[str] = "mean of sentence BLEU, best reference by default"
    citation: ClassVar[str] = (
        "Papineni et al.: BLEU: a Method for Automatic Evaluation of Machine Translation, ACL 2002"
    )

    max_order: int = limited(4, least=1, most=_HIGHEST_ORDER)
    aggregate: Aggregate = "max"

    def __post_init__(self) -> None:
        super().__post_init__()
        aggregate_function(self.aggregate)

    @property
    def columns(self) -> tuple[str, ...]:
        """The sentence's score."""
        return (f"bleu_{self.max_order}",)

    def rows(self, examples: Examples) -> array[float]:
        """The score of every example; one without references scores 0."""
        combine = aggregate_function(self.aggregate)
        width = 2 * self.max_order + 2
        scores = iter(self._pair_scores(examples, width))
        rows = array("d")
        for references in examples.references:
            each = [next(scores) for _ in references]
            rows.append(float(combine(each)) if each else 0.0)
        return rows

    def _pair_scores(self, examples: Examples, width: int) -> list[float]:
        pairs = [
            (prediction, [reference])
            for prediction, references in zip(examples.predictions, examples.references, strict=True)
            for reference in references
        ]
        counts = bleu_rows([pair[0] for pair in pairs], [pair[1] for pair in pairs], max_order=self.max_order)
        longest = counts[self.max_order - 1 :: width]  # without a match of the highest order the product is 0
        return [
            self.score(counts[width * pair : width * (pair + 1)]) if matches else 0.0
            for pair, matches in enumerate(longest)
        ]

    def score(self, statistics: Sequence[float]) -> float:
        """The BLEU of one pair."""
        return bleu_from_statistics(statistics, self.max_order)["bleu"]

    def explain(self, example: Example) -> Explanation:
        """Tokens, n-gram precisions, brevity penalty, for every reference."""
        return _explain_bleu(self, example, self.max_order)


def _explain_bleu(metric: Metric, example: Example, max_order: int) -> Explanation:
    table = []
    for reference in example.references:
        counts = bleu_rows([example.prediction], [[reference]], max_order=max_order)
        parts = bleu_from_statistics(counts, max_order)
        table.append(
            {
                "reference": reference,
                "tokens": tokenize_13a(reference),
                "precisions": parts["precisions"],
                "brevity_penalty": parts["brevity_penalty"],
                "bleu": parts["bleu"],
            }
        )
    facts = {"prediction": example.prediction, "tokens": tokenize_13a(example.prediction)}
    return Explanation(example.id, Metric.explain(metric, example).scores, facts, {"references": table})
