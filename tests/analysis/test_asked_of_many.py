"""Many questions at once: what random permutations cannot show, what no test could show, the best of many slices."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import numpy as np
import pytest

import fullmarks
from fullmarks.analysis.compare import compare
from fullmarks.analysis.intervals import Sampling
from fullmarks.analysis.standings import standings
from fullmarks.errors import MismatchError, UsageError
from fullmarks.stats.comparison import FEWEST_FOR_BOOTSTRAP, compare_systems
from fullmarks.stats.rows import Floats

QUICK = Sampling(resamples=400)
WORDS = ["red", "blue", "green", "house", "car", "tree", "sky", "river", "stone", "bird"]


def scored(texts: list[str], labels: list[str], protocol: str = "squad1", **options: Any) -> fullmarks.Result:
    gold = [{"id": at, "references": [" ".join(WORDS)], "kind": label} for at, label in enumerate(labels)]
    answers = [{"id": at, "prediction": text} for at, text in enumerate(texts)]
    return fullmarks.score(protocol, gold, answers, by=("kind",), **options)


def some_words(chance: random.Random) -> str:
    return " ".join(WORDS[: chance.randrange(1, 10)])


def test_many_clear_slices_are_not_held_up_by_the_number_of_permutations() -> None:
    """600 slices of 30 examples, each clearly better: every p-value was 1 / 10,001, times 600 above 0.05."""
    chance = random.Random(1)
    labels = [f"kind {at % 600}" for at in range(600 * 30)]
    old = [" ".join(WORDS[: chance.randrange(1, 4)]) for _ in labels]
    new = [" ".join(WORDS[: chance.randrange(4, 10)]) for _ in labels]
    runs = {"old": scored(old, labels), "new": scored(new, labels)}
    comparison = compare(runs, by="kind", main_score="f1")
    assert len(comparison.slices) == 600
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


def test_the_first_slice_of_equal_systems_seldom_excludes_zero() -> None:
    """The best of 20 slices by single 95 % intervals excludes zero in most rounds; jointly in at most 6 %."""
    chance, rounds, alarms = random.Random(4), 120, 0
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
    pytest.importorskip("rapidfuzz")
    gold = {"1": [{"type": "text", "content": ["a"]}]}
    given = {"1": [{"type": "text", "content": "a"}]}
    runs = {
        task: fullmarks.score("fusionbrain", gold, given, ids={"1": number}, task=task, synonyms="none")
        for task, number in (("TRitW", 5), ("TextQA", 0))
    }
    with pytest.raises(MismatchError, match="its metrics are not those of"):
        compare(runs)


def drawn_pair(kind: str, chance: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Two systems that are alike in truth, each another draw around what is shared."""
    if kind == "shares":
        shared = chance.random((n, 1)) < 0.6
        return tuple(  # type: ignore[return-value]
            np.where(chance.random((n, 1)) < 0.3, chance.random((n, 1)) < 0.6, shared).astype(np.float64)
            for _ in range(2)
        )
    steps = np.array([0, 0, 0, 0.25, 0.4, 0.5, 2 / 3, 0.8, 1, 1, 1])
    shared = chance.choice(steps, (n, 1))
    return tuple(  # type: ignore[return-value]
        np.where(chance.random((n, 1)) < 0.4, chance.choice(steps, (n, 1)), shared) for _ in range(2)
    )


@pytest.mark.parametrize("kind", ["shares", "parts"])
@pytest.mark.parametrize(("n", "in_cluster"), [(20, 1), (100, 1), (120, 4)])
def test_every_p_value_keeps_its_promise(kind: str, n: int, in_cluster: int) -> None:
    """Up to 0.05 in at most 6 % of 500 rounds, and two standard errors of such a share: 8.1 %."""
    chance, rounds = np.random.default_rng(20), 500
    alarms = {"permutation": 0, "bootstrap": 0, "mcnemar": 0, "interval": 0}
    clusters = None if in_cluster == 1 else [at // in_cluster for at in range(n)]
    for seed in range(rounds):
        system, baseline = drawn_pair(kind, chance, n)
        (test,) = compare_systems(system, baseline, resamples=199, seed=seed, clusters=clusters)
        assert (test.p_bootstrap is None) == (n // in_cluster < FEWEST_FOR_BOOTSTRAP)
        alarms["permutation"] += test.permutation.p_value <= 0.05
        alarms["bootstrap"] += test.p_bootstrap is not None and test.p_bootstrap <= 0.05
        alarms["mcnemar"] += test.p_mcnemar is not None and test.p_mcnemar <= 0.05
        alarms["interval"] += not test.interval.low <= 0 <= test.interval.high
    assert {name: found / rounds for name, found in alarms.items() if found / rounds > 0.081} == {}
