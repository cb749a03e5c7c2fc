"""Scores of single examples, of every kind of metric, where some are undefined."""

from __future__ import annotations

import math

import pytest

import fullmarks
from fullmarks.analysis.compare import compare
from fullmarks.analysis.crosscheck import crosscheck_result
from fullmarks.analysis.intervals import Sampling
from fullmarks.analysis.pairs import alone

pytest.importorskip("pymorphy3", reason="needs pymorphy3: make install")

GOLD = {
    identifier: [{"type": "text", "content": [text]}]
    for identifier, text in {"1": "дом", "2": "лес", "3": "sign", "4": "stop"}.items()
}
TASKS = {"1": 0, "2": 0, "3": 5, "4": 5}


def scored(**answers: str) -> fullmarks.Result:
    given = {"1": "дом", "2": "лес", "3": "sign", "4": "stop"} | {name[1:]: text for name, text in answers.items()}
    predictions = {identifier: [{"type": "text", "content": text}] for identifier, text in given.items()}
    return fullmarks.score("fusionbrain", GOLD, predictions, ids=TASKS, task="TextQA,TRitW", synonyms="none")


def test_every_score_of_an_example_is_its_own() -> None:
    scores = alone(scored(_2="река", _4="shop").tally).scores
    assert list(scores) == ["score", "TextQA", "TRitW"]
    assert scores["score"] == [1.0, 0.0, 1.0, 0.75]
    assert scores["TextQA"][:2] == [1.0, 0.0]
    assert scores["TRitW"][2:] == [1.0, 0.75]
    assert all(map(math.isnan, [*scores["TextQA"][2:], *scores["TRitW"][:2]]))


def test_changes_are_judged_by_the_score_asked_for() -> None:
    runs = {"base": scored(_2="река", _4="shop"), "other": scored(_1="река")}
    quick = Sampling(resamples=50)
    (changes,) = compare(runs, main_score="TRitW", sampling=quick).changes
    assert [change.id for change in (*changes.fixed, *changes.broken)] == ["4"]
    (changes,) = compare(runs, main_score="TextQA", sampling=quick).changes
    assert [[change.id for change in part] for part in (changes.fixed, changes.broken)] == [["2"], ["1"]]


def test_scores_that_are_undefined_by_both_rules_do_not_differ() -> None:
    (document,) = crosscheck_result(scored(_1="a")).rules
    assert document.name == "variant document"
    assert document.differing == ()
