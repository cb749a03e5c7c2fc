"""Intervals of results: means at once, corpus scores by their own finish, slices and clusters alike."""

from __future__ import annotations

import random

import numpy as np
import pytest

import fullmarks
from fullmarks.analysis.intervals import (
    Sampling,
    confidence,
    finish_of,
    metric_rows,
    result_confidence,
    slice_confidence,
)
from fullmarks.errors import UsageError
from fullmarks.stats.bootstrap import score_intervals
from fullmarks.types import Total

WORDS = ["red", "green", "blue", "black", "white", "grey"]
QUICK = Sampling(resamples=500)


def simulated(n: int, seed: int = 1):
    chance = random.Random(seed)
    gold, answers = [], []
    for number in range(n):
        words = chance.choices(WORDS, k=5)
        wrong = chance.choices(WORDS, k=5)
        kept = chance.randint(0, 5)
        gold.append({"id": number, "references": [" ".join(words)], "part": number % 3, "page": number // 4})
        answers.append({"id": number, "prediction": " ".join([*words[:kept], *wrong[kept:]])})
    return gold, answers


@pytest.fixture(scope="module")
def result():
    return fullmarks.score("qa", *simulated(120), by=("part",), also=("page",))


def test_means_are_those_of_the_statistics_room(result):
    rows = np.array(result.tally.rows[1]).reshape(-1, 1)
    assert confidence(result, QUICK)["token_f1"] == score_intervals(rows, resamples=500)[0]


def test_every_score_lies_in_its_interval(result):
    found = confidence(result, QUICK)
    assert list(found) == list(result.scores)
    for name, interval in found.items():
        assert interval.low < result.scores[name] < interval.high, name
        wanted = ("bca", 500) if name.startswith("corpus") else ("wilson", 0)
        assert (interval.level, interval.method, interval.resamples) == (0.95, *wanted)


def test_corpus_scores_are_finished_from_resampled_sums(result):
    """The percentile interval of corpus BLEU against resampling example by example."""
    metric, rows = metric_rows(result.tally)[4]
    assert metric.scores == ("corpus_bleu_1",)
    chance = np.random.default_rng(5)
    scores = []
    for _ in range(4000):
        sums = rows[chance.integers(0, len(rows), len(rows))].sum(axis=0)
        scores.append(metric.finish(Total(len(rows), tuple(sums)))["corpus_bleu_1"])
    low, high = np.quantile(scores, [0.025, 0.975])
    found = confidence(result, Sampling(method="percentile", resamples=4000))["corpus_bleu_1"]
    # Monte Carlo error of an end over 4000 resamples is some 0.0012 here on either side.
    assert found.low == pytest.approx(low, abs=0.005)
    assert found.high == pytest.approx(high, abs=0.005)
    assert found.standard_error == pytest.approx(np.std(scores), rel=0.05)


def test_finish_works_on_any_leading_axes(result):
    metric, rows = metric_rows(result.tally)[5]
    finish = finish_of(metric)
    sums = np.stack([rows[:10].sum(axis=0), rows[:20].sum(axis=0)])
    counts = np.array([[10.0], [20.0]])
    flat = finish(sums, counts)
    assert flat.shape == (2, 1)
    assert finish(sums[None], counts[None]).tolist() == [flat.tolist()]
    assert flat[0, 0] == metric.finish(Total(10, tuple(sums[0])))["corpus_bleu_4"]


def test_slices_have_their_own(result):
    found = slice_confidence(result, "part", QUICK)
    assert list(found) == [0, 1, 2]
    for value, scores in result.by("part").items():
        for name, interval in found[value].items():
            assert interval.low <= scores[name] <= interval.high
    alone = fullmarks.score("qa", *(part[0::3] for part in simulated(120)))
    assert found[0] == confidence(alone, QUICK)


def test_clusters_of_like_examples_widen_the_interval():
    """Every answer four times over: the examples tell no more than the pages do."""
    gold, answers = simulated(60)
    many_gold = [
        {**record, "id": f"{record['id']}-{copy}", "page": record["id"]} for record in gold for copy in range(4)
    ]
    many = [{**record, "id": f"{record['id']}-{copy}"} for record in answers for copy in range(4)]
    single = confidence(fullmarks.score("qa", gold, answers), Sampling(resamples=2000))["token_f1"]
    result = fullmarks.score("qa", many_gold, many, also=("page",))
    naive = confidence(result, Sampling(resamples=2000))["token_f1"]
    clustered = confidence(result, Sampling(resamples=2000, cluster="page"))["token_f1"]
    assert clustered.standard_error == pytest.approx(single.standard_error)
    assert naive.standard_error == pytest.approx(single.standard_error / 2, rel=0.02)
    assert clustered.high - clustered.low > 1.8 * (naive.high - naive.low)


def test_official_files_bring_their_clusters():
    question = {"answers": [{"text": "x"}]}
    paragraphs = [{"qas": [{"id": "a", **question}, {"id": "b", **question}]}, {"qas": [{"id": "c", **question}]}]
    articles = [
        {"title": "A", "paragraphs": paragraphs},
        {"title": "B", "paragraphs": [{"qas": [{"id": "d", **question}]}]},
    ]
    result = fullmarks.score("squad2", {"data": articles}, dict.fromkeys("abcd", "x"))
    assert result.tally.examples.columns["paragraph"] == [0, 0, 1, 2]
    annotations = [{"question_id": at, "image_id": at // 2, "answers": [{"answer": "x"}] * 2} for at in range(4)]
    result = fullmarks.score(
        "vqa", {"annotations": annotations}, [{"question_id": at, "answer": "x"} for at in range(4)]
    )
    assert result.tally.examples.columns["image_id"] == [0, 0, 1, 1]
    assert confidence(result, Sampling(resamples=50, cluster="image_id"))["accuracy"].low <= 1 / 3


def test_the_seed_decides_every_digit(result):
    assert confidence(result, QUICK) == confidence(result, QUICK)
    assert confidence(result, QUICK) != confidence(result, Sampling(resamples=500, seed=1))


def test_plain_data_has_no_infinities():
    result = fullmarks.score("qa", [["a"]], ["a"])
    plain = result_confidence(result, (), QUICK).to_dict()
    assert plain["scores"]["exact_match"] == {
        "low": pytest.approx(0.2065493143772375),
        "high": 1.0,
        "standard_error": None,
        "method": "wilson",
        "units": 1,
        "note": "a single unit: its spread cannot be known",
    }
    assert plain["sampling"] == {"level": 0.95, "method": "auto", "resamples": 500, "seed": 0, "cluster": None}


def test_what_cannot_be_resampled(result):
    with pytest.raises(
        UsageError, match="there is no column 'colour' to slice or cluster by; it offers 'part', 'page'"
    ):
        confidence(result, Sampling(cluster="colour"))
    with pytest.raises(UsageError, match="keep=True"):
        confidence(fullmarks.score("qa", [["a"]], ["a"], keep=False))
    with pytest.raises(UsageError, match="level 95"):
        confidence(result, Sampling(level=95))
