"""2WikiMultihopQA's rules: answers by HotpotQA's rule against every alias, facts by lower-cased title, evidence.

Answers have SQuAD's normaliser, evidence the same without the articles' step. `judge` says plainly what one question is
worth; the metric does the same for all of them at once. A gold triple is a group `[subjects, relation, objects]`, any
subject and any object of which will do; the first script, which knows no aliases, has one of each.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

from fullmarks.metrics.joint import Scores
from fullmarks.text.recipes import SQUAD, Recipe
from fullmarks.text.sets import items_of, score_counts
from fullmarks.text.steps import LOWER, NO_ASCII_PUNCTUATION, SINGLE_BLANKS

RECIPE = Recipe("twowiki", SQUAD.order, whole_answers=("yes", "no", "noanswer"))
EVIDENCE = Recipe("twowiki-evidence", (LOWER, NO_ASCII_PUNCTUATION, SINGLE_BLANKS))
RECIPES = {recipe.name: recipe for recipe in (RECIPE, EVIDENCE)}

Triple = tuple[str, ...]
"""Subject, relation and object; what is predicted may have fewer or more texts, and then matches nothing."""
Group = tuple[frozenset[str], str, frozenset[str]]
Normal = Callable[[str], str]


class Judgement(NamedTuple):
    """The scores of the three parts; None where a part is missing."""

    answer: Scores | None
    facts: Scores | None
    evidence: Scores | None


def judge_answer(prediction: str, golds: Sequence[str]) -> Scores:
    """Each number the best over the golds, whichever gold gives it: precision and recall may be of different ones."""
    told = RECIPE.judge(prediction, golds)
    return Scores(told.exact, told.f1, told.precision, told.recall)


def lowered(facts: Sequence[Any]) -> list[Hashable]:
    """The different facts, then their titles lower-cased: two that differ by case alone are both kept."""
    return [(fact[0].lower(), *fact[1:]) for fact in items_of(facts)]  # type: ignore[index]


def judge_facts(prediction: Sequence[Any], gold: Sequence[Any]) -> Scores:
    """True positives are counted over the prediction, so that one gold fact may be found twice."""
    found, wanted = lowered(prediction), lowered(gold)
    true = sum(fact in wanted for fact in found)
    missed = sum(fact not in found for fact in wanted)
    if not found and not wanted:
        return Scores(1.0, 0.0, 0.0, 0.0)
    precision = true / len(found) if found else 0.0
    recall = true / (true + missed) if true + missed else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
    return Scores(float(true == len(found) and not missed), f1, precision, recall)


def normal_triples(triples: Sequence[Sequence[str]], normal: Normal = EVIDENCE) -> set[Triple]:
    """The different triples after normalising."""
    return {tuple(map(normal, triple)) for triple in triples}


def normal_groups(groups: Sequence[Any], normal: Normal = EVIDENCE) -> list[Group]:
    """The gold groups after normalising."""
    return [
        (frozenset(map(normal, subjects)), normal(relation), frozenset(map(normal, objects)))
        for subjects, relation, objects in groups
    ]


def is_in(triple: Triple, group: Group) -> bool:
    """Whether a triple is one that the group allows."""
    return len(triple) == 3 and triple[1] == group[1] and triple[0] in group[0] and triple[2] in group[2]


def judge_evidence(triples: set[Triple], groups: list[Group], *, with_aliases: bool) -> Scores:
    """Predicted triples that lie in some group, out of all predicted and all gold ones.

    With aliases two of them may lie in the same group, so that recall and F1 exceed 1; the first script compares sets.
    """
    if not with_aliases:
        wanted = {(subject, group[1], target) for group in groups for subject in group[0] for target in group[2]}
        return Scores(*score_counts(len(triples & wanted), len(triples), len(wanted), 0.0))
    matches = sum(any(is_in(triple, group) for group in groups) for triple in triples)
    precision = matches / len(triples) if triples else 0.0
    recall = matches / len(groups) if groups else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
    return Scores(float(matches == len(triples) == len(groups)), f1, precision, recall)


def judge(
    answer: str | None,
    golds: Sequence[str],
    facts: tuple[Sequence[Any] | None, Sequence[Any]],
    evidence: tuple[Sequence[Any] | None, Sequence[Any]],
    *,
    with_aliases: bool,
) -> Judgement:
    """What the three parts of one question are worth; facts and evidence come with those of the gold."""
    triples, groups = evidence
    return Judgement(
        None if answer is None else judge_answer(answer, golds),
        None if facts[0] is None else judge_facts(facts[0], facts[1]),
        None
        if triples is None
        else judge_evidence(normal_triples(triples), normal_groups(groups), with_aliases=with_aliases),
    )
