"""HotpotQA's answers, supporting facts and both together."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import ClassVar

from fullmarks.metrics.answer_scores import AnswerScores
from fullmarks.metrics.joint import joint_columns, part_table
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.parts import part_of, without_part, zeros
from fullmarks.metrics.set_f1 import set_scores, set_table
from fullmarks.protocols.hotpotqa.rules import RECIPE, judge
from fullmarks.text.kernel import joint_rows
from fullmarks.types import Example, Examples, Explanation

ANSWER, FACTS = "answer", "sp"


@dataclass(frozen=True)
class HotpotqaScores(Metric):
    """Exact match, F1, precision and recall of answers, of sets of supporting facts, and jointly.

    A part that is missing scores 0, and so does the whole. Source: HotpotQA.
    """

    name: ClassVar[str] = "hotpotqa"
    summary: ClassVar[str] = "HotpotQA's answers, supporting facts (where an example has them) and both together"
    citation: ClassVar[str] = (
        "Yang et al.: HotpotQA: A Dataset for Diverse, Explainable Multi-hop Question Answering, EMNLP 2018"
    )

    @property
    def columns(self) -> tuple[str, ...]:
        """The four scores of the answer, of the facts, and jointly."""
        return joint_columns(("", f"{FACTS}_"))

    def rows(self, examples: Examples) -> array[float]:
        """The scores of every example."""
        answers = RECIPE.rows(examples.predictions, examples.references)
        facts = (
            set_scores(examples.parts[FACTS], examples.facts[FACTS], name=FACTS)
            if FACTS in examples.parts
            else zeros(len(examples))
        )
        return joint_rows([without_part(answers, examples, ANSWER), facts])

    def explain(self, example: Example) -> Explanation:
        """The answer after every step, its overlap, every fact with its verdict, and what each part is worth."""
        answer, facts = part_of(example, ANSWER), example.parts.get(FACTS)
        gold_facts = example.facts.get(FACTS) or []
        scores = super().explain(example).scores
        if answer is None:
            told = Explanation(example.id, scores, {"prediction": None}, {})
        else:
            told = AnswerScores(recipe=RECIPE, with_precision=True).explain(example)
        gold = example.references[0] if example.references else ""
        judgement = judge(answer, gold, facts, gold_facts)
        tables = {
            **told.tables,
            "supporting facts": set_table(facts, gold_facts),
            "parts": part_table({"answer": judgement.answer, "supporting facts": judgement.facts}),
        }
        return Explanation(example.id, scores, told.facts, tables)
