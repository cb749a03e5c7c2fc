"""Votes against the rule written out plainly, on random annotators, and the interface of the metric."""

from __future__ import annotations

import random
from itertools import chain

import pytest

import fullmarks
from fullmarks.metrics.votes import RULES, Votes, judge_votes
from fullmarks.types import Examples
from tests.hard_texts import hard_texts
from tests.plain import recipes as plain_recipes


def plain_score(answer: str, golds: list[str], rule: str, divisor: float, cap: float) -> float:
    """The mean over annotators of min(cap, number with this answer / divisor), the one in turn being out or not."""
    if rule == "all":
        return min(cap, len([gold for gold in golds if gold == answer]) / divisor)
    total = 0.0
    for one in range(len(golds)):
        others = [gold for place, gold in enumerate(golds) if rule == "all-in-turn" or place != one]
        total += min(cap, len([gold for gold in others if gold == answer]) / divisor)
    return total / len(golds)


def annotated(texts: list[str], count: int, seed: int) -> Examples:
    """Answers of a few annotators who often agree, as texts that differ before they are normalised."""
    source = random.Random(seed)
    predictions, references = [], []
    for _ in range(count):
        some = source.choices(texts, k=3)
        written = [*some, some[0].upper(), f"the {some[0]}.", f" {some[0]}\n", some[1] + ","]
        references.append(source.choices(written, k=source.choice((1, 2, 3, 4, 5, 10, 10))))
        predictions.append(source.choice(written))
    return Examples(range(count), predictions, references)


@pytest.mark.parametrize("recipe", ["none", "evalai", "vqa", "vizwiz"])
@pytest.mark.parametrize("count", [600, pytest.param(12_500, marks=pytest.mark.deep)])
def test_rows_follow_the_plain_rule(recipe: str, count: int) -> None:
    texts = hard_texts(300, seed=7)
    examples = annotated(texts, count, seed=len(recipe))
    plain = plain_recipes.RULES.get(recipe, str)
    forms = {text: plain(text) for text in {*examples.predictions, *chain.from_iterable(examples.references)}}
    for rule, divisor, cap in [*((rule, 3.0, 1.0) for rule in RULES), ("leave-one-out", 2.5, 0.8)]:
        for normalised in ("both", "prediction"):
            rows = Votes(recipe, rule, normalised, divisor, cap).rows(examples)
            gold_forms = forms if normalised == "both" else {text: text for text in forms}
            for place, (answer, golds) in enumerate(zip(examples.predictions, examples.references, strict=True)):
                wanted = plain_score(forms[answer], [gold_forms[gold] for gold in golds], rule, divisor, cap)
                assert rows[place] == wanted, (rule, normalised, answer, golds)


def test_the_rule_itself() -> None:
    assert [judge_votes("x", ["x"] * k + ["y"] * (10 - k)).score for k in range(5)] == pytest.approx(
        [0, 0.3, 0.6, 0.9, 1]
    )
    assert judge_votes("x", ["x"]).score == 0.0
    assert judge_votes("x", ["x"], "all").score == 1 / 3
    assert judge_votes("x", []).score == 0.0
    assert judge_votes("x", ["y", "x"]).votes[0] == {
        "compared as": "y",
        "agrees": False,
        "others agreeing": 1,
        "vote": 1 / 3,
    }


def test_alone() -> None:
    votes = fullmarks.load("votes", recipe="evalai")
    assert votes.compute(predictions=["The dog's"], references=[["dog 's"] * 4 + ["cat"]]) == {"accuracy": 1.0}
    told = votes.explain(prediction="two", references=["2", "two", "cat"])
    assert told.facts["compared as"] == "2"
    assert [row["agrees"] for row in told.tables["annotators"]] == [True, True, False]
    assert told.tables["steps"][-1]["prediction"] == "2"
    any_of_them = fullmarks.load("votes", rule="all", divisor=1)
    assert any_of_them.each(predictions=["a", "b"], references=[["a", "c"], ["c"]]) == [1.0, 0.0]


def test_wrong_options() -> None:
    with pytest.raises(
        fullmarks.UsageError, match="rule must be one of 'leave-one-out', 'all', 'all-in-turn', found 'one'"
    ):
        fullmarks.load("votes", rule="one")
    with pytest.raises(fullmarks.UsageError, match=r"unknown recipe 'evalia'\. Did you mean 'evalai'"):
        fullmarks.load("votes", recipe="evalia")
    with pytest.raises(fullmarks.UsageError, match="divisor"):
        fullmarks.load("votes", divisor=0.0)


@pytest.mark.parametrize("cap", [0.5, 1.0, 2.0, 4.0])
def test_a_vote_is_worth_its_cap_at_most(cap: float) -> None:
    votes = fullmarks.load("votes", cap=cap)
    given = ["x"] * 10
    assert votes.each(predictions=["x"], references=[given]) == pytest.approx([min(cap, 3.0)])
    assert votes.explain(prediction="x", references=given).scores == {"accuracy": pytest.approx(min(cap, 3.0))}
