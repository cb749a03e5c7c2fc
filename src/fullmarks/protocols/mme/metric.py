"""MME's two shares: right answers, and images with both answers right."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.errors import UsageError
from fullmarks.metrics.metric import Metric
from fullmarks.options import limited
from fullmarks.text.yes_no import NO, OTHER, READINGS, YES
from fullmarks.types import Example, Examples, Explanation

PARTNER = "partner"
"""The column with the other question about the same image: its answer and its right answer."""


@dataclass(frozen=True)
class MmeAccuracy(Metric):
    """The share of right answers, and that of images both of whose questions are answered rightly.

    The column `partner` holds, for every example, the answer and the right answer of the other question about its
    image; without one, both are not right. Both examples of an image count, so that the mean over examples is that
    over images. `reading` is one of those of `yes_no`. Source: MME.
    """

    name: ClassVar[str] = "mme_accuracy"
    summary: ClassVar[str] = "share of right yes-or-no answers, and of images with both right"
    citation: ClassVar[str] = "Fu et al.: MME: A Comprehensive Evaluation Benchmark for Multimodal LLMs, 2023"
    features: ClassVar[dict[str, str]] = {**Metric.features, PARTNER: "pair of answer and right answer"}
    fewest_references: ClassVar[int] = 1

    reading: str = limited("mme", choices=READINGS)

    @property
    def columns(self) -> tuple[str, ...]:
        """Whether the answer is right, both are, and it says neither yes nor no."""
        return ("accuracy", "accuracy_plus", "neither")

    def rows(self, examples: Examples) -> array[float]:
        """The three of every example; each distinct text is read once."""
        read, known = READINGS[self.reading], {}
        partners = partners_of(examples)
        rows = array("d", bytes(8 * 3 * len(examples)))
        for at, (text, references, partner) in enumerate(
            zip(examples.predictions, examples.references, partners, strict=True)
        ):
            for each in (text,) if partner is None else (text, partner[0]):
                if each not in known:
                    known[each] = read(each)[0]
            is_right = known[text] == label(references)
            rows[3 * at] = is_right
            rows[3 * at + 1] = is_right and partner is not None and known[partner[0]] == label(partner[1:])
            rows[3 * at + 2] = known[text] == OTHER
        return rows

    def explain(self, example: Example) -> Explanation:
        """How the answer was read, and how the one to the image's other question."""
        partner = partners_of(example.alone())[0]
        pairs = [(example.prediction, example.references[0]), *([] if partner is None else [tuple(partner)])]
        table = []
        for text, right in pairs:
            answer, looked_at = READINGS[self.reading](text)
            table.append(
                {
                    "answer": text,
                    "looked at": looked_at,
                    "read as": answer,
                    "right answer": label([right]),
                    "right": answer == label([right]),
                }
            )
        facts = {"prediction": example.prediction}
        return Explanation(example.id, super().explain(example).scores, facts, {"questions of the image": table})


def partners_of(examples: Examples) -> list[Any]:
    """The other question of every example; None where there is none."""
    found = examples.facts.get(PARTNER) or examples.columns.get(PARTNER)
    return [None] * len(examples) if found is None else found


def label(references: Any) -> str:
    """The right answer in lower case; an error where it is neither yes nor no."""
    found = references[0].lower() if references else ""
    if found not in (YES, NO):
        raise UsageError(f"mme_accuracy: expected yes or no as the right answer, found {found!r}")
    return str(found)
