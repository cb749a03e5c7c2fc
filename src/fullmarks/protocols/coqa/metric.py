"""Exact match and F1 with one annotator left out in turn, in one pass over the tokens."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.metrics.metric import Metric, only
from fullmarks.protocols.coqa.rules import RECIPE, different_golds, first_line, judge, judge_people
from fullmarks.types import Example, Examples, Explanation, Total


@dataclass(frozen=True)
class CoqaScores(Metric):
    """Exact match and F1 of each turn: the mean, over all annotators, of the best score against the others.

    `people` scores the annotators themselves, each against the others, and no predictions. `harness` is the reading of
    lm-evaluation-harness: answers equal up to case count once, and of a prediction its first line counts;
    `last_turns` lets only the last turn of each story count. Source: CoQA.
    """

    name: ClassVar[str] = "coqa"
    summary: ClassVar[str] = "exact match and token F1, each annotator left out in turn"
    citation: ClassVar[str] = "Reddy, Chen, Manning: CoQA: A Conversational Question Answering Challenge, TACL 2019"

    people: bool = False
    harness: bool = False
    last_turns: bool = False

    @property
    def is_mean(self) -> bool:  # type: ignore[override]
        """Whether every turn counts."""
        return not self.last_turns

    @property
    def columns(self) -> tuple[str, ...]:
        """Exact match and F1; where not every turn counts, also whether this one does."""
        return ("em", "f1", "turns") if self.last_turns else ("em", "f1")

    @property
    def scores(self) -> tuple[str, ...]:
        """Exact match and F1."""
        return ("em", "f1")

    def rows(self, examples: Examples) -> array[float]:
        """The two numbers of every turn; a turn without references has 0."""
        predictions, references = examples.predictions, examples.references
        if self.people:
            return _people_rows(references)
        if self.harness:
            predictions = list(map(first_line, predictions))
            references = list(map(different_golds, references))
        pairs = RECIPE.pairs(predictions, references)
        counts = list(map(len, references))
        em, f1 = _left_out(pairs[0::4], counts), _left_out(pairs[1::4], counts)
        return self._last_rows(em, f1, examples) if self.last_turns else _woven(em, f1)

    def _last_rows(self, em: array[float], f1: array[float], examples: Examples) -> array[float]:
        """Rows of zeros for all but the last turns."""
        rows = array("d")
        for at, is_last in enumerate(examples.facts.get("is_last") or [True] * len(examples)):
            rows.extend((em[at], f1[at], 1.0) if is_last else (0.0, 0.0, 0.0))
        return rows

    def unanswered_row(self, row: array[float]) -> array[float]:
        """A turn without a prediction counts, and has 0."""
        return only(("turns",), self.columns, row)

    def finish(self, total: Total) -> dict[str, float]:
        """The means over the turns that count."""
        if not self.last_turns:
            return super().finish(total)
        em, f1, turns = total.sums
        return {"em": em / turns, "f1": f1 / turns} if turns else {"em": 0.0, "f1": 0.0}

    def explain(self, example: Example) -> Explanation:
        """Every annotator's answer, what it gives alone, and what is left without it."""
        golds = list(example.references)
        if self.people:
            told = judge_people(golds)
            return Explanation(example.id, {"em": told.em, "f1": told.f1}, {}, {"annotators": told.pairs})
        prediction = example.prediction
        facts: dict[str, Any] = {"prediction": prediction}
        if self.harness:
            prediction, golds = first_line(prediction), different_golds(golds)
            facts["first line"] = prediction
        facts["normalised"] = RECIPE(prediction)
        if self.last_turns:
            facts["is the last turn"] = bool(example.facts.get("is_last", True))
        told = judge(prediction, golds)
        return Explanation(example.id, {"em": told.em, "f1": told.f1}, facts, {"references": told.pairs})


def _left_out(scores: array[float], counts: list[int]) -> array[float]:
    """The mean of the best score without each reference in turn, example by example; all of one size at once."""
    import numpy as np

    values, sizes = np.frombuffer(scores), np.array(counts, dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    found = np.zeros(len(counts))
    for size in np.unique(sizes).tolist():
        if not size:
            continue
        where = np.flatnonzero(sizes == size)
        each = values[starts[where][:, None] + np.arange(size)]
        if size == 1:
            found[where] = each[:, 0]
            continue
        total = np.zeros(len(where))
        for left in range(size):  # one after the other, as the published program adds them up
            total += np.delete(each, left, axis=1).max(axis=1)
        found[where] = total / size
    return array("d", found.tobytes())


def _woven(em: array[float], f1: array[float]) -> array[float]:
    """The two columns as rows."""
    rows = array("d", bytes(16 * len(em)))
    rows[0::2], rows[1::2] = em, f1
    return rows


def _people_rows(references: list[list[str]]) -> array[float]:
    """Every annotator against the others, the mean over them; 0 for a turn that fewer than two answered."""
    answers = [gold for golds in references if len(golds) > 1 for gold in golds]
    others = [golds[:at] + golds[at + 1 :] for golds in references if len(golds) > 1 for at in range(len(golds))]
    best = RECIPE.rows(answers, others)
    rows, at = array("d"), 0
    for golds in references:
        em = f1 = 0.0
        if len(golds) > 1:
            for _ in golds:
                em, f1, at = em + best[4 * at], f1 + best[4 * at + 1], at + 1
            em, f1 = em / len(golds), f1 / len(golds)
        rows.extend((em, f1))
    return rows
