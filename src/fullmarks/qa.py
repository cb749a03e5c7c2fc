"""The metric classes of REMem's question answering evaluation: same names, same calls, same numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from fullmarks.errors import InputError
from fullmarks.metrics.answers import ExactMatch, TokenF1, mean
from fullmarks.metrics.bleu import Bleu, SentenceBleu
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.scorer import Scorer, listed

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
        golds, predictions = _checked(gold_answers, predicted_answers)
        scorer = Scorer(self._metric(aggregation_fn or max))
        each = scorer.each(predictions=predictions, references=golds)
        return {self._key: mean(each) if each else 0.0}, [{self._key: score} for score in each]


def _checked(gold_answers: Any, predicted_answers: Any) -> tuple[list[Any], list[Any]]:
    """Both as lists of the same length, every example with a gold answer; one text stands for a list of one."""
    predictions = listed("predicted_answers", predicted_answers)
    golds = [
        answers if isinstance(answers, str) else listed(f"gold_answers[{position}]", answers)
        for position, answers in enumerate(listed("gold_answers", gold_answers))
    ]
    if len(golds) != len(predictions):
        raise InputError(
            "gold_answers",
            f"{len(golds)} of them for {len(predictions)} predictions",
            "Give one per prediction.",
        )
    for position, answers in enumerate(golds):
        if not answers:
            raise InputError(f"gold_answers[{position}]", "no acceptable answer", "Give at least one.")
    return golds, predictions


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
        golds, predictions = _checked(gold_answers, predicted_answers)
        scorer = Scorer(Bleu(self._max_order, first_reference_only=True))
        result = scorer.compute(predictions=predictions, references=golds)
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
