"""MathVista's verdict on extracted answers."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.errors import UsageError
from fullmarks.metrics.metric import Metric
from fullmarks.protocols.mathvista.rules import Problem, edit_distances, is_right, normalise
from fullmarks.types import Example, Examples, Explanation

FACTS = ("extraction", "answer", *Problem._fields)


@dataclass(frozen=True)
class MathvistaAccuracy(Metric):
    """1 where the extracted answer, read by the kind of its question, equals a reference.

    The kind comes in the columns `question_type`, `answer_type`, `choices` and `precision`; without them texts are
    compared as they are. `ignore_empty` leaves empty extractions unread, `as_lmms_eval` compares without white space
    around the texts, and takes `precision` as it is. Source: MathVista.
    """

    name: ClassVar[str] = "mathvista_accuracy"
    summary: ClassVar[str] = "share of extracted answers equal to the reference, as choice, number or text"
    citation: ClassVar[str] = "Lu et al.: MathVista: Evaluating Mathematical Reasoning in Visual Contexts, ICLR 2024"
    features: ClassVar[dict[str, str]] = {**Metric.features, **dict.fromkeys(Problem._fields, "of the problem")}

    ignore_empty: bool = False
    as_lmms_eval: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The accuracy."""
        return ("accuracy",)

    def rows(self, examples: Examples) -> array[float]:
        """1 for a right answer, else 0."""
        rows = array("d", bytes(8 * len(examples)))
        for at, (extraction, references, problem) in enumerate(_problems(examples)):
            found = self._judged(extraction, problem).answer
            for reference in references:
                if is_right(found, reference, as_lmms_eval=self.as_lmms_eval):
                    rows[at] = 1.0
                    break
        return rows

    def explain(self, example: Example) -> Explanation:
        """What the extraction is compared as and how that was found; the distance of every choice."""
        extraction, references, problem = next(_problems(example.alone()))
        judged = self._judged(extraction, problem)
        facts = {
            "prediction": example.prediction,
            "question type": problem.question_type,
            "answer type": problem.answer_type,
            "compared as": judged.answer,
            "how": judged.how,
            "reference": references[0] if references else None,
        }
        tables = {}
        if problem.question_type == "multi_choice":
            text = extraction.strip() if isinstance(extraction, str) else str(extraction)
            distances = edit_distances(text, problem.choices or ())
            tables["choices"] = [
                {
                    "letter": chr(ord("A") + at),
                    "choice": choice,
                    "edits": distances[at],
                    "chosen": choice == judged.answer,
                }
                for at, choice in enumerate(problem.choices or ())
            ]
        return Explanation(example.id, super().explain(example).scores, facts, tables)

    def _judged(self, extraction: Any, problem: Problem) -> Any:
        try:
            return normalise(extraction, problem, ignore_empty=self.ignore_empty, as_lmms_eval=self.as_lmms_eval)
        except ValueError as error:
            raise UsageError(f"{self.name}: {error}") from None


def _problems(examples: Examples) -> Iterator[tuple[Any, list[Any], Problem]]:
    """Extraction, references and kind of every example; by default free texts."""
    known = {name: examples.facts.get(name) or examples.columns.get(name) for name in FACTS}
    default = Problem()
    kinds = []
    for name in Problem._fields:
        values = known[name]
        kinds.append([getattr(default, name)] * len(examples) if values is None else values)
    extractions = known["extraction"] or examples.predictions
    answers = examples.references if known["answer"] is None else [[each] for each in known["answer"]]
    for extraction, references, *kind in zip(extractions, answers, *kinds, strict=True):
        yield extraction, references, Problem(*kind)
