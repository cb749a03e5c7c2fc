"""The metric classes of REMem's question answering evaluation: same names, same calls, same numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from fullmarks.errors import InputError
from fullmarks.metrics.answers import ExactMatch, TokenF1, mean
from fullmarks.metrics.bleu import Bleu, SentenceBleu
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.scorer import Scorer

__all__ = ["QABleu1Score", "QABleu4Score", "QAExactMatch", "QAF1Score"]

Scores = tuple[dict[str, float], list[dict[str, float]]]


class _QAMetric:
    """A metric with the published interface: pooled scores, then one dict per example."""

    metric_name: ClassVar[str]
    _key: ClassVar[str]

    def _metric(self, aggregate: Callable[[list[float]], float]) -> Metric:
        raise NotImplementedError

    def calculate_metric_scores(
        self,
        gold_answers: Sequence[Sequence[str]],
        predicted_answers: Sequence[str],
        aggregation_fn: Callable[[list[float]], Any] | None = None,
        **kwargs: Any,
    ) -> Scores:
        """The mean score, and every example's; `aggregation_fn` (default: max) combines an example's gold answers.

        No examples give 0.0. Other keywords are accepted for compatibility and change nothing.
        """
        del kwargs
        _check(gold_answers, predicted_answers)
        scorer = Scorer(self._metric(aggregation_fn or max))
        each = scorer.each(predictions=predicted_answers, references=gold_answers)
        return {self._key: mean(each) if each else 0.0}, [{self._key: score} for score in each]


def _check(gold_answers: Sequence[Sequence[str]], predicted_answers: Sequence[str]) -> None:
    if len(gold_answers) != len(predicted_answers):
        raise InputError(
            "gold_answers",
            f"{len(gold_answers)} of them for {len(predicted_answers)} predictions",
            "Give one per prediction.",
        )
    for position, answers in enumerate(gold_answers):
        if not answers:
            raise InputError(f"gold_answers[{position}]", "no acceptable answer", "Give at least one.")


class QAExactMatch(_QAMetric):
    """1.0 where the normalised strings are equal."""

    metric_name: ClassVar[str] = "qa_exact_match"
    _key: ClassVar[str] = "ExactMatch"

    def _metric(self, aggregate: Callable[[list[float]], float]) -> Metric:
        return ExactMatch("max" if aggregate is max else aggregate, both_empty=0.0)


class QAF1Score(_QAMetric):
    """Token F1 on multisets; no overlap, also of two empty sides, gives 0.0."""

    metric_name: ClassVar[str] = "qa_f1_score"
    _key: ClassVar[str] = "F1"

    def _metric(self, aggregate: Callable[[list[float]], float]) -> Metric:
        return TokenF1("max" if aggregate is max else aggregate, both_empty=0.0)


class _QABleuScore(_QAMetric):
    """Sentence BLEU up to one order, and corpus BLEU against the first gold answers."""

    _max_order: ClassVar[int]

    def _metric(self, aggregate: Callable[[list[float]], float]) -> Metric:
        return SentenceBleu(self._max_order, aggregate)

    def calculate_corpus_bleu(
        self, gold_answers: Sequence[Sequence[str]], predicted_answers: Sequence[str]
    ) -> dict[str, float]:
        """One BLEU for the corpus, each prediction against its first gold answer; no examples give 0.0."""
        _check(gold_answers, predicted_answers)
        scorer = Scorer(Bleu(self._max_order, first_reference_only=True))
        result = scorer.compute(predictions=predicted_answers, references=gold_answers)
        return {f"Corpus_{self._key}": result["bleu"]}


class QABleu1Score(_QABleuScore):
    """Sentence BLEU with unigrams only."""

    metric_name: ClassVar[str] = "qa_bleu1_score"
    _key: ClassVar[str] = "BLEU-1"
    _max_order: ClassVar[int] = 1


class QABleu4Score(_QABleuScore):
    """Sentence BLEU with n-grams up to four."""

    metric_name: ClassVar[str] = "qa_bleu4_score"
    _key: ClassVar[str] = "BLEU-4"
    _max_order: ClassVar[int] = 4
