"""Systems as Python callers give them: results, paths of saved runs, folders of these, with names and without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.analysis.given_runs import named_runs
from fullmarks.analysis.intervals import Sampling

QUICK = Sampling(resamples=50)
GOLD = [{"id": f"q{at}", "references": ["x"]} for at in range(30)]


def scored(step: int) -> fullmarks.Result:
    return fullmarks.score("qa", GOLD, {f"q{at}": "x" if at % step else "y" for at in range(30)})


RUNS = {"a1": scored(2), "a2": scored(3), "b": scored(4)}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two runs of one system below a folder, and one of another beside it."""
    monkeypatch.chdir(tmp_path)
    for name, path in (("a1", "a/1.run.json"), ("a2", "a/deep/2.run.json.gz"), ("b", "b.run.json")):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        fullmarks.save_run(RUNS[name], path)
    (tmp_path / "a" / "notes.json").write_text("{}")
    return tmp_path


def counts(given: Any) -> dict[str, int]:
    return {name: len(runs) if isinstance(runs, (list, tuple)) else 1 for name, runs in named_runs(given).items()}


def test_names_of_all_that_can_be_given(folder: Path) -> None:
    assert counts(RUNS["b"]) == {"system": 1}
    assert counts("b.run.json") == counts(Path("b.run.json")) == counts(["b.run.json"]) == {"b": 1}
    assert counts(["new=b.run.json"]) == {"new": 1}
    assert counts([RUNS["a1"], "b.run.json", RUNS["a2"]]) == {"system 1": 1, "b": 1, "system 3": 1}
    assert counts({"x": RUNS["a1"], "y": "b.run.json"}) == {"x": 1, "y": 1}
    assert counts({"x": [RUNS["a1"], "a/deep/2.run.json.gz"], "y": folder / "b.run.json"}) == {"x": 2, "y": 1}
    assert counts(["a", "b.run.json"]) == {"a": 2, "b": 1}


def test_paths_compare_as_results_do(folder: Path) -> None:
    known = fullmarks.compare({"a": [RUNS["a1"], RUNS["a2"]], "b": RUNS["b"]}, sampling=QUICK).to_dict()
    for given in (
        {"a": ["a/1.run.json", "a/deep/2.run.json.gz"], "b": "b.run.json"},
        {"a": Path("a"), "b": RUNS["b"]},
        ["a/1.run.json,a/deep/2.run.json.gz", "b.run.json"],
        ["a=a", "b.run.json"],
    ):
        found = fullmarks.compare(given, sampling=QUICK)  # type: ignore[arg-type]
        names = dict(zip([found.baseline, *found.systems], ["a", "b"], strict=True))
        assert [each["difference"] for each in found.to_dict()["differences"]] == [
            each["difference"] for each in known["differences"]
        ]
        assert set(names.values()) == {"a", "b"}


@pytest.mark.parametrize("wrong", [None, 5, [5], [None, "x.json"], b"x.json", {"a.json"}])
def test_what_is_no_run_is_refused(wrong: Any) -> None:
    with pytest.raises(fullmarks.UsageError, match="runs must be a Result, the path of a saved run, a list of these"):
        named_runs(wrong)


def test_a_folder_without_runs_says_so(tmp_path: Path) -> None:
    with pytest.raises(fullmarks.InputError, match="there is no saved run below it"):
        named_runs(tmp_path)


def test_results_and_files_of_one_name(folder: Path) -> None:
    with pytest.raises(fullmarks.UsageError, match="two systems are called 'system 1'"):
        named_runs([RUNS["b"], "system 1=b.run.json"])


def test_a_comparison_as_a_data_frame() -> None:
    """The same numbers as its plain data, which tests of their own hold against other programs."""
    pandas = pytest.importorskip("pandas", reason="needs pandas: make install")
    gold = [{**each, "topic": at % 2} for at, each in enumerate(GOLD)]
    runs = {
        name: fullmarks.score("qa", gold, {f"q{at}": "x" if at % step else "y" for at in range(30)}, by="topic")
        for name, step in (("old", 2), ("new", 3))
    }
    found = fullmarks.compare(runs, by="topic", sampling=QUICK)
    frame, plain = found.to_pandas(), found.to_dict()
    records = [*plain["differences"], *plain["slices"]]
    assert len(frame) == len(records) == 6 + 2
    for name in (
        "system",
        "score",
        "value_system",
        "difference",
        "p_permutation",
        "p_holm",
        "wins",
        "losses",
        "ties",
        "n",
    ):
        assert list(frame[name]) == [each[name] for each in records]
    assert list(frame["low"]) == [each["interval"]["low"] for each in records]
    assert frame["column"].isna().tolist() == [True] * 6 + [False] * 2
    assert sorted(frame["value"].dropna()) == ["0", "1"]
    assert set(frame["baseline"]) == {"old"}
    assert pandas.api.types.is_float_dtype(frame["p_equivalence"])
    assert found.to_arrow().column_names == found.to_polars().columns == list(frame.columns)
    several = fullmarks.compare({"old": [runs["old"], runs["new"]], "new": runs["new"]}, sampling=QUICK).to_pandas()
    assert set(several["runs_baseline"]) == {2}
    assert several["between_runs_baseline"].notna().any()
