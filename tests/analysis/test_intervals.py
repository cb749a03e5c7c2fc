"""Intervals of results: of means, corpus scores, slices and clusters, from kept rows and from counted ones."""

from __future__ import annotations

import json
import pickle
import random
import subprocess
import sys
from array import array
from typing import Any

import numpy as np
import pytest

import fullmarks
from fullmarks.analysis.intervals import (
    Confidence,
    Sampling,
    confidence,
    finish_of,
    metric_rows,
    result_confidence,
    slice_confidence,
)
from fullmarks.errors import InputError, UsageError
from fullmarks.metrics import counts, distinct_rows, row_counts
from fullmarks.metrics.answers import ExactMatch, TokenF1
from fullmarks.metrics.bleu import Bleu
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Counting, Tally
from fullmarks.report.sampling_line import resampling_words
from fullmarks.result import Result
from fullmarks.stats.bootstrap import score_intervals
from fullmarks.types import Examples, Total

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


METHODS = ("auto", "bca", "percentile")


def made_up(n: int = 700, seed: int = 1) -> list[dict[str, object]]:
    chance = random.Random(seed)
    records = []
    for number in range(n):
        words = chance.choices(WORDS, k=chance.randint(1, 5))
        answer = [*words[: chance.randint(0, 5)], *chance.choices(WORDS, k=chance.randint(0, 1))]
        references = [" ".join(words)] if chance.random() < 0.9 else [" ".join(words), " ".join(words[:1])]
        records.append(
            {
                "id": f"q{number}",
                "references": references,
                "prediction": " ".join(answer),
                "part": chance.choice(["a", "b", None, ["a", "c"], []]),
                "page": chance.choice([None, *range(60)]),
            }
        )
    return records


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    answers = made_up()
    votes = [{**each, "references": (each["references"] * 10)[:10]} for each in answers]
    unanswerable = [
        {**each, "references": [] if at % 5 == 0 else each["references"]} for at, each in enumerate(answers)
    ]
    for name, records in {"squad1": answers, "qa": answers, "vqa": votes, "squad2": unanswerable}.items():
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return folder


@pytest.mark.parametrize("cluster", [None, "page"])
@pytest.mark.parametrize("protocol", ["squad1", "squad2", "qa", "vqa"])
def test_counted_runs_have_the_intervals_of_kept_ones(tables, protocol, cluster):
    table = tables / f"{protocol}.jsonl"
    kept = fullmarks.score(protocol, table, by="part", also="page")
    counted = fullmarks.score(protocol, table, by="part", keep=False, intervals=True, cluster=cluster)
    assert not len(counted.tally.examples)
    for method in METHODS:
        sampling = Sampling(method=method, resamples=100, cluster=cluster)
        assert_alike(result_confidence(counted, ("part",), sampling), result_confidence(kept, ("part",), sampling))


def assert_alike(found: Confidence, wanted: Confidence) -> None:
    """Equal to the last bit, ends that are NaN and zeros with a sign included, values in the same order."""
    assert repr(found) == repr(wanted)


def tallied(metrics: list[Metric], rows: list[np.ndarray], labels: dict[str, list], chunk: int, **options) -> Result:
    """A result of given rows, added in chunks; half way the tally is pickled."""
    tally = Tally(metrics, ("part",), **options)
    n = len(rows[0])
    for start in range(0, n, chunk):
        stop = min(n, start + chunk)
        columns = {name: values[start:stop] for name, values in labels.items()}
        examples = Examples([*range(start, stop)], [""] * (stop - start), [[]] * (stop - start), columns)
        tally.add(examples, tuple(array("d", table[start:stop].ravel().tolist()) for table in rows))
        if start <= n // 2 < stop and not tally.keep:
            tally = pickle.loads(pickle.dumps(tally))
    return Result("qa", {}, {}, "", None, 1.0, tally, None)  # type: ignore[arg-type]


def labelled(n: int, seed: int) -> dict[str, list]:
    chance = random.Random(seed)
    parts = [chance.choice(["x", "y", "z", None, ("x", "z"), (), 1.5]) for _ in range(n)]
    return {"part": parts, "page": [chance.choice([None, "one", 2, *"abcdefghijklmnopqrstuvwxyz"]) for _ in range(n)]}


def metrics_and_rows(n: int, seed: int) -> tuple[list[Metric], list[np.ndarray]]:
    """Exact match, F1 with rows outside of 0 to 1 and zeros of both signs, and a score that is no mean."""
    chance = np.random.default_rng(seed)
    bleu = Bleu()
    exact = chance.integers(0, 2, (n, 1)) * 1.0
    f1 = chance.choice([0.0, -0.0, 0.4, 2 / 3, 1.0, -0.3 if seed % 2 else 1.0], (n, 1))
    ngrams = chance.integers(1, 4, (n, len(bleu.columns))) * 1.0
    return [ExactMatch(), TokenF1(), bleu], [exact, f1, ngrams]


@pytest.mark.parametrize("cluster", [None, "page"])
@pytest.mark.parametrize(
    ("n", "chunk", "resamples"),
    [
        *((1, 1, 20), (40, 1, 20), (150, 7, 20), (300, 10_000, 20)),
        *(
            pytest.param(n, chunk, 100, marks=pytest.mark.deep)
            for n, chunk in [(1, 1), (40, 1), (333, 7), (333, 101), (2_000, 333), (2_000, 10_000)]
        ),
    ],
)
def test_chunks_of_any_size_and_rows_of_any_kind(n, chunk, resamples, cluster):
    metrics, rows = metrics_and_rows(n, seed=n + chunk)
    labels = labelled(n, seed=chunk)
    kept = tallied(metrics, rows, labels, n)
    counted = tallied(metrics, rows, labels, chunk, keep=False, counting=Counting(("part",), "page"))
    for method in METHODS:
        sampling = Sampling(method=method, resamples=resamples, cluster=cluster)
        assert_alike(result_confidence(counted, ("part",), sampling), result_confidence(kept, ("part",), sampling))


@pytest.mark.parametrize(
    ("at_once", "n", "chunk"),
    [(1 << 10, 2_400, 2_200), pytest.param(counts._PIECE, 150_000, 140_000, marks=pytest.mark.deep)],
)
def test_more_examples_than_are_counted_at_once(at_once, n, chunk, monkeypatch):
    assert chunk > 2 * at_once
    monkeypatch.setattr(counts, "_PIECE", at_once)
    metrics, rows = metrics_and_rows(n, seed=2)
    labels = labelled(n, seed=2)
    kept = tallied(metrics[:2], rows[:2], labels, n)
    counted = tallied(metrics[:2], rows[:2], labels, chunk, keep=False, counting=Counting(("part",), "page"))
    for cluster in (None, "page"):
        sampling = Sampling(method="bca", resamples=50, cluster=cluster)
        assert_alike(result_confidence(counted, ("part",), sampling), result_confidence(kept, ("part",), sampling))


@pytest.mark.parametrize("method", METHODS)
def test_nothing_but_negative_zeros_stays_one(method):
    rows, labels = [np.full((30, 1), -0.0)], labelled(30, 1)
    kept = tallied([ExactMatch()], rows, labels, 30)
    counted = tallied([ExactMatch()], rows, labels, 7, keep=False, counting=Counting(("part",)))
    sampling = Sampling(method=method, resamples=50)
    assert_alike(result_confidence(counted, ("part",), sampling), result_confidence(kept, ("part",), sampling))


def test_rows_that_are_not_finite_are_the_same_error():
    rows, labels = np.ones((50, 1)), labelled(50, 1)
    rows[[23, 31]] = [[float("nan")], [float("inf")]]
    told = []
    for options in ({}, {"keep": False, "counting": Counting(("part",))}):
        result = tallied([ExactMatch()], [rows], labels, 5, **options)
        for asked in (confidence, lambda run: slice_confidence(run, "part")):
            with pytest.raises(InputError, match="2 of 50 rows hold NaN or infinity, the first at index 23") as error:
                asked(result)
            told.append(str(error.value))
    assert len(set(told)) == 1


@pytest.fixture
def few(monkeypatch):
    """As if ten distinct rows were too many."""
    monkeypatch.setattr(row_counts.DistinctRows.__init__, "__defaults__", (10,))


def continuous(n: int, seed: int = 5) -> tuple[list[Metric], list[np.ndarray], dict[str, list]]:
    chance = np.random.default_rng(seed)
    log_scores = chance.normal(-2.0, 0.7, (n, 1))
    return [ExactMatch(), TokenF1()], [chance.beta(2, 3, (n, 1)), log_scores], labelled(n, seed)


def too_many(n: int) -> tuple[Result, list[Result]]:
    """A run of rows that are all different, kept, and the same counted in small chunks and at once."""
    metrics, rows, labels = continuous(n)
    kept = tallied(metrics, rows, labels, n)
    counted = [
        tallied(metrics, rows, labels, chunk, keep=False, counting=Counting(("part",), "page")) for chunk in (977, n)
    ]
    return kept, counted


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(("n", "units"), [(20_000, 4_067), pytest.param(60_000, 4_096, marks=pytest.mark.deep)])
def test_beyond_the_bound_intervals_are_over_buckets_and_say_so(n, units):
    """Of 4,096 buckets 20,000 examples leave 31 empty on average, 60,000 none."""
    kept, counted = too_many(n)
    for method in METHODS:
        assert_over_buckets(kept, counted, method, units)


def assert_over_buckets(kept: Result, found: list[Result], method: Any, units: int) -> None:
    sampling = Sampling(method=method, resamples=400)
    (one, other), plain = (
        [result_confidence(each, ("part",), sampling) for each in found],
        result_confidence(kept, ("part",), sampling),
    )
    assert_alike(one, other)
    names = {"auto": ("wilson", "bca")}.get(method, (method, method))
    for (name, interval), used in zip(one.scores.items(), names, strict=True):
        assert interval.method == f"bucket-{used}"
        assert interval.note.startswith("too many different rows to count: the units are buckets")
        assert interval.units == units
        wanted = plain.scores[name]
        assert interval.standard_error == pytest.approx(wanted.standard_error, rel=0.05)
        width = wanted.high - wanted.low
        assert interval.low == pytest.approx(wanted.low, abs=0.1 * width)
        assert interval.high == pytest.approx(wanted.high, abs=0.1 * width)
    assert f"by buckets over {units:,} buckets" in resampling_words(sampling, one.scores.values())
    assert list(one.slices["part"]) == list(plain.slices["part"])
    assert {each.method for group in one.slices["part"].values() for each in group.values()} == {
        f"bucket-{used}" for used in names
    }
    clustered = [result_confidence(each, (), Sampling(method=method, resamples=400, cluster="page")) for each in found]
    assert_alike(*clustered)


@pytest.mark.usefixtures("few")
def test_clusters_alone_need_no_buckets():
    metrics, rows, labels = continuous(3_000)
    labels["page"] = [label or "none" for label in labels["page"]]
    kept = tallied(metrics, rows, labels, 3_000)
    counted = tallied(metrics, rows, labels, 100, keep=False, counting=Counting(("part",), "page"))
    for method in METHODS:
        sampling = Sampling(method=method, resamples=200, cluster="page")
        assert_alike(result_confidence(counted, ("part",), sampling), result_confidence(kept, ("part",), sampling))


@pytest.mark.usefixtures("few")
def test_examples_without_a_cluster_fall_into_buckets_in_the_slices_that_have_such():
    metrics, rows, labels = continuous(3_000)
    labels["part"] = [part if isinstance(part, str) else "w" for part in labels["part"]]
    labels["page"] = [
        None if part == "z" else page or "none" for part, page in zip(labels["part"], labels["page"], strict=True)
    ]
    counted = tallied(metrics, rows, labels, 100, keep=False, counting=Counting(("part",), "page"))
    found = slice_confidence(counted, "part", Sampling(resamples=200, cluster="page"))
    used = {label: {each.method for each in group.values()} for label, group in found.items()}
    assert used.pop("z") == {"bucket-wilson", "bucket-bca"}
    assert len(used) == 3
    assert all(methods == {"wilson", "bca"} for methods in used.values())


def test_a_column_without_any_value_has_no_slices():
    metrics, rows, labels = continuous(20)
    labels["part"] = [()] * 20
    counted = tallied(metrics, rows, labels, 3, keep=False, counting=Counting(("part",), "page"))
    for cluster in (None, "page"):
        assert slice_confidence(counted, "part", Sampling(resamples=50, cluster=cluster)) == {}


@pytest.mark.usefixtures("few")
def test_too_many_values_of_continuous_rows_are_refused():
    metrics, rows, labels = continuous(5_000)
    labels["part"] = list(range(5_000))
    counted = tallied(metrics, rows, labels, 500, keep=False, counting=Counting(("part",)))
    assert confidence(counted, Sampling(resamples=50))
    with pytest.raises(UsageError, match="score with keep=True"):
        slice_confidence(counted, "part", Sampling(resamples=50))


def test_what_was_not_counted_is_an_error(tables):
    table = tables / "qa.jsonl"
    sums = fullmarks.score("qa", table, keep=False)
    with pytest.raises(UsageError, match="intervals=True"):
        confidence(sums)
    counted = fullmarks.score("qa", table, keep=False, intervals=True, also="page")
    with pytest.raises(UsageError, match="no column 'page' to slice or cluster by; it offers none"):
        confidence(counted, Sampling(cluster="page"))
    with pytest.raises(UsageError, match="no column 'part' to slice or cluster by; it offers none"):
        slice_confidence(counted, "part")
    with pytest.raises(UsageError, match="the column 'part' holds lists"):
        fullmarks.score("qa", table, keep=False, intervals=True, cluster="part")
    with pytest.raises(UsageError, match="intervals must be True or False"):
        fullmarks.score("qa", table, intervals="yes")


def test_a_run_that_asks_for_no_intervals_needs_no_numpy(tables):
    script = (
        "import sys, fullmarks; fullmarks.score('squad1', sys.argv[1], keep=False);"
        "assert 'numpy' not in sys.modules;"
        "fullmarks.score('squad1', sys.argv[1], keep=False, intervals=True); assert 'numpy' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script, str(tables / "squad1.jsonl")], check=True)


def test_counts_grow_with_values_and_clusters_alone():
    metrics, rows = metrics_and_rows(2_000, seed=2)
    labels, sizes = labelled(2_000, seed=2), []
    tally = Tally(metrics[:2], ("part",), keep=False, counting=Counting(("part",), "page"))
    examples = Examples([*range(2_000)], [""] * 2_000, [[]] * 2_000, labels)
    buffers = tuple(array("d", table.ravel().tolist()) for table in rows[:2])
    for _ in range(20):
        tally.add(examples, buffers)
        sizes.append(len(pickle.dumps(tally)))
    assert sizes[-1] - sizes[0] < 1_000  # numbers that are larger have a few bytes more


@pytest.mark.parametrize("more", [(), ("--by", "part"), ("--by", "part", "--cluster", "page")])
def test_the_command_keeps_no_examples_for_intervals(tables, tmp_path, monkeypatch, capfd, more):
    """Only a run that is saved keeps them; its intervals are the same."""
    from fullmarks.cli.main import main

    kept, score = [], fullmarks.evaluate.score

    def spied(*args: object, **options: object) -> Result:
        result = score(*args, **options)
        kept.append(len(result.tally.examples))
        return result

    monkeypatch.setattr("fullmarks.evaluate.score", spied)
    asked = ("score", "squad1", str(tables / "squad1.jsonl"), "--ci", *more, "-f", "full", "-q")
    assert main([*asked, "-o", str(tmp_path / "run.json")]) == main(asked) == 0
    assert kept == [700, 0]
    shown, saved = json.loads(capfd.readouterr().out), json.loads((tmp_path / "run.json").read_bytes())
    assert shown["intervals"] == saved["intervals"]
    assert len(shown["intervals"]["slices"]) == len(more[:2]) // 2


def test_the_bound_is_that_of_the_documentation():
    assert (distinct_rows.BOUND, row_counts.BOUND_OF_GROUPS) == (131_072, 1_048_576)
