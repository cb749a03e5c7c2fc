"""SQuAD 2.0 of Hugging Face's dictionaries."""

from __future__ import annotations

from typing import Any, ClassVar

from fullmarks.frozen import frozen
from fullmarks.metrics.scorer import listed
from fullmarks.metrics.set_metric import SetMetric
from fullmarks.metrics.squad import NO_ANSWER
from fullmarks.protocols.squad2.protocol import ORDER, Squad2
from fullmarks.protocols.squad_dictionaries import REFERENCE, matched, probabilities, published


@frozen
class SquadV2(SetMetric):
    """What the published program of SQuAD 2.0 gives, from 0 to 100, for Hugging Face's dictionaries.

    The best thresholds are there where predictions have a `no_answer_probability`, which is kept in single precision.
    Source: SQuAD 2.0; the dictionaries are those of `squad_v2` in Hugging Face `evaluate`.
    """

    name: ClassVar[str] = "squad_v2"
    summary: ClassVar[str] = "SQuAD 2.0's result for Hugging Face's dictionaries"
    citation: ClassVar[str] = (
        "Rajpurkar, Jia, Liang: Know What You Don't Know: Unanswerable Questions for SQuAD, ACL 2018"
    )
    features: ClassVar[dict[str, str]] = {
        "predictions": '{"id": ..., "prediction_text": ..., "no_answer_probability": ...}',
        "references": REFERENCE,
    }

    no_answer_threshold: float = 1.0

    def measure(self, predictions: Any, references: Any) -> dict[str, float]:
        """The published script's result."""
        rows = listed("predictions", predictions)
        examples, places = matched(rows, listed("references", references))
        examples.columns["has_answer"] = list(map(bool, examples.references))
        if given := probabilities(rows):
            examples.columns[NO_ANSWER] = [given[place] for place in places]
            examples.parts[ORDER] = places
        return published(Squad2(na_prob_thresh=self.no_answer_threshold), examples)
