"""Comparisons of systems that ran several times on the same questions."""

from __future__ import annotations

import json

import numpy as np
import pytest

import fullmarks
from fullmarks import MismatchError, Sampling, UsageError
from fullmarks.report.comparison_tables import comparison_csv, comparison_lines, comparison_markdown
from fullmarks.stats.several_runs import compare_runs, run_spreads

N = 40
GOLD = [{"id": f"q{at}", "references": [f"answer {at}"], "kind": "xy"[at % 2], "page": at // 4} for at in range(N)]
QUICK = Sampling(resamples=200)


def made(seed, skill):
    """A run that has this share of the questions right, the earlier ones more often."""
    random = np.random.default_rng(seed)
    right = random.random(N) < skill + 0.2 * (0.5 - np.arange(N) / N)
    answers = {f"q{at}": f"answer {at}" if right[at] else "nothing" for at in range(N)}
    return fullmarks.score("qa", GOLD, answers, by=("kind", "page"))


def rows(results):
    return np.array([[[record["exact_match"]] for record in result.per_example] for result in results])


@pytest.fixture(scope="module")
def ours():
    return [made(seed, 0.7) for seed in (1, 2, 3)]


@pytest.fixture(scope="module")
def theirs():
    return [made(seed, 0.5) for seed in (4, 5)]


def test_the_score_is_the_mean_of_the_runs(ours, theirs):
    found = fullmarks.compare({"ours": ours, "theirs": theirs}, sampling=QUICK)
    assert found.scores["ours"]["exact_match"] == pytest.approx(np.mean([run.scores["exact_match"] for run in ours]))
    ((spread, interval),) = run_spreads(rows(ours))
    assert found.runs["ours"]["exact_match"] == spread
    assert found.intervals["ours"]["exact_match"] == interval
    (known,) = compare_runs(rows(theirs), rows(ours))
    test = found.differences[0].test
    assert (test.difference, test.interval, test.permutation) == (known.difference, known.interval, known.permutation)
    assert test.permutation.method == "runs"
    assert found.signatures["ours"].endswith("|runs:3")
    assert found.notes == ()


def test_scores_that_are_no_means_are_means_over_runs_too(ours, theirs):
    found = fullmarks.compare({"ours": ours, "theirs": theirs}, sampling=QUICK)
    (each,) = (each for each in found.differences if each.score == "corpus_bleu_1")
    wanted = [np.mean([run.scores["corpus_bleu_1"] for run in side]) for side in (theirs, ours)]
    assert (each.test.system, each.test.baseline) == pytest.approx(tuple(wanted))
    assert each.test.interval.resamples == 200
    assert 0 < each.test.permutation.p_value < 1


def test_slices_and_changes_are_of_the_mean_over_runs(ours, theirs):
    found = fullmarks.compare({"ours": ours, "theirs": theirs}, by="kind", sampling=QUICK)
    x = next(each for each in found.slices if each.value == "x")
    (known,) = compare_runs(rows(theirs)[:, ::2], rows(ours)[:, ::2], level=found.slice_level)
    assert x.test.interval == known.interval
    assert x.test.examples == N // 2
    (changes,) = found.changes
    before, after = rows(ours).mean(axis=(0, 2)), rows(theirs).mean(axis=(0, 2))
    assert len(changes.fixed) == np.count_nonzero(after > before)
    first = changes.broken[0]
    assert (len(first.baseline_prediction), len(first.system_prediction)) == (3, 2)
    assert first.baseline_score == before[int(first.id[1:])]


def test_slices_by_clusters(ours, theirs):
    sampling = Sampling(resamples=200, cluster="page")
    found = fullmarks.compare({"ours": ours, "theirs": theirs}, by=("kind", "page"), sampling=sampling)
    assert {each.column for each in found.slices} == {"kind"}
    assert found.differences[0].test.interval.units == N // 4


def test_one_system_may_have_a_single_run(ours, theirs):
    found = fullmarks.compare({"ours": ours[0], "theirs": theirs}, sampling=QUICK)
    assert found.notes == ("ours has a single run: how far its runs would lie apart is unknown, and counts as nothing",)
    assert found.runs["ours"]["exact_match"].between_runs is None
    assert found.intervals["ours"] == fullmarks.confidence(ours[0], QUICK)
    assert found.to_dict()["runs"]["ours"]["exact_match"]["between_runs"] is None
    assert "| ours | exact_match | 1 | 0." in comparison_markdown(found, 1)


def test_single_runs_are_compared_as_they_were(ours, theirs):
    plain = fullmarks.compare({"ours": ours[0], "theirs": theirs[0]}, sampling=QUICK)
    listed = fullmarks.compare({"ours": [ours[0]], "theirs": (theirs[0],)}, sampling=QUICK)
    assert listed == plain
    assert "runs" not in plain.to_dict()
    assert "runs" not in comparison_csv(plain)
    assert "runs" not in comparison_markdown(plain, 1)


def test_two_of_three_systems_with_single_runs_are_tested_by_permutation(ours, theirs):
    found = fullmarks.compare({"a": ours[0], "b": theirs[0], "c": ours[1:]}, sampling=QUICK)
    methods = {each.system: each.test.permutation.method for each in found.differences if each.score == "exact_match"}
    assert methods == {"b": "exact", "c": "runs"}
    lines = comparison_lines(found)
    assert "p: paired permutation test (exact)" in lines
    assert "p (several runs): Student's t for questions and runs" in lines


def test_every_document_shows_runs_and_both_spreads(ours, theirs):
    found = fullmarks.compare({"ours": ours, "theirs": theirs}, by="kind", sampling=QUICK)
    spread = found.runs["theirs"]["exact_match"]
    told = json.loads(json.dumps(found.to_dict()))["runs"]["theirs"]["exact_match"]
    assert told["runs"] == 2
    assert (told["between_examples"], told["between_runs"]) == (spread.between_examples, spread.between_runs)
    shown = f"| theirs | exact_match | 2 | {spread.between_examples:.4f} | {spread.between_runs:.4f} |"
    assert shown in comparison_markdown(found, 1)
    header, first, *others = comparison_csv(found).splitlines()
    record = dict(zip(header.split(","), first.split(","), strict=True))
    assert (record["runs_system"], record["runs_baseline"]) == ("2", "3")
    assert float(record["between_examples_system"]) == spread.between_examples
    assert float(record["between_runs_system"]) == spread.between_runs
    assert all(line.count(",") == header.count(",") for line in others)


def test_warnings_say_which_run(theirs):
    answers = {f"q{at}": "nothing" for at in range(N - 1)}
    lacking = fullmarks.score("qa", GOLD, answers, by=("kind", "page"), on_missing="zero")
    found = fullmarks.compare({"a": theirs, "b": [made(9, 0.5), lacking]}, sampling=QUICK)
    (warning,) = found.warnings["b"]
    assert warning.startswith("run 2: questions without a prediction: 1")
    assert any("b (run 2) and a (run 1) were scored by different rules" in note for note in found.notes)


def test_what_is_refused(ours, theirs):
    other = fullmarks.score("qa", GOLD[:-1], {f"q{at}": "x" for at in range(N - 1)})
    with pytest.raises(MismatchError, match=r"ours \(run 2\): 1 questions of ours \(run 1\) are not in it"):
        fullmarks.compare({"ours": [ours[0], other], "theirs": theirs})
    with pytest.raises(UsageError, match="'ours' has no run"):
        fullmarks.compare({"ours": [], "theirs": theirs})
    with pytest.raises(UsageError, match="a run of 'ours' is given twice"):
        fullmarks.compare({"ours": [ours[0], ours[0]], "theirs": theirs})
    with pytest.raises(UsageError, match="run 2 of 'ours' must be a Result"):
        fullmarks.compare({"ours": [ours[0], 1], "theirs": theirs})
    with pytest.raises(UsageError, match="leave the method 'bca' out"):
        fullmarks.compare({"ours": ours, "theirs": theirs}, sampling=Sampling(method="bca"))
