"""The metric classes of REMem's question answering evaluation: same names, same calls, same numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from logging import getLogger
from typing import Any, ClassVar

from fullmarks.errors import InputError
from fullmarks.metrics.answers import ExactMatch, TokenF1, mean
from fullmarks.metrics.bleu import Bleu, SentenceBleu
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.scorer import Scorer, listed

__all__ = ["QABleu1Score", "QABleu4Score", "QABleuScore", "QAExactMatch", "QAF1Score"]

Scores = tuple[dict[str, float], list[dict[str, float]]]


class _QAMetric:
    """A metric with the published interface: pooled scores, then one dict per example.

    `global_config` is kept for those who ask for it and changes nothing.
    """

    metric_name: ClassVar[str]
    _needs_gold: ClassVar[bool] = True
    _key: str

    def __init__(self, global_config: Any = None) -> None:
        self.global_config = global_config

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

        No examples give 0.0. An example without gold answers is an error; its BLEU is 0.0. Other keywords are accepted
        for compatibility and change nothing.
        """
        del kwargs
        golds, predictions = _checked(gold_answers, predicted_answers, needs_gold=self._needs_gold)
        scorer = Scorer(self._metric(aggregation_fn or max))
        each = scorer.each(predictions=predictions, references=golds)
        return {self._key: mean(each) if each else 0.0}, [{self._key: score} for score in each]


def _checked(gold_answers: Any, predicted_answers: Any, *, needs_gold: bool) -> tuple[list[Any], list[Any]]:
    """Both as lists of the same length; an example may need a gold answer.

    Gold answers that are a text are its characters, as in the published classes, and are logged.
    """
    predictions = listed("predicted_answers", predicted_answers)
    golds = listed("gold_answers", gold_answers)
    lone = [position for position, answers in enumerate(golds) if isinstance(answers, str)]
    if lone:
        getLogger("fullmarks").warning(
            "gold_answers: %d are a text, not a list, the first at %d; each character is taken as an answer",
            len(lone),
            lone[0],
        )
    if not set(map(type, golds)) <= {list}:
        golds = [
            list(answers) if isinstance(answers, str) else listed(f"gold_answers[{position}]", answers)
            for position, answers in enumerate(golds)
        ]
    if len(golds) != len(predictions):
        raise InputError(
            "gold_answers",
            f"{len(golds)} of them for {len(predictions)} predictions",
            "Give one per prediction.",
        )
    without = [] if all(golds) else [position for position, answers in enumerate(golds) if not answers]
    if without and needs_gold:
        raise InputError(f"gold_answers[{without[0]}]", "no acceptable answer", "Give at least one.")
    if without:
        getLogger("fullmarks").warning(
            "gold_answers: %d without an acceptable answer, the first at %d; their BLEU is 0.0",
            len(without),
            without[0],
        )
    return golds, predictions


class QAExactMatch(_QAMetric):
    """1.0 where the normalised strings are equal."""

    metric_name: ClassVar[str] = "qa_exact_match"
    _key = "ExactMatch"

    def _metric(self, aggregate: Callable[[list[float]], float]) -> Metric:
        return ExactMatch("max" if aggregate is max else aggregate, both_empty=0.0)


class QAF1Score(_QAMetric):
    """Token F1 on multisets; no overlap, also of two empty sides, gives 0.0."""

    metric_name: ClassVar[str] = "qa_f1_score"
    _key = "F1"

    def _metric(self, aggregate: Callable[[list[float]], float]) -> Metric:
        return TokenF1("max" if aggregate is max else aggregate, both_empty=0.0)


class QABleuScore(_QAMetric):
    """Sentence BLEU with n-grams up to `max_order`, and corpus BLEU against the first gold answers."""

    metric_name: ClassVar[str] = "qa_bleu_score"
    _needs_gold: ClassVar[bool] = False

    def __init__(self, global_config: Any = None, max_order: int = 1) -> None:
        super().__init__(global_config)
        self.max_order = SentenceBleu(max_order).max_order
        self._key = f"BLEU-{max_order}"

    def _metric(self, aggregate: Callable[[list[float]], float]) -> Metric:
        return SentenceBleu(self.max_order, aggregate)

    def calculate_corpus_bleu(
        self, gold_answers: Sequence[Sequence[str]], predicted_answers: Sequence[str]
    ) -> dict[str, float]:
        """One BLEU for the corpus, each prediction against its first gold answer.

        No examples give 0.0, and so does an example without gold answers, for the whole corpus.
        """
        golds, predictions = _checked(gold_answers, predicted_answers, needs_gold=False)
        if not all(golds):
            return {f"Corpus_{self._key}": 0.0}
        scorer = Scorer(Bleu(self.max_order, first_reference_only=True))
        result = scorer.compute(predictions=predictions, references=golds)
        return {f"Corpus_{self._key}": result["bleu"]}


class QABleu1Score(QABleuScore):
    """Sentence BLEU with unigrams only."""

    metric_name: ClassVar[str] = "qa_bleu1_score"

    def __init__(self, global_config: Any = None) -> None:
        super().__init__(global_config, max_order=1)


class QABleu4Score(QABleuScore):
    """Sentence BLEU with n-grams up to four."""

    metric_name: ClassVar[str] = "qa_bleu4_score"

    def __init__(self, global_config: Any = None) -> None:
        super().__init__(global_config, max_order=4)
