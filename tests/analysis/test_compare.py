"""Known answers for comparisons: equal systems, known effects, false alarms, many slices at once, and real systems."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest

import fullmarks
from fullmarks.analysis.compare import compare
from fullmarks.analysis.intervals import Sampling
from fullmarks.analysis.saved import load_run, save_run
from fullmarks.analysis.standings import standings
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


@pytest.mark.parametrize("trials", [60, pytest.param(400, marks=pytest.mark.deep)])
def test_false_alarms_come_at_the_promised_rate(trials):
    """Systems alike in truth: p under 0.05 at most 5 % of the time. The bound is 3 standard errors up."""
    chance = random.Random(7)
    alarms = 0
    for _ in range(trials):
        first, second = ([chance.random() < 0.6 for _ in range(80)] for _ in range(2))
        comparison = compare({"a": run(first), "b": run(second)}, by=(), sampling=Sampling(resamples=100))
        alarms += comparison.differences[0].p_holm < 0.05
    assert alarms <= trials * 0.05 + 3 * (trials * 0.05 * 0.95) ** 0.5


@pytest.mark.parametrize(("trials", "least"), [(25, 23), pytest.param(100, 95, marks=pytest.mark.deep)])
def test_a_known_effect_is_found_at_the_promised_rate(trials, least):
    """60 % against 80 % on 200 questions is found by McNemar's test in some 99 % of trials (normal approximation)."""
    chance = random.Random(8)
    found = 0
    for _ in range(trials):
        first = [chance.random() < 0.6 for _ in range(200)]
        second = [chance.random() < 0.8 for _ in range(200)]
        test = compare({"a": run(first), "b": run(second)}, by=(), sampling=Sampling(resamples=100)).differences[0].test
        found += test.permutation.p_value < 0.05 and test.interval.low > 0
    assert found >= least


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


WORDS = ["red", "blue", "green", "house", "car", "tree", "sky", "river", "stone", "bird"]


def scored(texts: list[str], labels: list[str], protocol: str = "squad1", **options: Any) -> fullmarks.Result:
    gold = [{"id": at, "references": [" ".join(WORDS)], "kind": label} for at, label in enumerate(labels)]
    answers = [{"id": at, "prediction": text} for at, text in enumerate(texts)]
    return fullmarks.score(protocol, gold, answers, by=("kind",), **options)


def some_words(chance: random.Random) -> str:
    return " ".join(WORDS[: chance.randrange(1, 10)])


@pytest.mark.parametrize(("count", "resamples"), [(60, 1_000), pytest.param(600, 10_000, marks=pytest.mark.deep)])
def test_many_clear_slices_are_not_held_up_by_the_number_of_permutations(count: int, resamples: int) -> None:
    """Slices of 30 examples, each clearly better: the least share of permutations, times the slices, is above 0.05."""
    assert count / (resamples + 1) > 0.05
    chance = random.Random(1)
    labels = [f"kind {at % count}" for at in range(count * 30)]
    old = [" ".join(WORDS[: chance.randrange(1, 4)]) for _ in labels]
    new = [" ".join(WORDS[: chance.randrange(4, 10)]) for _ in labels]
    runs = {"old": scored(old, labels), "new": scored(new, labels)}
    comparison = compare(runs, by="kind", main_score="f1", sampling=Sampling(resamples=resamples))
    assert len(comparison.slices) == count
    assert max(each.p_holm for each in comparison.slices) < 0.001
    assert not any("random permutations" in note for note in comparison.test_notes)


def test_a_floor_that_decides_is_named() -> None:
    chance = random.Random(2)
    labels = [f"kind {at % 10}" for at in range(10 * 40)]
    old = ["x" if chance.random() < 0.6 else some_words(chance) for _ in labels]
    new = [some_words(chance) + " x" for _ in labels]
    runs = {"old": scored(old, labels, "qa"), "new": scored(new, labels, "qa")}
    comparison = compare(runs, by="kind", main_score="corpus_bleu_1", sampling=Sampling(resamples=2))
    plain = json.loads(json.dumps(comparison.to_dict()))
    assert any(each["permutation_at_floor"] for each in plain["slices"] + plain["differences"])
    note = next(note for note in plain["test_notes"] if "random permutations" in note)
    assert "have the least p-value of 40 random permutations, which corrected for" in note
    assert note.endswith("is above 0.05 whatever the difference: give more --resamples")


def test_a_test_does_not_hang_on_the_others() -> None:
    chance = random.Random(3)
    labels = ["a", "b", "c", "d"] * 60
    old, new = ([some_words(chance) for _ in labels] for _ in range(2))
    runs = {"old": scored(old, labels), "new": scored(new, labels), "other": scored(old[::-1], labels)}
    together = compare(runs, by="kind", main_score="f1", sampling=QUICK)
    alone = compare({name: runs[name] for name in ("old", "new")}, by=(), main_score="f1", sampling=QUICK)
    tests = [each.test for each in together.differences if each.system == "new"]
    assert tests == [each.test for each in alone.differences]


def test_scores_that_cannot_differ_are_not_counted() -> None:
    """Answers of one word have no BLEU-4, whatever they are: two tests of twelve that can show nothing."""
    labels = ["a"] * 60
    runs = {
        "old": scored(["x"] * 30 + ["red"] * 30, labels, "qa"),
        "new": scored(["red"] * 55 + ["x"] * 5, labels, "qa"),
    }
    comparison = compare(runs, by=(), sampling=QUICK)
    counted = {each.score: each.is_counted for each in comparison.differences}
    assert (counted["token_f1"], counted["corpus_bleu_4"], counted["bleu_4"]) == (True, False, False)
    outside = sum(not each for each in counted.values())
    assert f"{outside} of 6 tests could not have reached 0.05 and were not counted" in comparison.test_notes
    first = comparison.differences[1]
    assert first.p_holm <= (6 - outside) * first.test.permutation.p_value * (1 + 1e-12)


@pytest.mark.parametrize("rounds", [15, pytest.param(120, marks=pytest.mark.deep)])
def test_the_first_slice_of_equal_systems_seldom_excludes_zero(rounds: int) -> None:
    """The best of 20 slices by single 95 % intervals excludes zero in most rounds; jointly in at most 6 %."""
    chance, alarms = random.Random(4), 0
    labels = [str(at % 20) for at in range(20 * 12)]
    for _ in range(rounds):
        shared = [some_words(chance) for _ in labels]
        one, two = ([text if chance.random() < 0.6 else some_words(chance) for text in shared] for _ in range(2))
        runs = {"one": scored(one, labels), "two": scored(two, labels)}
        comparison = compare(runs, by="kind", main_score="f1", sampling=Sampling(resamples=10))
        assert comparison.slice_level == pytest.approx(1 - 0.05 / 20)
        interval = comparison.slices[0].test.interval
        assert interval.level == comparison.slice_level
        alarms += not interval.low <= 0 <= interval.high
    assert alarms / rounds <= 0.06 + 2 * math.sqrt(0.06 * 0.94 / rounds)


def test_a_corpus_score_has_no_wins() -> None:
    """Single sentences may say the opposite of the whole: what is left out says so."""
    labels = ["a"] * 4
    runs = {
        "old": scored(["red blue green house", "red", "x", "x y"], labels, "qa"),
        "new": scored(["red blue green house car tree sky", "x", "blue", "red"], labels, "qa"),
    }
    comparison = compare(runs, by=(), sampling=QUICK)
    plain = {each["score"]: each for each in comparison.to_dict()["differences"]}
    keys = ("effect", "wins", "losses", "ties")
    assert [plain["corpus_bleu_1"][key] for key in keys] == [None] * 4
    assert None not in [plain["token_f1"][key] for key in keys]
    assert (
        "corpus_bleu_1, corpus_bleu_4: no mean over examples, hence without effect, wins and losses"
        in comparison.test_notes
    )


def test_ranks_for_three_systems_and_not_for_two() -> None:
    labels = ["a"] * 60
    runs = {f"s{right}": scored(["red"] * (60 - right) + [" ".join(WORDS)] * right, labels) for right in (10, 50, 52)}
    comparison = compare(runs, by=(), sampling=QUICK)
    assert {name: (found.rank, found.best, found.worst) for name, found in comparison.ranks.items()} == {
        "s10": (3, 3, 3),
        "s50": (2, 1, 2),
        "s52": (1, 1, 2),
    }
    assert comparison.to_dict()["ranks"]["s50"] == {"rank": 2, "best": 1, "worst": 2}
    pair = compare({name: runs[name] for name in ("s10", "s50")}, by=(), sampling=QUICK)
    assert (pair.ranks, pair.to_dict()["ranks"]) == ({}, {})


def test_the_margin_of_equivalence_is_in_the_official_scale() -> None:
    labels = ["a"] * 100
    right = " ".join(WORDS)
    runs = {"old": scored([right] * 90 + ["x"] * 10, labels), "new": scored([right] * 91 + ["x"] * 9, labels)}
    comparison = compare(runs, by=(), sampling=QUICK, equivalence=6.0)
    found = comparison.differences[0].test.equivalence
    assert found is not None
    assert found.within is not None
    assert 0.01 < found.within < 0.06
    assert found.p_value is not None
    assert found.p_value < 0.05
    assert (comparison.equivalence, comparison.to_dict()["equivalence"]) == (6.0, 6.0)
    for wrong in (0.0, -1.0, math.inf):
        with pytest.raises(UsageError, match="equivalence"):
            compare(runs, equivalence=wrong)


QUESTIONS = {
    f"q{at}": {"Qcate": "color", "A": ["red"], "Keywords_A": "red", "img_posFacts": [{"image_id": at}]}
    for at in range(6)
}


def webqa(sources: bool, right: int) -> fullmarks.Result:
    answers = {f"q{at}": "red" if at < right else "blue" for at in range(6)}
    given = {name: {"answer": text, "sources": [name[1:]]} if sources else text for name, text in answers.items()}
    return fullmarks.score("webqa", QUESTIONS, given, spacy_model="simple")


def test_what_only_one_run_has_is_left_out_and_noted() -> None:
    runs = {"with": webqa(True, 5), "without": webqa(False, 3)}
    for order in (["with", "without"], ["without", "with"]):
        comparison = compare({name: runs[name] for name in order}, sampling=QUICK)
        assert not any(each.score.startswith("retrieval") for each in comparison.differences)
        difference = comparison.differences[0]
        assert difference.test.difference == pytest.approx(
            runs[order[1]].scores[difference.score] - runs[order[0]].scores[difference.score]
        )
        assert any(
            note.startswith("retrieval_f1") and note.endswith("only with can be scored by it")
            for note in comparison.notes
        )
    with pytest.raises(UsageError, match="not every run has the score 'retrieval_F1'; all have"):
        compare(runs, main_score="retrieval_F1")
    page = standings(runs, sampling=QUICK)
    assert not any(name.startswith("retrieval") for name in page.score_names)


def test_runs_that_share_no_score_are_an_error() -> None:
    gold = {"1": [{"type": "text", "content": ["a"]}]}
    given = {"1": [{"type": "text", "content": "a"}]}
    runs = {
        task: fullmarks.score("fusionbrain", gold, given, ids={"1": number}, task=task, synonyms="none")
        for task, number in (("TRitW", 5), ("TextQA", 0))
    }
    with pytest.raises(MismatchError, match="its metrics are not those of"):
        compare(runs)
