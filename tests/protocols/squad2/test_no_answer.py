"""Thresholds and average precision against a plain statement of their rules, with many equal probabilities."""

from __future__ import annotations

import random

import pytest

import fullmarks
from fullmarks.protocols.squad2 import no_answer
from fullmarks.protocols.squad2.no_answer import RankedQuestions
from tests.plain import no_answer as plain_no_answer_rules


@pytest.mark.parametrize("with_numpy", [True, False])
@pytest.mark.parametrize("seeds", [60, pytest.param(300, marks=pytest.mark.deep)])
def test_both_follow_the_plain_rules(seeds: int, with_numpy: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(no_answer, "is_numpy_worth_it", lambda count: with_numpy)
    for seed in range(seeds):
        check_against_the_plain_rules(seed)


def check_against_the_plain_rules(seed: int) -> None:
    source = random.Random(seed)
    size = source.choice((1, 2, 5, 40))
    ids = [f"q{number}" for number in range(size)]
    has_answer = {identifier: source.random() < 0.6 for identifier in ids}
    if not any(has_answer.values()):
        has_answer[ids[0]] = True
    predictions = {identifier: source.choice(("", "text")) for identifier in ids}
    scores = {identifier: source.choice((0.0, 1 / 3, 0.1, 0.7, 1.0)) for identifier in ids}
    shuffled = source.sample(ids, size)
    chances = {identifier: source.choice((0.0, 0.25, 0.5, 0.5, 1.0, 1e-300)) for identifier in shuffled}
    place = {identifier: position for position, identifier in enumerate(shuffled)}
    ranked = RankedQuestions(
        [chances[identifier] for identifier in ids],
        [has_answer[identifier] for identifier in ids],
        [bool(predictions[identifier]) for identifier in ids],
        [place[identifier] for identifier in ids],
    )
    in_order = [scores[identifier] for identifier in ids]
    threshold = plain_no_answer_rules.best_threshold(predictions, scores, chances, has_answer)
    assert ranked.best_threshold(in_order) == threshold, seed
    curve = ranked.curve(in_order)
    assert curve.average_precision == plain_no_answer_rules.average_precision(scores, chances, has_answer), seed
    oracle = {identifier: float(answerable) for identifier, answerable in has_answer.items()}
    assert ranked.curve(None).average_precision == plain_no_answer_rules.average_precision(oracle, chances, has_answer)
    assert (curve.precisions[0], curve.recalls[0]) == (1.0, 0.0)
    assert curve.recalls == sorted(curve.recalls)


def test_ties_keep_the_order_of_the_probabilities_file() -> None:
    gold = {"data": [{"paragraphs": [{"qas": [{"id": "a", "answers": [{"text": "x"}]}, {"id": "b", "answers": []}]}]}]}
    predictions = {"a": "x", "b": "y"}
    # Taking up "a" first reaches 2 of 2; taking up "b" first falls to 0 and only comes back to 1.
    right_first = fullmarks.score("squad2", gold, predictions, na_prob_file={"a": 0.5, "b": 0.5}).official
    wrong_first = fullmarks.score("squad2", gold, predictions, na_prob_file={"b": 0.5, "a": 0.5}).official
    assert (right_first["best_exact"], right_first["best_exact_thresh"]) == (100.0, 0.5)
    assert (wrong_first["best_exact"], wrong_first["best_exact_thresh"]) == (50.0, 0.0)


def test_threshold_is_zero_when_nothing_beats_no_answer() -> None:
    ranked = RankedQuestions([0.3], [False], [True], [0])
    assert ranked.best_threshold([0.0]) == (100.0, 0.0)


def test_no_curve_without_any_answerable_question() -> None:
    gold = {"data": [{"paragraphs": [{"qas": [{"id": "b", "answers": []}]}]}]}
    official = fullmarks.score("squad2", gold, {"b": ""}, na_prob_file={"b": 0.5}, precision_recall=True).official
    assert not [key for key in official if key.startswith("pr_")]
