"""MMMU's accuracy: letters compared as they are or as they were read, open answers by what they say."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.metrics.choice_accuracy import ChoiceAccuracy
from fullmarks.metrics.metric import Metric
from fullmarks.options import limited
from fullmarks.protocols.mmmu.rules import (
    MULTIPLE_CHOICE,
    QUESTION_TYPE,
    compare_open,
    judge_open,
    judge_open_lmms_eval,
    parse_open,
    wanted_forms,
)
from fullmarks.text.choice_readings import READINGS
from fullmarks.text.memo import Memo
from fullmarks.types import Example, Examples, Explanation

GUESS = "guess"
"""The fact that holds the letter drawn for a response that names none; None where no guess was needed."""


@dataclass(frozen=True)
class MmmuAccuracy(Metric):
    """1 where the letter is right, or an open answer says what is wanted; `guessed` tells where a letter was drawn.

    Which kind a question is comes in the column `question_type`: `multiple-choice`, and whatever else it holds is open;
    without the column all are multiple choice. A response that
    names no option has the letter of the fact `guess`, and none (0.0) where no guess was drawn. Source: MMMU.
    """

    name: ClassVar[str] = "mmmu_accuracy"
    summary: ClassVar[str] = "MMMU accuracy of letters and open answers"
    citation: ClassVar[str] = "Yue et al.: MMMU: A Massive Multi-discipline Multimodal Understanding, CVPR 2024"
    features: ClassVar[dict[str, str]] = {**Metric.features, QUESTION_TYPE: f"{MULTIPLE_CHOICE} or another word"}

    reading: str = limited("exact", choices=READINGS)

    @property
    def columns(self) -> tuple[str, ...]:
        """The accuracy, 0-1, and where letters are read also whether one was drawn."""
        return ("accuracy",) if self.reading == "exact" else ("accuracy", "guessed")

    def rows(self, examples: Examples) -> array[float]:
        """Accuracy and guesses of every example."""
        letters = self._letters(examples)
        guesses = examples.facts.get(GUESS) or [None] * len(examples)
        kinds = examples.columns.get(QUESTION_TYPE) or [MULTIPLE_CHOICE] * len(examples)
        said = Memo(parse_open)
        width = len(self.columns)
        rows = array("d", bytes(8 * width * len(examples)))
        for at, (kind, golds, letter) in enumerate(zip(kinds, examples.references, letters, strict=True)):
            if kind != MULTIPLE_CHOICE:
                text = examples.predictions[at]
                if self.reading == "mmmu-lmms-eval":
                    is_right = judge_open_lmms_eval(text, golds).is_right
                else:
                    is_right = compare_open(said[text], wanted_forms(golds)).is_right
            elif letter is None and guesses[at] is not None:
                is_right = guesses[at] in golds
                rows[width * at + 1] = 1.0
            else:
                is_right = letter in golds
            rows[width * at] = float(is_right)
        return rows

    def _letters(self, examples: Examples) -> Sequence[str | None]:
        if self.reading == "exact":
            return examples.predictions
        return ChoiceAccuracy(self.reading).letters(examples)

    def explain(self, example: Example) -> Explanation:
        """The letter and how it was found, or what an open answer says and which of it agrees."""
        scores = super().explain(example).scores
        kind = example.columns.get(QUESTION_TYPE, MULTIPLE_CHOICE)
        facts: dict[str, Any] = {"prediction": example.prediction, "question type": kind}
        if kind != MULTIPLE_CHOICE:
            judge = judge_open_lmms_eval if self.reading == "mmmu-lmms-eval" else judge_open
            verdict = judge(example.prediction, example.references)
            facts.update({"says": verdict.said, "wanted": verdict.wanted})
            if verdict.agreement is not None:
                said, wanted = verdict.agreement
                facts["agrees"] = f"{said!r} {'contains' if isinstance(said, str) else 'equals'} {wanted!r}"
            return Explanation(example.id, scores, facts)
        told = ChoiceAccuracy(self.reading).explain(example)
        facts.update(told.facts)
        if (guess := example.facts.get(GUESS)) is not None:
            facts.update({"read as": guess, "found": "nothing: drawn at random, as the program does (seed 42)"})
        return Explanation(example.id, scores, facts, told.tables)
