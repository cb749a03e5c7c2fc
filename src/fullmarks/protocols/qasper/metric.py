"""Qasper's evidence: lists of paragraphs against those of every annotator."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.errors import InputError
from fullmarks.metrics.metric import Metric
from fullmarks.protocols.qasper.rules import evidence_f1
from fullmarks.types import Example, Examples, Explanation

EVIDENCE = "evidence"
"""The part of a prediction, and the fact of the gold, that holds paragraphs."""


@dataclass(frozen=True)
class EvidenceF1(Metric):
    """F1 of a list of paragraphs against the best of several lists; common paragraphs count once, repeats lower it.

    A prediction is a list of texts, and each of its references another; a text stands for a list of one. Two empty
    lists score `both_empty`. Without a reference an example scores 0. Source: Qasper.
    """

    name: ClassVar[str] = "evidence_f1"
    summary: ClassVar[str] = "lists of paragraphs against those of several annotators, as F1"
    citation: ClassVar[str] = (
        "Dasigi et al.: A Dataset of Information-Seeking Questions and Answers Anchored in Research Papers, NAACL 2021"
    )
    features: ClassVar[dict[str, str]] = {"predictions": "list of texts", "references": "list of lists of texts"}
    takes_lists: ClassVar[bool] = True

    both_empty: float = 1.0

    @property
    def columns(self) -> tuple[str, ...]:
        """F1."""
        return (self.name,)

    def rows(self, examples: Examples) -> array[float]:
        """The best F1 of every example; 0 where the part is missing."""
        rows = array("d")
        for position, (predicted, golds) in enumerate(zip(*evidence_of(examples), strict=True)):
            try:
                rows.append(0.0 if predicted is None else self._best(_listed(predicted), golds))
            except TypeError:
                raise _no_texts(position, predicted, golds) from None
        return rows

    def _best(self, predicted: Sequence[str], golds: Sequence[Sequence[str]]) -> float:
        ours, given, best = set(predicted), len(predicted), 0.0
        for gold in golds:
            wanted = _listed(gold)
            if not wanted:
                f1 = 0.0 if given else self.both_empty
            else:
                common = len(ours.intersection(wanted))
                if not common:
                    continue
                precision, recall = common / given, common / len(wanted)
                f1 = 2 * precision * recall / (precision + recall)
            best = max(best, f1)
        return best

    def explain(self, example: Example) -> Explanation:
        """The paragraphs that were found, missed and not asked for, for every annotator."""
        predictions, references = evidence_of(example.alone())
        predicted = list(_listed(predictions[0] or []))
        table = [
            {
                "annotator": number,
                "found": [text for text in dict.fromkeys(gold) if text in predicted],
                "missed": [text for text in dict.fromkeys(gold) if text not in predicted],
                "not asked for": [text for text in dict.fromkeys(predicted) if text not in gold],
                "predicted": len(predicted),
                "wanted": len(gold),
                "evidence_f1": evidence_f1(predicted, gold, self.both_empty),
            }
            for number, gold in enumerate(map(_listed, references[0]), start=1)
        ]
        facts = {"prediction": example.prediction, "predicted evidence": predicted}
        return Explanation(example.id, super().explain(example).scores, facts, {"evidence": table})


def evidence_of(examples: Examples) -> tuple[list[Any], list[Any]]:
    """Predicted and gold evidence: the parts and facts of that name; without such facts the examples themselves."""
    if EVIDENCE in examples.facts:
        return examples.parts.get(EVIDENCE, [None] * len(examples)), examples.facts[EVIDENCE]
    return examples.predictions, examples.references


def _listed(texts: Any) -> Any:
    return (texts,) if isinstance(texts, str) else texts


def _no_texts(position: int, predicted: Any, golds: Any) -> InputError:
    found = f"expected a list of texts for lists of texts, found {predicted!r} for {golds!r}"
    return InputError(f"predictions[{position}]", found, "Give paragraphs as texts, an empty list for none.")
