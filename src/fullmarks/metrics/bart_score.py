"""BARTScore: how probable an answer is to a sequence-to-sequence model that has read the reference.

Invariant: the network is opened once per process for each model, outside of the metric, which stays a plain value that
can be hashed and sent to other processes.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

from fullmarks.backends.bart import DEFAULT_MODEL, SequenceScorer, score_pairs
from fullmarks.backends.batches import Model, Opener, opened
from fullmarks.backends.progress import reporter
from fullmarks.errors import InputError, UsageError
from fullmarks.metrics.metric import Metric
from fullmarks.options import limited
from fullmarks.text.punctuation import without_marks
from fullmarks.types import Example, Examples, Explanation

Direction = Literal["reference-to-prediction", "prediction-to-reference"]

_RUN_OPTIONS = ("device", "batch_size")
"""The options that say how to compute, never what."""


@dataclass(frozen=True)
class BartScore(Metric):
    """Mean log-probability of the target's tokens given the source, the highest over the references.

    `exp` makes a probability of it; `normalise` divides that by the reference's own (reference given reference);
    `cap` cuts it off; `strip_marks` deletes ASCII punctuation first. An answer without references is an error.
    Source: Yuan et al. 2021; with all four options, the fluency of WebQA.
    """

    name: ClassVar[str] = "bart_score"
    summary: ClassVar[str] = "BARTScore: mean log-probability of an answer given the reference under a seq2seq model"
    citation: ClassVar[str] = "Yuan, Neubig, Liu: BARTScore: Evaluating Generated Text as Text Generation, NeurIPS 2021"
    needs: ClassVar[str] = "fluency"

    model: str = DEFAULT_MODEL
    weights: str | None = None
    direction: Direction = limited("reference-to-prediction", choices=get_args(Direction))
    exp: bool = False
    normalise: bool = False
    cap: float | None = None
    strip_marks: bool = False
    device: str | None = None
    batch_size: int = limited(16, least=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.normalise and not self.exp:
            raise UsageError("normalise divides probabilities: pass exp=True with it")

    @property
    def columns(self) -> tuple[str, ...]:
        """The score."""
        return (self.name,)

    @property
    def model_identity(self) -> str:
        """The model and its weights by content; loads them."""
        return self._opened().identity

    def rows(self, examples: Examples) -> array[float]:
        """The score of every example."""
        return array("d", self.values(examples.predictions, examples.references, examples.ids))

    def values(
        self, predictions: Sequence[str], references: Sequence[Sequence[str]], ids: Sequence[Any]
    ) -> list[float]:
        """The highest score of every prediction over its references, all pairs computed in one go."""
        for identifier, golds in zip(ids, references, strict=True):
            if not golds:
                raise InputError(f"example {identifier!r}", "has no reference to be scored against", "Add one")
        pairs = [self._pair(text, gold) for text, golds in zip(predictions, references, strict=True) for gold in golds]
        scores = iter(self._pair_scores(pairs))
        return [max(next(scores) for _ in golds) for golds in references]

    def explain(self, example: Example) -> Explanation:
        """The log-probabilities and what becomes of them, for every reference."""
        table = self.steps(example.prediction, example.references)
        facts = {"prediction": example.prediction, "model": self.model_identity}
        return Explanation(example.id, super().explain(example).scores, facts, {"references": table})

    def steps(self, prediction: str, references: Sequence[str]) -> list[dict[str, Any]]:
        """One row for every reference."""
        pairs = [self._pair(prediction, gold) for gold in references]
        given = self._log_probabilities(pairs)
        own = self._log_probabilities([self._own(pair) for pair in pairs]) if self.normalise else [0.0] * len(pairs)
        table = []
        for reference, pair, value, norm in zip(references, pairs, given, own, strict=True):
            row: dict[str, Any] = {"reference": reference, "source": pair[0], "target": pair[1]}
            row["log-probability"] = value
            if self.normalise:
                row["normaliser"] = norm
            table.append({**row, "score": self._finished(value, norm)})
        return table

    @property
    def runs_models(self) -> bool:
        """It does."""
        return True

    def signature_parts(self) -> dict[str, str]:
        """The model by content, then the options that change the number."""
        options = {
            name: value for name, value in super().signature_parts().items() if name not in ("weights", *_RUN_OPTIONS)
        }
        return {**options, "model": self.model_identity}

    def _pair(self, prediction: str, reference: str) -> tuple[str, str]:
        """Source and target, as the model reads them."""
        if self.strip_marks:
            prediction, reference = without_marks(prediction), without_marks(reference)
        return (reference, prediction) if self.direction == "reference-to-prediction" else (prediction, reference)

    def _own(self, pair: tuple[str, str]) -> tuple[str, str]:
        """The pair of the reference with itself."""
        reference = pair[0] if self.direction == "reference-to-prediction" else pair[1]
        return reference, reference

    def _pair_scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        if not self.normalise:
            return [self._finished(value) for value in self._log_probabilities(pairs)]
        both = self._log_probabilities([*pairs, *map(self._own, pairs)])
        return [self._finished(value, own) for value, own in zip(both[: len(pairs)], both[len(pairs) :], strict=True)]

    def _log_probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        return score_pairs(self._opened(), pairs, batch_size=self.batch_size, progress=reporter("bart_score"))

    def _opened(self) -> Model:
        return opened(Opener(SequenceScorer, (self.model, self.weights), self.device))

    def _finished(self, value: float, own: float = 0.0) -> float:
        score = math.exp(value) / math.exp(own) if self.exp else value
        return score if self.cap is None else min(self.cap, score)
