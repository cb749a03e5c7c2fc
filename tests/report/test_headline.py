"""The sentence on top of a report: its numbers are those of the comparison, and it claims no more than they show."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

import fullmarks
from fullmarks.analysis.intervals import Sampling
from fullmarks.analysis.leaders import leaders
from fullmarks.analysis.standings import standings
from fullmarks.metrics.squad import SquadScores
from fullmarks.report.headline import FEW, headline

QUICK = Sampling(resamples=500)
N = 400


def gold(n=N):
    return [{"id": f"q{at}", "references": ["the red house"], "kind": f"kind {at % 4}"} for at in range(n)]


def run(right, n=N, *, by=("kind",)):
    """A run whose answers are right where it is asked for."""
    answers = [{"id": f"q{at}", "prediction": "red house" if right(at) else "no"} for at in range(n)]
    return fullmarks.score("squad2", gold(n), answers, by=by)


def by_chance(share, seed, n=N):
    chance = random.Random(seed)
    drawn = [chance.random() < share for _ in range(n)]
    return run(drawn.__getitem__, n)


def told(runs, **options):
    return headline(standings(runs, main_score="f1", sampling=QUICK, **options))


def test_two_systems_that_differ():
    runs = {"old": run(lambda at: at % 4 == 1), "new": run(lambda at: at % 4 in (1, 2))}
    found = standings(runs, main_score="f1", sampling=QUICK)
    difference = next(each for each in found.comparison.differences if each.score == "f1")
    low, high = (f"{100 * end:.1f}" for end in (difference.test.interval.low, difference.test.interval.high))
    assert headline(found) == (
        f"new is better than old by 25.0 F1 (50.0 against 25.0), 95 % interval {low} to {high}; "
        "the difference holds in 1 of 4 slices by kind, significantly in 1.",
    )


def test_the_better_system_is_named_first_whichever_is_the_baseline():
    runs = {"good": run(lambda at: at % 4 != 0), "bad": run(lambda at: at % 4 == 1)}
    first, second = told(runs)[0], told(runs, baseline="bad")[0]
    assert first == second
    assert first.startswith("good is better than bad by 50.0 F1 (75.0 against 25.0), 95 % interval 4")


def test_a_slice_that_goes_the_other_way_is_told():
    runs = {"old": run(lambda at: at % 4 == 0), "new": run(lambda at: at % 4 != 0)}
    assert told(runs)[0].endswith(
        "; the difference holds in 3 of 4 slices by kind, significantly in 3, and is significantly the other way in 1."
    )


def test_no_clear_difference():
    runs = {"old": by_chance(0.5, 1), "new": by_chance(0.5, 2)}
    found = standings(runs, main_score="f1", sampling=QUICK)
    test = next(each for each in found.comparison.differences if each.score == "f1").test
    assert test.interval.low < 0 < test.interval.high
    (sentence,) = headline(found)
    better, other = ("new", "old") if test.difference > 0 else ("old", "new")
    assert sentence.startswith(f"{better} and {other} cannot be told apart: {better} is ahead by ")
    assert "95 % interval from −" in sentence
    assert "the difference has this sign in" in sentence
    assert "is better" not in sentence


def test_interval_and_test_must_both_show_it():
    """Where only one of them does, the sentence says so and gives the corrected p-value."""
    runs = {"old": run(lambda at: at % 4 == 1), "new": run(lambda at: at % 4 in (1, 2))}
    found = standings(runs, main_score="f1", sampling=QUICK)
    unsure = tuple(replace(each, p_holm=0.0731) for each in found.comparison.differences)
    sentence = headline(replace(found, comparison=replace(found.comparison, differences=unsure)))[0]
    assert sentence.startswith("new and old cannot surely be told apart: new is ahead by 25.0 F1")
    assert "but the test says p = 0.0731, corrected" in sentence


def test_a_difference_that_rests_on_few_of_many_examples():
    runs = {"old": run(lambda at: at > 2), "new": run(lambda at: True)}
    assert told(runs)[0].startswith("new and old differ on too few examples to be told apart (3 of 400): new is ahead")


def test_the_same_answers():
    runs = {"old": run(lambda at: at % 4 == 1), "new": run(lambda at: at % 4 == 1)}
    assert told(runs) == (f"new and old score the same on each of {N} examples: 25.0 F1.",)


def test_few_examples():
    runs = {"old": run(lambda at: at > 0, 4, by=()), "new": run(lambda at: True, 4, by=())}
    first, second = told(runs)
    assert first.startswith("new and old differ on too few examples to be told apart (1 of 4): new is ahead by 25.0 F1")
    assert second == "4 examples are few: others of the same kind may give quite other scores."
    assert len(told({"one": by_chance(0.5, 1, FEW)})) == 1
    assert len(told({"one": by_chance(0.5, 1, FEW - 1)})) == 2
    assert told({"one": run(lambda at: True, 1, by=())})[-1].startswith("1 example is few")


def test_one_system_with_its_strongest_and_weakest_slices():
    found = standings({"mine": run(lambda at: at % 4 < 2 or at % 40 == 2)}, main_score="f1", sampling=QUICK)
    interval = found.intervals["mine"]["f1"]
    assert headline(found) == (
        f"mine scores 52.5 F1 on 400 examples, 95 % interval {100 * interval.low:.1f} to {100 * interval.high:.1f}; "
        "by kind strongest in 'kind 0' (100.0, 100 examples) and weakest in 'kind 3' (0.0, 100 examples).",
    )


def test_slices_of_few_examples_are_not_named():
    sentence = told({"mine": run(lambda at: at % 4 == 0, 36)})[0]
    assert "strongest" not in sentence
    assert "strongest in 'kind 0' (100.0, 10 examples)" in told({"mine": run(lambda at: at % 4 == 0, 40)})[0]


def test_without_slices():
    assert told({"mine": run(lambda at: True, by=())})[0].endswith("100.0.")
    runs = {"old": run(lambda at: at % 4 == 1, by=()), "new": run(lambda at: at % 4 in (1, 2), by=())}
    assert "slices" not in told(runs)[0]


@pytest.mark.parametrize(
    ("protocol", "gold_file", "said"),
    [
        ("docvqa", "gold.json", "scores 0.887 ANLS on 4 examples"),
        ("mmmu", "answers.json", "scores 0.600 accuracy on 5 examples"),
    ],
)
def test_official_names_that_say_nothing_are_not_said(protocol, gold_file, said):
    sample = Path(fullmarks.__file__).parent / "protocols" / protocol / "sample"
    result = fullmarks.score(protocol, sample / gold_file, sample / "predictions.json")
    assert said in headline(standings({"mine": result}, sampling=QUICK))[0]


def test_several_systems_best_against_second():
    runs = {"a": by_chance(0.3, 1), "b": by_chance(0.9, 2), "c": by_chance(0.6, 3)}
    found = standings(runs, main_score="f1", sampling=QUICK)
    pair = leaders(found)
    assert (pair.best, pair.second, pair.pairs) == ("b", "c", 3)
    low, high = (f"{100 * end:.1f}" for end in (pair.test.interval.low, pair.test.interval.high))
    first, against = headline(found)
    assert first.startswith("Of 3 systems b is best: better than the second, c, by ")
    assert f"95 % interval {low} to {high} (for all 3 pairs at once)" in first
    assert first.endswith("; the difference holds in 4 of 4 slices by kind.")
    assert against == "Against the baseline a, of 2 systems: 2 significantly better."


def test_several_systems_that_cannot_be_told_apart():
    runs = {"a": by_chance(0.5, 1), "b": by_chance(0.5, 2), "c": by_chance(0.5, 3), "low": by_chance(0.1, 4)}
    first, against = told(runs, baseline="low")
    assert " lead and cannot be told apart: " in first
    assert against == "Against the baseline low, of 3 systems: 3 significantly better."
    assert told(runs)[1] == "Against the baseline a, of 3 systems: 1 significantly worse, 2 not told apart."


def test_leaders_are_corrected_for_all_pairs():
    runs = {"a": by_chance(0.3, 1), "b": by_chance(0.6, 2), "c": by_chance(0.5, 3)}
    pair = leaders(standings(runs, main_score="f1", sampling=QUICK))
    alone = standings({"c": runs["c"], "b": runs["b"]}, main_score="f1", sampling=QUICK).comparison
    test = next(each for each in alone.differences if each.score == "f1").test
    assert pair.test.difference == test.difference
    assert pair.test.interval.level == pytest.approx(1 - 0.05 / 3, rel=1e-12)
    assert pair.test.interval.low < test.interval.low < test.interval.high < pair.test.interval.high
    assert pair.p_value == pytest.approx(min(1, 3 * test.permutation.p_value), rel=1e-12)


def test_less_is_better(monkeypatch):
    monkeypatch.setattr(SquadScores, "less_is_better", ("f1",))
    runs = {"old": run(lambda at: at % 4 in (1, 2)), "new": run(lambda at: at % 4 == 1)}
    sentence = told(runs)[0]
    assert sentence.startswith("new is better than old by 25.0 F1 (25.0 against 50.0, less is better), 95 % interval 2")
    assert sentence.endswith("; the difference holds in 1 of 4 slices by kind, significantly in 1.")
    alone = told({"new": runs["new"]})[0]
    assert alone.startswith("new scores 25.0 F1 (less is better) on 400 examples")
    assert "weakest in 'kind 1' (100.0, 100 examples)" in alone
    several = told({**runs, "third": run(lambda at: at % 4 != 3)})
    assert several[0].startswith(
        "Of 3 systems new is best: better than the second, old, by 25.0 F1 (25.0 against 50.0,"
    )
    assert several[1] == "Against the baseline old, of 2 systems: 1 significantly better, 1 significantly worse."


def test_a_small_difference_is_never_shown_as_none():
    rows = {"old": by_chance(0.5, 1), "new": by_chance(0.5, 2)}
    found = standings(rows, main_score="f1", sampling=QUICK)
    narrow = tuple(
        replace(each, test=replace(each.test, interval=replace(each.test.interval, low=0.00004, high=0.2)))
        for each in found.comparison.differences
    )
    sentence = headline(replace(found, comparison=replace(found.comparison, differences=narrow)))[0]
    assert "0.004" in sentence
