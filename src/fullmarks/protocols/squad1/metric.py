"""SQuAD 1.1 of Hugging Face's dictionaries."""

from __future__ import annotations

from typing import Any, ClassVar

from fullmarks.errors import InputError
from fullmarks.frozen import frozen
from fullmarks.metrics.scorer import listed
from fullmarks.metrics.set_metric import SetMetric
from fullmarks.protocols.squad1.protocol import Squad1
from fullmarks.protocols.squad_dictionaries import PREDICTION, REFERENCE, matched, published


@frozen
class SquadV1(SetMetric):
    """What the published program of SQuAD 1.1 gives, from 0 to 100, for Hugging Face's dictionaries.

    Source: SQuAD 1.1; the dictionaries are those of `squad` in Hugging Face `evaluate`.
    """

    name: ClassVar[str] = "squad_v1"
    summary: ClassVar[str] = "SQuAD 1.1's result for Hugging Face's dictionaries"
    citation: ClassVar[str] = (
        "Rajpurkar et al.: SQuAD: 100,000+ Questions for Machine Comprehension of Text, EMNLP 2016"
    )
    features: ClassVar[dict[str, str]] = {"predictions": PREDICTION, "references": REFERENCE}

    def measure(self, predictions: Any, references: Any) -> dict[str, float]:
        """Exact match and F1; an error for a question without an answer, which 1.1 does not know."""
        rows = listed("predictions", predictions)
        examples, _ = matched(rows, listed("references", references))
        if [] in examples.references:
            where = f"references[{examples.references.index([])}]"
            raise InputError(where, "this question has no answer, which SQuAD 1.1 does not know", "Load 'squad_v2'.")
        return published(Squad1(), examples)
