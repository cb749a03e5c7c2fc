"""Exact match and token F1 of SQuAD, computed in one pass because the text is normalised once for both."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from fullmarks.checks import is_kind
from fullmarks.errors import InputError
from fullmarks.frozen import frozen
from fullmarks.metrics.metric import Metric
from fullmarks.text.kernel import squad_rows
from fullmarks.text.squad import tokens
from fullmarks.types import Example, Examples, Explanation

if TYPE_CHECKING:
    from fullmarks.text.squad_rule import Rule

NO_ANSWER = "no_answer_probability"
"""The column with the probability that a question has no answer."""


@frozen
class SquadScores(Metric):
    """Exact match and F1, each the best over the references.

    Where the no-answer probability of an example is greater than the threshold, the prediction counts as "no answer";
    without probabilities each is 0.0, so that only a threshold below 0 acts, and on all of them.
    Source: SQuAD 1.1 and 2.0.
    """

    name: ClassVar[str] = "squad"
    summary: ClassVar[str] = "exact match and token F1 together, as SQuAD computes them"
    citation: ClassVar[str] = (
        "Rajpurkar et al.: SQuAD: 100,000+ Questions for Machine Comprehension of Text, EMNLP 2016; "
        "Rajpurkar, Jia, Liang: Know What You Don't Know: Unanswerable Questions for SQuAD, ACL 2018"
    )
    features: ClassVar[dict[str, str]] = {**Metric.features, NO_ANSWER: "number, may be left out"}
    takes_dictionaries: ClassVar[bool] = True

    both_empty: float = 1.0
    drop_empty_references: bool = True
    threshold: float = 1.0

    @property
    def columns(self) -> tuple[str, ...]:
        """Exact match and F1."""
        return ("exact", "f1")

    def raw_rows(self, examples: Examples) -> array[float]:
        """Exact and F1 for every example, whatever its no-answer probability."""
        return squad_rows(
            examples.predictions,
            examples.references,
            both_empty=self.both_empty,
            drop_empty_references=self.drop_empty_references,
        )

    def rows(self, examples: Examples) -> array[float]:
        """Exact and F1 for every example, the threshold applied."""
        probabilities = examples.columns.get(NO_ANSWER, ())
        _check_probabilities(probabilities)
        rows = self.raw_rows(examples)
        if NO_ANSWER not in examples.columns and self.threshold < 0:
            probabilities = [0.0] * len(examples)
        for position, probability in enumerate(probabilities):
            if probability > self.threshold:
                score = 0.0 if examples.references[position] else 1.0
                rows[2 * position] = rows[2 * position + 1] = score
        return rows

    def integers(self, examples: Examples) -> list[int]:
        """The positions of the examples whose F1 is of type int in the published script: those without a token.

        Only `sum` on Python 3.12 or later tells it from a float. Where the threshold decides, it is a float.
        """
        probabilities = examples.columns.get(NO_ANSWER) or [0.0] * len(examples)
        pairs = zip(examples.predictions, probabilities, strict=True)
        return [
            position
            for position, (prediction, probability) in enumerate(pairs)
            if probability <= self.threshold and not tokens(prediction)
        ]

    def explain(self, example: Example) -> Explanation:
        """The normalised prediction, and its overlap with every reference that counts."""
        from fullmarks.metrics.overlap_explanation import reference_table
        from fullmarks.text.squad_rule import judge, judge_silence

        judged = judge(example.prediction, example.references, self._rule())
        scores = judged.exact, judged.f1
        facts: dict[str, Any] = {
            "prediction": example.prediction,
            "normalised": judged.normal,
            "tokens": judged.tokens,
        }
        if judged.dropped:
            facts["dropped references"] = judged.dropped
        if not example.references:
            facts["has answer"] = False
        probability = example.columns.get(NO_ANSWER)
        _check_probabilities([probability] if NO_ANSWER in example.columns else [])
        if probability is not None or self.threshold < 0:
            given = "0.0, for none is given" if probability is None else str(probability)
            is_silent = (probability or 0.0) > self.threshold
            if is_silent:
                scores = (judge_silence(example.references),) * 2
            verdict = "greater: counts as no answer" if is_silent else "not greater"
            facts["no-answer probability"] = f"{given} (threshold {self.threshold}: {verdict})"
        if judged.best is not None:
            facts["best reference"] = judged.best.reference
        named = dict(zip(self.scores, scores, strict=True))
        return Explanation(example.id, named, facts, {"references": reference_table(judged)})

    def _rule(self) -> Rule:
        """The rule that an explanation states."""
        from fullmarks.text.squad_rule import Rule

        return Rule(both_empty=self.both_empty, drop_empty_references=self.drop_empty_references)


def _check_probabilities(values: Sequence[Any]) -> None:
    if set(map(type, values)) <= {float} and math.isfinite(sum(values)):  # one that is not would make the sum so
        return
    for position, value in enumerate(values):
        if not is_kind(value, float) or not -math.inf < value < math.inf:
            found = f"expected a finite number, found {value!r}"
            raise InputError(f"{NO_ANSWER}[{position}]", found, "Give every example its probability.")
