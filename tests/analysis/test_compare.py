"""Known answers for comparisons: equal systems, known effects, a fair coin's false alarms, and real systems."""

from __future__ import annotations

import json
import random

import pytest

import fullmarks
from fullmarks.analysis.compare import compare
from fullmarks.analysis.intervals import Sampling
from fullmarks.analysis.saved import load_run, save_run
from fullmarks.errors import MismatchError, UsageError
from fullmarks.stats.corrections import holm
from fullmarks.stats.paired import mcnemar

QUICK = Sampling(resamples=400)


def gold(n: int):
    return [
        {"id": f"q{number}", "references": ["yes"], "kind": "even" if number % 2 == 0 else "odd"} for number in range(n)
    ]


def answers(right):
    return [{"id": f"q{number}", "prediction": "yes" if is_right else "no"} for number, is_right in enumerate(right)]


def run(right, protocol="squad2", **options):
    return fullmarks.score(protocol, gold(len(right)), answers(right), by=("kind",), **options)


def test_equal_systems_do_not_differ():
    right = [number % 3 > 0 for number in range(120)]
    comparison = compare({"one": run(right), "same": run(right)}, sampling=QUICK)
    for each in (*comparison.differences, *comparison.slices):
        test = each.test
        assert test.difference == 0.0
        assert test.interval.low == pytest.approx(-test.interval.high)
        assert test.interval.low < 0.0
        assert (test.permutation.p_value, each.p_holm, test.p_mcnemar) == (1.0, 1.0, 1.0)
        assert test.p_bootstrap == (None if each.column else 1.0)
        assert (test.outcomes.wins, test.outcomes.losses) == (0, 0)
        assert test.effect.value == 0.0
    assert (comparison.changes[0].fixed, comparison.changes[0].broken) == ((), ())


def test_every_part_of_a_small_comparison_by_hand():
    """Ten questions; the new system fixes q0-q4 and breaks q9."""
    old = [False] * 5 + [True] * 5
    new = [True] * 5 + [True] * 4 + [False]
    comparison = compare({"old": run(old), "new": run(new)}, sampling=QUICK)
    assert (comparison.baseline, comparison.systems, comparison.main_score) == ("old", ("new",), "exact")
    exact, f1 = comparison.differences
    assert (exact.system, exact.score, f1.score) == ("new", "exact", "f1")
    assert (exact.test.system, exact.test.baseline) == (0.9, 0.5)
    assert exact.test.difference == pytest.approx(0.4)
    assert (exact.test.outcomes.wins, exact.test.outcomes.losses, exact.test.outcomes.ties) == (5, 1, 4)
    # Six decided questions, at most one of them on either side: 2 (1 + 6) / 64.
    assert exact.test.p_mcnemar == pytest.approx(14 / 64)
    assert exact.test.permutation.p_value == pytest.approx(14 / 64)
    assert exact.test.permutation.method == "exact"
    assert [exact.p_holm, f1.p_holm] == pytest.approx(holm([14 / 64, 14 / 64]))
    assert exact.test.effect.value == pytest.approx(5 / 6 - 0.5)
    assert exact.test.effect.odds_ratio == 5.0
    assert [change.id for change in comparison.changes[0].fixed] == [f"q{number}" for number in range(5)]
    (broken,) = comparison.changes[0].broken
    assert (broken.id, broken.baseline_prediction, broken.system_prediction) == ("q9", "yes", "no")
    assert (broken.baseline_score, broken.system_score, broken.references) == (1.0, 0.0, ["yes"])
    slices = {each.value: each.test for each in comparison.slices}
    assert slices["even"].difference == pytest.approx(3 / 5)
    assert slices["odd"].difference == pytest.approx(1 / 5)
    assert [each.value for each in comparison.slices] == ["even", "odd"]


def test_mcnemar_only_for_scores_of_0_and_1():
    pair = {
        "a": fullmarks.score("qa", [["red house"], ["c"]], ["red", "c"]),
        "b": fullmarks.score("qa", [["red house"], ["c"]], ["red house", "d"]),
    }
    tests = {each.score: each.test for each in compare(pair, sampling=QUICK).differences}
    assert tests["exact_match"].p_mcnemar == mcnemar(1, 1)
    assert tests["token_f1"].p_mcnemar is None
    assert list(tests) == ["exact_match", "token_f1", "bleu_1", "bleu_4", "corpus_bleu_1", "corpus_bleu_4"]


def test_holm_runs_over_all_systems_and_scores():
    base = [number % 2 == 0 for number in range(40)]
    better = [True] * 10 + base[10:]
    best = [True] * 40
    comparison = compare({"base": run(base), "better": run(better), "best": run(best)}, sampling=QUICK)
    raw = [each.test.permutation.p_value for each in comparison.differences]
    assert [(each.system, each.score) for each in comparison.differences] == [
        ("better", "exact"),
        ("better", "f1"),
        ("best", "exact"),
        ("best", "f1"),
    ]
    # Five questions that differ cannot give less than 2 / 32: of "better" nothing was asked that could be answered.
    assert [each.is_counted for each in comparison.differences] == [False, False, True, True]
    assert [each.p_holm for each in comparison.differences] == [2 * raw[0], 2 * raw[1], *holm(raw[2:])]
    assert comparison.test_notes[0].startswith("2 of 4 tests could not have reached 0.05")


def test_the_baseline_can_be_chosen():
    runs = {"a": run([True, False]), "b": run([True, True]), "c": run([False, False])}
    comparison = compare(runs, baseline="b", sampling=QUICK)
    assert comparison.baseline == "b"
    assert comparison.systems == ("a", "c")
    assert [each.test.difference for each in comparison.differences if each.score == "exact"] == [-0.5, -1.0]
    with pytest.raises(UsageError, match="no system 'x' to be the baseline; there are 'a', 'b', 'c'"):
        compare(runs, baseline="x")


def test_order_of_examples_does_not_matter():
    right = [True, False, True, True]
    straight = run(right)
    rows = list(zip(gold(4), answers([False, False, True, True]), strict=True))[::-1]
    backwards = fullmarks.score("squad2", [row[0] for row in rows], [row[1] for row in rows], by=("kind",))
    comparison = compare({"a": straight, "b": backwards}, sampling=QUICK)
    assert [change.id for change in comparison.changes[0].broken] == ["q0"]
    assert comparison.differences[0].test.difference == -0.25


def test_saved_runs_compare_as_fresh_ones(tmp_path):
    runs = {"a": run([True, False, True]), "b": run([True, True, False])}
    for name, result in runs.items():
        save_run(result, tmp_path / f"{name}.json")
    again = {name: load_run(tmp_path / f"{name}.json") for name in runs}
    assert compare(again, sampling=QUICK) == compare(runs, sampling=QUICK)


def test_runs_that_do_not_belong_together():
    one = run([True, True, False])
    with pytest.raises(MismatchError, match=r"^b: 1 questions of a are not in it \(first: 'q2'\)\. A paired"):
        compare({"a": one, "b": run([True, True])})
    with pytest.raises(MismatchError, match=r"^b: 1 of its questions are not in a \(first: 'q2'\)"):
        compare({"a": run([True, True]), "b": one})
    with pytest.raises(MismatchError, match="scored by squad1, but a by squad2"):
        compare({"a": one, "b": run([True] * 3, "squad1")})
    other = fullmarks.score("squad2", [{**record, "references": ["si"]} for record in gold(3)], answers([True] * 3))
    with pytest.raises(MismatchError, match=r"the gold answers of 3 questions differ from those of a \(first: 'q0'"):
        compare({"a": one, "b": other})
    with pytest.raises(UsageError, match="at least two systems, found 1"):
        compare({"a": one})
    with pytest.raises(UsageError, match="squad2 has no score 'bleu'; it has exact, f1"):
        compare({"a": one, "b": one}, main_score="bleu")


def test_other_rules_are_noted():
    right = [True, False]
    comparison = compare({"a": run(right), "b": run(right, na_prob_thresh=-0.5)}, sampling=QUICK)
    assert comparison.notes == (
        "b and a were scored by different rules: squad2|norm:squad|na_thresh:-0.5|variant:script|missing:error"
        " and squad2|norm:squad|variant:script|missing:error",
    )


def test_plain_data_is_json():
    comparison = compare({"a": run([True, False]), "b": run([True, True])}, sampling=QUICK)
    plain = json.loads(json.dumps(comparison.to_dict(1), allow_nan=False))
    assert plain["differences"][0]["difference"] == 0.5
    assert plain["changes"][0]["fixed"] == {
        "count": 1,
        "examples": [
            {
                "id": "q1",
                "references": ["yes"],
                "baseline_prediction": "no",
                "system_prediction": "yes",
                "baseline_score": 0.0,
                "system_score": 1.0,
            }
        ],
    }


def test_false_alarms_come_at_the_promised_rate():
    """Systems alike in truth: p under 0.05 at most 5 % of the time. 400 trials; the bound is 3 standard errors up."""
    chance = random.Random(7)
    alarms = 0
    for _ in range(400):
        first, second = ([chance.random() < 0.6 for _ in range(80)] for _ in range(2))
        comparison = compare({"a": run(first), "b": run(second)}, by=(), sampling=Sampling(resamples=100))
        alarms += comparison.differences[0].p_holm < 0.05
    assert alarms <= 400 * 0.05 + 3 * (400 * 0.05 * 0.95) ** 0.5


def test_a_known_effect_is_found_at_the_promised_rate():
    """60 % against 80 % on 200 questions is found by McNemar's test in some 99 % of trials (normal approximation)."""
    chance = random.Random(8)
    found = 0
    for _ in range(100):
        first = [chance.random() < 0.6 for _ in range(200)]
        second = [chance.random() < 0.8 for _ in range(200)]
        test = compare({"a": run(first), "b": run(second)}, by=(), sampling=Sampling(resamples=100)).differences[0].test
        found += test.permutation.p_value < 0.05 and test.interval.low > 0
    assert found >= 95


def test_bert_against_bidaf(real_data):
    folder = real_data / "squad"
    runs = {
        name: fullmarks.score("squad2", folder / "dev-v2.0.json", folder / f"{name}.json") for name in ("bidaf", "bert")
    }
    comparison = compare(runs)
    exact, f1 = comparison.differences
    assert exact.test.difference == runs["bert"].scores["exact"] - runs["bidaf"].scores["exact"]
    assert (exact.test.outcomes.wins, exact.test.outcomes.losses) == (2348, 800)
    assert exact.test.interval.low == pytest.approx(0.1304 - 1.96 * exact.test.interval.standard_error, abs=0.001)
    assert exact.p_holm < 1e-100
    assert f1.p_holm < 0.001
    assert {each.column for each in comparison.slices} == {"has_answer", "title"}
    assert len(comparison.slices) == 37
    assert (len(comparison.changes[0].fixed), len(comparison.changes[0].broken)) == (2348, 800)


def test_one_column_may_be_named_by_a_text():
    runs = {"old": run([False, True, True, False]), "new": run([True, True, False, True])}
    alone = compare(runs, by="kind", sampling=QUICK)
    assert alone.slices == compare(runs, by=["kind"], sampling=QUICK).slices
    assert {each.column for each in alone.slices} == {"kind"}


@pytest.mark.parametrize("protocol", ["qa", "pope", "squad2"])
def test_every_score_is_compared_by_its_own_value(protocol):
    """Scores that are no means too, such as corpus BLEU and the F1 of counts."""
    labels = ["yes", "no", "yes", "yes", "no", "no", "yes"]
    table = [{"id": at, "references": [label]} for at, label in enumerate(labels)]

    def answered(said):
        return fullmarks.score(protocol, [{**row, "prediction": text} for row, text in zip(table, said, strict=True)])

    runs = {
        "old": answered(["yes", "no", "no", "yes", "yes", "no", "no"]),
        "new": answered(["yes", "no", "yes", "yes", "yes", "no", "no"]),
    }
    compared = compare(runs, sampling=Sampling(resamples=50)).differences
    assert {each.score for each in compared} == set(runs["new"].scores)
    for each in compared:
        assert each.test.system == pytest.approx(runs["new"].scores[each.score], rel=1e-12)
        assert each.test.baseline == pytest.approx(runs["old"].scores[each.score], rel=1e-12)
