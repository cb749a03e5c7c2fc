"""MuSiQue's answers and supporting paragraphs, over answerable questions and over pairs of twins."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.metrics.answer_scores import AnswerScores
from fullmarks.metrics.metric import Metric, only
from fullmarks.metrics.parts import part_of, without_part
from fullmarks.metrics.set_f1 import set_scores, set_table
from fullmarks.protocols.musique.rules import BOTH_EMPTY, RECIPE, is_told_apart, judge
from fullmarks.types import Example, Examples, Explanation, Total

ANSWER, SUPPORT, ANSWERABLE = "answer", "support", "answerable"
TWINS = "answerability"
"""What gold and prediction say of both twins, as two lists; None in a set without unanswerable questions."""
_PLAIN = ("f1", "exact", "support_f1")
_PAIRED = ("pair_answer_f1", "pair_support_f1")


@dataclass(frozen=True)
class MusiqueScores(Metric):
    """F1 and exact match of answers and F1 of supporting paragraphs; with pairs also where the twins are told apart.

    Means are over answerable questions, those of pairs over pairs. A question is answerable unless its facts say
    otherwise; a part that is missing scores 0. Source: MuSiQue.
    """

    name: ClassVar[str] = "musique"
    summary: ClassVar[str] = "MuSiQue's answers and supporting paragraphs (where an example has them), pairs of twins"
    citation: ClassVar[str] = (
        "Trivedi et al.: MuSiQue: Multihop Questions via Single-hop Question Composition, TACL 2022"
    )
    is_mean: ClassVar[bool] = False

    with_pairs: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The scores with what they are divided by."""
        return (*_PLAIN, "answerable", *((*_PAIRED, "pairs") if self.with_pairs else ()))

    @property
    def scores(self) -> tuple[str, ...]:
        """F1 first."""
        return (*_PLAIN, *(_PAIRED if self.with_pairs else ()))

    def finish(self, total: Total) -> dict[str, float]:
        """Means over answerable questions and over pairs; 0.0 where there are none."""
        sums = dict(zip(self.columns, total.sums, strict=True))
        over = {**dict.fromkeys(_PLAIN, "answerable"), **dict.fromkeys(_PAIRED, "pairs")}
        return {name: sums[name] / sums[over[name]] if sums[over[name]] else 0.0 for name in self.scores}

    def rows(self, examples: Examples) -> array[float]:
        """The sums of every example; a question without an answer adds nothing."""
        n, width = len(examples), len(self.columns)
        answers = without_part(RECIPE.rows(examples.predictions, examples.references), examples, ANSWER)
        support = (
            set_scores(examples.parts[SUPPORT], examples.facts[SUPPORT], both_empty=BOTH_EMPTY, name=SUPPORT)
            if SUPPORT in examples.parts
            else array("d", bytes(32 * n))
        )
        rows = array("d", bytes(8 * width * n))
        columns = (answers[1::4], answers[0::4], support[1::4], array("d", [1.0]) * n)
        for place, values in enumerate(columns):
            rows[place::width] = values
        for position, is_answerable in enumerate(examples.facts.get(ANSWERABLE, ())):
            if not is_answerable:
                rows[width * position : width * (position + 1)] = array("d", bytes(8 * width))
        if self.with_pairs:
            self._add_pairs(rows, examples)
        return rows

    def _add_pairs(self, rows: array[float], examples: Examples) -> None:
        """The pair's statistics, in the row of its answerable question."""
        width = len(self.columns)
        for position, twins in enumerate(examples.facts[TWINS]):
            start = width * position
            if twins is None or not rows[start + 3]:
                continue
            rows[start + 6] = 1.0
            if is_told_apart(twins):
                rows[start + 4], rows[start + 5] = rows[start], rows[start + 2]

    def unanswered_row(self, row: array[float]) -> array[float]:
        """The question counts, and so does its pair."""
        return only(("answerable", "pairs"), self.columns, row)

    def per_example(self, rows: array[float]) -> dict[str, list[Any]]:
        """All scores of every answerable question; None for the others."""
        width = len(self.columns)
        counts = {**dict.fromkeys(_PLAIN, rows[3::width]), **dict.fromkeys(_PAIRED, rows[width - 1 :: width])}
        return {
            name: [value if counted else None for value, counted in zip(values, counts[name], strict=True)]
            for name, values in self.scores_alone(rows).items()
        }

    def explain(self, example: Example) -> Explanation:
        """The answer's overlap, every paragraph with its verdict, and what was said of both twins."""
        scores = super().explain(example).scores
        twins = example.facts.get(TWINS)
        facts: dict[str, Any] = {}
        tables: dict[str, list[dict[str, Any]]] = {}
        if twins is not None:
            pairs = zip(*twins, strict=True)
            tables["answerable"] = [
                {"twin": at, "gold": gold, "predicted": said} for at, (gold, said) in enumerate(pairs, 1)
            ]
            facts["twins told apart"] = is_told_apart(twins)
        if not example.facts.get(ANSWERABLE, True):
            facts = {"prediction": example.prediction, "answerable": False, "answer counts": False, **facts}
            return Explanation(example.id, scores, facts, tables)
        support, gold_support = example.parts.get(SUPPORT), example.facts.get(SUPPORT) or []
        if part_of(example, ANSWER) is not None:
            told = AnswerScores(recipe=RECIPE).explain(example)
            facts, tables = {**told.facts, **facts}, {**told.tables, **tables}
            if support is not None:
                is_pair_right = twins is not None and is_told_apart(twins)
                judged = judge(
                    example.prediction, example.references, support, gold_support, is_pair_right=is_pair_right
                )
                tables["judged"] = [judged._asdict()]
        tables["supporting paragraphs"] = set_table(support, gold_support)
        return Explanation(example.id, scores, facts, tables)
