"""Where systems stand: names, baselines, and scores of single examples."""

from __future__ import annotations

import pytest

import fullmarks
from fullmarks.analysis.intervals import Sampling, confidence
from fullmarks.analysis.published import official_names, published_scores
from fullmarks.analysis.standings import example_scores, standings
from fullmarks.errors import UsageError

QUICK = Sampling(resamples=200)
GOLD = [["a"], ["b"], ["c"]]


def test_every_official_name_is_a_key_of_the_official_result():
    results = [
        fullmarks.score("qa", GOLD, ["a", "x", "c"]),
        fullmarks.score("squad1", [{"id": "1", "references": ["a"]}], [{"id": "1", "prediction": "a"}]),
        fullmarks.score("squad2", [{"id": "1", "references": ["a"]}], [{"id": "1", "prediction": "a"}]),
        fullmarks.score("vqa", [{"id": "1", "references": ["a"] * 10}], [{"question_id": "1", "answer": "a"}]),
    ]
    for result in results:
        names = official_names(result)
        assert list(names) == [name for metric in result.tally.metrics for name in metric.scores]
        for score, key in names.items():
            assert result.official[key] == pytest.approx(result.scale * result.scores[score], abs=0.005)


def test_one_run_has_intervals_and_nothing_to_compare():
    result = fullmarks.score("qa", GOLD, ["a", "x", "c"])
    found = standings({"only": result}, sampling=QUICK)
    assert found.comparison is None
    assert found.intervals == {"only": confidence(result, QUICK)}
    assert (found.baseline, found.main_score) == ("only", "exact_match")


def test_the_main_score_goes_by_either_name():
    result = fullmarks.score("qa", GOLD, ["a", "x", "c"])
    assert standings({"only": result}, main_score="F1", sampling=QUICK).main_score == "token_f1"
    assert standings({"only": result}, main_score="token_f1", sampling=QUICK).main_score == "token_f1"
    with pytest.raises(UsageError, match="no score 'F2'"):
        standings({"only": result}, main_score="F2", sampling=QUICK)


def test_wrong_use():
    result = fullmarks.score("qa", GOLD, ["a", "x", "c"])
    with pytest.raises(UsageError, match="at least one run"):
        standings({})
    with pytest.raises(UsageError, match="no system 'other' to be the baseline; there are 'only'"):
        standings({"only": result}, baseline="other")


def test_scores_of_examples():
    result = fullmarks.score("qa", GOLD, ["a", "x", "c"])
    scores = example_scores(result)
    assert list(scores) == list(result.scores)
    assert scores["exact_match"] == [1.0, 0.0, 1.0]
    assert scores["corpus_bleu_1"] == pytest.approx([1.0, 0.0, 1.0])


def test_published_scores_have_the_official_digits():
    moved = 0
    for n in range(2, 40):
        gold = [{"id": str(at), "references": ["a"]} for at in range(n)]
        answers = [{"id": str(at), "prediction": "a" if at % 3 else "b"} for at in range(n)]
        result = fullmarks.score("squad1", gold, answers)
        assert published_scores(result)["exact"] == result.official["exact_match"]
        moved += result.scale * result.scores["exact"] != result.official["exact_match"]
    assert moved  # a share times 100 is not always the share of 100
    rounded = fullmarks.score(
        "vqa", [{"id": str(at), "references": ["a"] * 10} for at in range(3)], [{"question_id": "1", "answer": "a"}],
        on_missing="zero",
    )  # fmt: skip
    assert published_scores(rounded)["accuracy"] == pytest.approx(100 / 3, rel=1e-15)


def test_one_column_may_be_named_by_a_text():
    table = [{"id": number, "references": ["a"], "prediction": "a", "kind": number % 2} for number in range(4)]
    result = fullmarks.score("qa", table, by="kind")
    assert standings({"only": result}, by="kind", sampling=QUICK).columns == ("kind",)
