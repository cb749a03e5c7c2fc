"""Intervals of runs that kept no rows: digit for digit those of the runs that did, or under another name."""

from __future__ import annotations

import json
import pickle
import random
import subprocess
import sys
from array import array

import numpy as np
import pytest

import fullmarks
from fullmarks.analysis.intervals import Confidence, Sampling, confidence, result_confidence, slice_confidence
from fullmarks.errors import InputError, UsageError
from fullmarks.metrics import distinct_rows, row_counts
from fullmarks.metrics.answers import ExactMatch, TokenF1
from fullmarks.metrics.bleu import Bleu
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Counting, Tally
from fullmarks.report.sampling_line import resampling_words
from fullmarks.result import Result
from fullmarks.types import Examples

METHODS = ("auto", "bca", "percentile")
WORDS = ["red", "green", "blue", "black", "white", "grey"]


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
        sampling = Sampling(method=method, resamples=400, cluster=cluster)
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
    counts = chance.integers(1, 4, (n, len(bleu.columns))) * 1.0
    return [ExactMatch(), TokenF1(), bleu], [exact, f1, counts]


@pytest.mark.parametrize("cluster", [None, "page"])
@pytest.mark.parametrize(("n", "chunk"), [(1, 1), (40, 1), (333, 7), (333, 101), (2_000, 333), (2_000, 10_000)])
def test_chunks_of_any_size_and_rows_of_any_kind(n, chunk, cluster):
    metrics, rows = metrics_and_rows(n, seed=n + chunk)
    labels = labelled(n, seed=chunk)
    kept = tallied(metrics, rows, labels, n)
    counted = tallied(metrics, rows, labels, chunk, keep=False, counting=Counting(("part",), "page"))
    for method in METHODS:
        sampling = Sampling(method=method, resamples=100, cluster=cluster)
        assert_alike(result_confidence(counted, ("part",), sampling), result_confidence(kept, ("part",), sampling))


def test_more_examples_than_are_counted_at_once():
    metrics, rows = metrics_and_rows(150_000, seed=2)
    labels = labelled(150_000, seed=2)
    kept = tallied(metrics[:2], rows[:2], labels, 150_000)
    counted = tallied(metrics[:2], rows[:2], labels, 140_000, keep=False, counting=Counting(("part",), "page"))
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


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("method", METHODS)
def test_beyond_the_bound_intervals_are_over_buckets_and_say_so(method):
    metrics, rows, labels = continuous(60_000)
    kept = tallied(metrics, rows, labels, 60_000)
    found = [
        tallied(metrics, rows, labels, chunk, keep=False, counting=Counting(("part",), "page"))
        for chunk in (977, 60_000)
    ]
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
        assert interval.units == 4_096
        wanted = plain.scores[name]
        assert interval.standard_error == pytest.approx(wanted.standard_error, rel=0.05)
        width = wanted.high - wanted.low
        assert interval.low == pytest.approx(wanted.low, abs=0.1 * width)
        assert interval.high == pytest.approx(wanted.high, abs=0.1 * width)
    assert "by buckets over 4,096 buckets" in resampling_words(sampling, one.scores.values())
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
