"""2WikiMultihopQA's answers, supporting facts, evidence triples and all three together."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.metrics.answer_scores import AnswerScores
from fullmarks.metrics.joint import NOTHING, joint_columns, part_table
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.parts import part_of, without_part, zeros
from fullmarks.protocols.twowiki.rules import (
    EVIDENCE,
    RECIPE,
    is_in,
    judge,
    judge_evidence,
    judge_facts,
    lowered,
    normal_groups,
    normal_triples,
)
from fullmarks.text.kernel import joint_rows
from fullmarks.text.memo import Memo
from fullmarks.types import Example, Examples, Explanation

ANSWER, FACTS, TRIPLES = "answer", "sp", "evidence"
PREFIXES = ("", "sp_", "evi_")


@dataclass(frozen=True)
class TwowikiScores(Metric):
    """Exact match, F1, precision and recall of answers, supporting facts, evidence triples, and jointly.

    A part that is missing scores 0, and so does the whole. With `with_aliases` several predicted triples may match one
    of the gold. Source: 2WikiMultihopQA.
    """

    name: ClassVar[str] = "twowiki"
    summary: ClassVar[str] = "2WikiMultihopQA's answers, facts and evidence (where an example has them), and jointly"
    citation: ClassVar[str] = (
        "Ho et al.: Constructing A Multi-hop QA Dataset for Comprehensive Evaluation of Reasoning Steps, COLING 2020"
    )

    with_aliases: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The four scores of the answer, of the facts, of the evidence, and jointly."""
        return joint_columns(PREFIXES)

    def rows(self, examples: Examples) -> array[float]:
        """The scores of every example."""
        answers = RECIPE.rows(examples.predictions, examples.references)
        parts = [without_part(answers, examples, ANSWER), self._facts(examples), self._evidence(examples)]
        return joint_rows(parts)

    def _facts(self, examples: Examples) -> array[float]:
        if FACTS not in examples.parts:
            return zeros(len(examples))
        rows = array("d")
        for facts, gold in zip(examples.parts[FACTS], examples.facts[FACTS], strict=True):
            rows.extend(NOTHING if facts is None else judge_facts(facts, gold))
        return rows

    def _evidence(self, examples: Examples) -> array[float]:
        if TRIPLES not in examples.parts:
            return zeros(len(examples))
        normal = Memo(EVIDENCE).__getitem__
        rows = array("d")
        for triples, gold in zip(examples.parts[TRIPLES], examples.facts[TRIPLES], strict=True):
            if triples is None:
                rows.extend(NOTHING)
                continue
            groups = normal_groups(gold, normal)
            rows.extend(judge_evidence(normal_triples(triples, normal), groups, with_aliases=self.with_aliases))
        return rows

    def explain(self, example: Example) -> Explanation:
        """The answer and every alias, every fact and every triple with its verdict, and what each part is worth."""
        answer = part_of(example, ANSWER)
        facts, gold_facts = example.parts.get(FACTS), example.facts.get(FACTS) or []
        triples, groups = example.parts.get(TRIPLES), example.facts.get(TRIPLES) or []
        scores = super().explain(example).scores
        if answer is None:
            told = Explanation(example.id, scores, {"prediction": None}, {})
        else:
            told = AnswerScores(recipe=RECIPE, with_precision=True).explain(example)
        judgement = judge(
            answer, example.references, (facts, gold_facts), (triples, groups), with_aliases=self.with_aliases
        )
        parts = {"answer": judgement.answer, "supporting facts": judgement.facts, "evidence": judgement.evidence}
        tables = {
            **told.tables,
            "supporting facts": _fact_table(facts or [], gold_facts),
            "evidence": _evidence_table(triples or [], groups),
            "parts": part_table(parts),
        }
        return Explanation(example.id, scores, told.facts, tables)


def _fact_table(facts: list[Any], gold: list[Any]) -> list[dict[str, Any]]:
    """Every fact, its title in lower case, with its verdict."""
    found, wanted = lowered(facts), lowered(gold)
    told = [{"item": fact, "verdict": "found" if fact in wanted else "extra"} for fact in found]
    return told + [{"item": fact, "verdict": "missed"} for fact in wanted if fact not in found]


def _evidence_table(triples: list[Any], groups: list[Any]) -> list[dict[str, Any]]:
    """Every predicted triple after normalising, with the gold triple that it matches; then the gold triples missed."""
    found, wanted = sorted(normal_triples(triples)), normal_groups(groups)
    names = [[subjects[0], relation, objects[0]] for subjects, relation, objects in groups]
    told: list[dict[str, Any]] = []
    for triple in found:
        matched = next((name for name, group in zip(names, wanted, strict=True) if is_in(triple, group)), None)
        told.append({"triple": list(triple), "verdict": "extra" if matched is None else "found", "gold": matched})
    missed = [name for name, group in zip(names, wanted, strict=True) if not any(is_in(each, group) for each in found)]
    return told + [{"triple": None, "verdict": "missed", "gold": name} for name in missed]
