"""Systems on several benchmarks: what is one benchmark, what is missing, and what all say together."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest

import fullmarks
from fullmarks.analysis.across import Across, across_folder
from fullmarks.analysis.intervals import Sampling
from fullmarks.errors import InputError, UsageError

QUICK = Sampling(resamples=200)
SETS = ("dev", "test", "hard")


def run_of(seed: str, right: float, n: int = 120, protocol: str = "squad1") -> fullmarks.Result:
    """A run over the questions of this name, with so many right answers."""
    source = random.Random(f"{seed} {right}")
    gold = [{"id": f"{seed}{at}", "references": ["yes"]} for at in range(n)]
    predictions = [{"id": f"{seed}{at}", "prediction": "yes" if source.random() < right else "no"} for at in range(n)]
    return fullmarks.score(protocol, gold, predictions)


@pytest.fixture(scope="module")
def saved_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three systems on three sets of SQuAD's and one of another protocol."""
    folder = tmp_path_factory.mktemp("saved_runs")
    for system, right in (("alpha", 0.5), ("beta", 0.85), ("gamma", 0.52)):
        for name in SETS:
            place = folder / system / ("deep" if system == "beta" else "") / f"{name}.run.json"
            place.parent.mkdir(parents=True, exist_ok=True)
            fullmarks.save_run(run_of(name, right), place)
        fullmarks.save_run(run_of("other", right, protocol="qa"), folder / system / "qa.run.json.gz")
    return folder


@pytest.fixture
def folder(saved_runs: Path, tmp_path: Path) -> Path:
    """A copy of these, for a test to change."""
    shutil.copytree(saved_runs, tmp_path, dirs_exist_ok=True)
    return tmp_path


def found_in(folder: Path, **options: str) -> Across:
    return across_folder(folder, sampling=QUICK, **options)  # type: ignore[arg-type]


def test_benchmarks_are_told_apart_by_their_questions(folder: Path) -> None:
    found = found_in(folder)
    assert found.systems == ("alpha", "beta", "gamma")
    assert {benchmark.name for benchmark in found.benchmarks} == {"qa", *(f"squad1 {name}" for name in SETS)}
    assert (found.baseline, found.missing, found.warnings) == ("alpha", {}, ())
    qa = next(benchmark for benchmark in found.benchmarks if benchmark.name == "qa")
    assert (qa.score, qa.scale, qa.n) == ("ExactMatch", 1.0, 120)


def test_numbers_are_those_of_a_comparison(folder: Path) -> None:
    found = found_in(folder)
    benchmark = next(each for each in found.benchmarks if each.name == "squad1 dev")
    runs = {"alpha": run_of("dev", 0.5), "beta": run_of("dev", 0.85), "gamma": run_of("dev", 0.52)}
    known = fullmarks.compare(runs, sampling=QUICK)
    assert benchmark.cells["beta"].interval == known.intervals["beta"][known.main_score]
    (test,) = [each.test for each in known.differences if (each.system, each.score) == ("beta", known.main_score)]
    assert benchmark.cells["beta"].test == test
    assert benchmark.cells["alpha"].test is None
    assert benchmark.cells["beta"].p_holm >= test.permutation.p_value


def test_all_benchmarks_together(folder: Path) -> None:
    overall = found_in(folder).overall
    assert overall is not None
    ranks = dict(zip(overall.systems, overall.friedman.average_ranks, strict=True))
    assert ranks["beta"] == 1.0
    assert overall.better["beta"].count == 4
    assert overall.better["gamma"].count == 0
    assert "alpha" not in overall.better
    turned = found_in(folder, baseline="beta").overall
    assert turned is not None
    assert turned.friedman == overall.friedman
    assert [each.count for each in turned.better.values()] == [0, 0]


def test_a_missing_run_is_named_and_its_system_left_out(folder: Path) -> None:
    (folder / "alpha" / "test.run.json").unlink()
    found = found_in(folder)
    assert found.missing == {"alpha": ("squad1 test",)}
    assert found.baseline == "beta"  # the first that has all
    assert found.overall is not None
    assert found.overall.systems == ("beta", "gamma")
    dev = next(each for each in found.benchmarks if each.name == "squad1 dev")
    assert dev.cells["alpha"].test is not None
    with pytest.raises(UsageError, match="'alpha' cannot be the baseline: it has no run of squad1 test"):
        found_in(folder, baseline="alpha")
    (folder / "beta" / "deep" / "dev.run.json").unlink()
    (folder / "gamma" / "dev.run.json").unlink()
    with pytest.raises(UsageError, match=r"no system has a run of every benchmark.*'alpha' lacks squad1 test"):
        found_in(folder)


def test_one_complete_system_says_nothing_of_all(folder: Path) -> None:
    (folder / "alpha" / "test.run.json").unlink()
    (folder / "gamma" / "test.run.json").unlink()
    found = found_in(folder)
    assert found.overall is None
    lone = next(each for each in found.benchmarks if each.name == "squad1 test")
    assert list(lone.cells) == ["beta"]


def test_other_rules_are_another_benchmark(folder: Path) -> None:
    gold = [{"id": f"other{at}", "references": ["yes"], "prediction": "yes"} for at in range(120)]
    fullmarks.save_run(fullmarks.score("qa", gold, aggregate="mean"), folder / "alpha" / "qa.run.json.gz")
    with pytest.raises(UsageError, match=r"'alpha' lacks qa .*aggregate:max.*; 'beta' lacks qa .*aggregate:mean"):
        found_in(folder)


def test_less_is_better_is_ranked_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fullmarks.analysis.across.less_is_better", lambda result, score: result.protocol == "squad1")
    overall = found_in(folder).overall
    assert overall is not None
    ranks = dict(zip(overall.systems, overall.friedman.average_ranks, strict=True))
    assert ranks["beta"] == (3 + 3 + 3 + 1) / 4
    assert overall.better["beta"].count == 1


def test_layout(folder: Path, tmp_path: Path) -> None:
    fullmarks.save_run(run_of("dev", 0.5), folder / "alpha" / "again.json")
    with pytest.raises(InputError, match=r"dev\.run\.json: this is the same benchmark as .*again\.json"):
        found_in(folder)
    (folder / "alpha" / "again.json").unlink()
    (folder / "alpha" / "predictions.json").write_text("{}")
    (folder / "alpha" / ".hidden.json").write_text("{")
    assert "1 files of JSON are no saved runs" in found_in(folder).warnings[0]
    fullmarks.save_run(run_of("dev", 0.5), folder / "stray.json")
    with pytest.raises(InputError, match=r"stray\.json: this run lies in no folder of a system"):
        found_in(folder)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputError, match="there is no saved run below it"):
        found_in(empty)
    with pytest.raises(InputError, match="this is no folder"):
        found_in(tmp_path / "nowhere")


def test_one_system_is_nothing_to_compare(tmp_path: Path) -> None:
    (tmp_path / "alpha").mkdir()
    fullmarks.save_run(run_of("dev", 0.5), tmp_path / "alpha" / "dev.run.json")
    with pytest.raises(UsageError, match="at least two systems, found 1: alpha"):
        found_in(tmp_path)


def test_plain_data(folder: Path) -> None:
    (folder / "gamma" / "qa.run.json.gz").unlink()
    plain = json.loads(json.dumps(found_in(folder).to_dict()))
    assert plain["missing"] == {"gamma": ["qa"]}
    assert plain["overall"]["average_ranks"] == {"alpha": 2.0, "beta": 1.0}
    assert plain["overall"]["better_than_baseline"]["beta"]["at_least"] == 4
    assert sorted(plain["overall"]["better_than_baseline"]["beta"]["named"]) == sorted(
        each["name"] for each in plain["benchmarks"]
    )
    assert plain["benchmarks"][0]["systems"]["alpha"].keys() == {"value", "interval"}
