"""`compare` with several runs of a system: groups of files, groups of saved runs, tables with a column of runs."""

from __future__ import annotations

import csv
import io
import json

import pytest

QUICK = ("--resamples", "200", "-f", "json")
N = 24
RUNS = {"a1": 3, "a2": 4, "b1": 2, "b2": 5}
"""Every how manieth answer of a run is wrong."""


def answers(step):
    return {f"q{at}": "wrong" if at % step == 0 else f"answer {at}" for at in range(N)}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Gold, the four runs each in a file, and those of either system in one table of each kind."""
    monkeypatch.chdir(tmp_path)
    gold = [{"id": f"q{at}", "references": [f"answer {at}"]} for at in range(N)]
    (tmp_path / "gold.json").write_text(json.dumps(gold))
    for name, step in RUNS.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(answers(step)))
    for system in "ab":
        rows = [
            {"id": key, "prediction": text, "run": name}
            for name, step in RUNS.items()
            if name.startswith(system)
            for key, text in answers(step).items()
        ]
        (tmp_path / f"{system}.jsonl").write_text("\n".join(map(json.dumps, rows)))
        (tmp_path / f"{system}_list.json").write_text(json.dumps(rows))
        with (tmp_path / f"{system}.csv").open("w", newline="") as stream:
            writer = csv.DictWriter(stream, ["id", "prediction", "run"])
            writer.writeheader()
            writer.writerows(rows)
    return tmp_path


def compared(run, *words):
    ended = run("compare", *words, *QUICK)
    assert (ended.code, ended.err) == (0, "")
    return json.loads(ended.out)


def test_a_group_of_files_is_one_system(run, folder):
    plain = compared(run, "qa", "gold.json", "a1.json,a2.json", "b1.json,b2.json")
    assert (plain["baseline"], plain["systems"]) == ("a", ["b"])
    assert plain["runs"]["a"]["exact_match"]["runs"] == 2
    shares = [sum(text != "wrong" for text in answers(RUNS[name]).values()) / N for name in ("a1", "a2")]
    assert plain["scores"]["a"]["exact_match"] == pytest.approx(sum(shares) / 2)
    assert plain["differences"][0]["permutation_method"] == "runs"


@pytest.mark.parametrize("ending", [".jsonl", ".csv", "_list.json"])
def test_a_table_with_a_column_of_runs_is_the_same(run, folder, ending):
    files = compared(run, "qa", "gold.json", "a1.json,a2.json", "b1.json,b2.json")
    table = compared(run, "qa", "gold.json", f"a{ending}", f"b{ending}")
    for plain in (files, table):
        for each in (*plain["differences"], *plain["slices"]):
            del each["system"]
    assert table["differences"] == files["differences"]
    assert list(table["runs"].values()) == list(files["runs"].values())


def test_the_column_may_have_another_name(run, folder):
    text = (folder / "a.csv").read_text().replace("prediction,run", "prediction,seed", 1)
    (folder / "seeds.csv").write_text(text)
    (folder / "others.csv").write_text(text)
    plain = compared(run, "qa", "gold.json", "seeds.csv", "others.csv", "--columns", "run=seed")
    assert [spread["exact_match"]["runs"] for spread in plain["runs"].values()] == [2, 2]
    ended = run("compare", "qa", "gold.json", "seeds.csv", "a.csv", "--columns", "run=seed", *QUICK)
    assert ended.code == 2
    assert "a.csv: there is no column 'seed' to tell runs apart by. Check --columns run=NAME." in ended.err


def test_groups_of_saved_runs(run, folder):
    for name in RUNS:
        run("score", "qa", "gold.json", f"{name}.json", "-f", "full", "-o", f"{name}.run.json")
    saved = compared(run, "a1.run.json,a2.run.json", "b1.run.json")
    fresh = compared(run, "qa", "gold.json", "a1.json,a2.json", "b1.json")
    assert saved == fresh
    assert saved["notes"] == ["b1 has a single run: how far its runs would lie apart is unknown, and counts as nothing"]


def test_a_file_whose_name_has_a_comma_is_that_file(run, folder):
    (folder / "a1.json,a2.json").write_text((folder / "a1.json").read_text())
    plain = compared(run, "qa", "gold.json", "a1.json,a2.json", "b1.json")
    assert "runs" not in plain
    assert plain["differences"][0]["permutation_method"] == "exact"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("a1.json,,a2.json", "b1.json"), "'a1.json,,a2.json' has a comma without a file beside it"),
        (("a1.json,", "b1.json"), "'a1.json,' has a comma without a file beside it"),
        (("a1.json,a1.json", "b1.json"), "'a1.json' is given twice"),
        (("a1.json,a2.json", "a2.json"), "'a2.json' is given twice"),
        (("a1.json,none.json", "b1.json"), "none.json: there is no such file"),
        (("a1.json,a2.json", "b1.json", "--ci-method", "bca"), "leave the method 'bca' out"),
        (("a1.json,a2.json",), "at least two files of predictions"),
    ],
)
def test_what_is_refused(run, folder, words, said):
    ended = run("compare", "qa", "gold.json", *words)
    assert ended.code == 2
    assert said in ended.err


def test_a_run_that_lacks_questions_is_named(run, folder):
    rows = [line for line in (folder / "a.jsonl").read_text().splitlines() if '"q3"' not in line or '"a1"' in line]
    (folder / "a.jsonl").write_text("\n".join(rows))
    ended = run("compare", "qa", "gold.json", "a.jsonl", "b.jsonl")
    assert ended.code == 2
    assert "run a2 of a.jsonl: questions without a prediction: 1 (first ids: 'q3')" in ended.err


def test_a_record_without_its_run_is_an_error(run, folder):
    lines = (folder / "a.jsonl").read_text().splitlines()
    (folder / "a.jsonl").write_text("\n".join([*lines, json.dumps({"id": "q0", "prediction": "x", "run": None})]))
    ended = run("compare", "qa", "gold.json", "a.jsonl", "b.jsonl")
    assert ended.code == 2
    assert f"a.jsonl: record {2 * N + 1}: 'run' must name the run, found None" in ended.err


def test_names_are_told_apart(run, folder):
    (folder / "aa.json").write_text(json.dumps(answers(6)))
    plain = compared(run, "qa", "gold.json", "a1.json,a2.json", "aa.json,b1.json")
    assert (plain["baseline"], plain["systems"]) == ("a", ["aa,b1"])
    (folder / "x").mkdir()
    for name in ("a1", "a2"):
        (folder / "x" / f"{name}.json").write_text((folder / f"{name}.json").read_text())
    plain = compared(run, "qa", "gold.json", "a1.json,a2.json", "x/a1.json,x/a2.json")
    assert (plain["baseline"], plain["systems"]) == ("a1.json,a2.json", ["x/a1.json,x/a2.json"])


@pytest.mark.parametrize("rule", ["error", "first", "last"])
@pytest.mark.parametrize("ending", [".jsonl", ".csv", "_list.json"])
def test_no_rule_for_repeats_takes_runs_for_one(run, folder, rule, ending):
    ended = run("score", "qa", "gold.json", f"a{ending}", "--on-duplicate", rule)
    assert (ended.code, ended.out) == (2, "")
    assert f"a{ending}: predictions of several runs: {N}" in ended.err
    assert "the column 'run' has 2 values for the same questions" in ended.err


def test_a_table_of_both_with_runs_is_refused_too(run, folder):
    rows = [
        {"id": f"q{at}", "prediction": "x", "references": ["x"], "run": number} for number in (1, 2) for at in range(3)
    ]
    (folder / "both.jsonl").write_text("\n".join(map(json.dumps, rows)))
    ended = run("score", "qa", "both.jsonl", "--on-duplicate", "last")
    assert ended.code == 2
    assert "predictions of several runs" in ended.err


def test_true_repeats_and_other_meanings_of_the_column_stay(run, folder):
    rows = [{"id": key, "prediction": text, "run": at} for at, (key, text) in enumerate(answers(3).items())]
    (folder / "numbers.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert "runs" not in compared(run, "qa", "gold.json", "numbers.jsonl", "b1.json")
    repeated = [{"id": key, "prediction": text, "run": 1} for key, text in [*answers(3).items(), ("q0", "again")]]
    (folder / "again.jsonl").write_text("\n".join(map(json.dumps, repeated)))
    ended = run("score", "qa", "gold.json", "again.jsonl")
    assert "predictions with a repeated id: 1 (first ids: 'q0')" in ended.err
    assert run("score", "qa", "gold.json", "again.jsonl", "--on-duplicate", "last").code == 0


def test_other_formats(run, folder):
    words = ("compare", "qa", "gold.json", "a1.json,a2.json", "b1.json,b2.json", "--resamples", "200")
    text = run(*words, "-f", "text").out
    assert "sd of questions" in text
    assert all(len(line) <= 80 for line in text.splitlines() if "|runs:2" not in line)
    rows = list(csv.DictReader(io.StringIO(run(*words, "-f", "csv").out)))
    assert (rows[0]["runs_system"], rows[0]["runs_baseline"]) == ("2", "2")
    assert "| sd of runs |" in run(*words, "-f", "markdown").out


def test_parts_of_predictions_in_a_table_of_runs(run, tmp_path, monkeypatch):
    """A protocol whose predictions have several parts reads answers alone from a table of runs too."""
    monkeypatch.chdir(tmp_path)
    gold = [
        {"_id": f"q{at}", "answer": f"answer {at}", "supporting_facts": [["t", 0]], "type": "bridge", "level": "easy"}
        for at in range(6)
    ]
    (tmp_path / "gold.json").write_text(json.dumps(gold))
    for name in "ab":
        with (tmp_path / f"{name}.csv").open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(["id", "prediction", "run"])
            writer.writerows(
                [f"q{at}", f"answer {at}" if at % (step + 1) else "no", step] for step in (1, 2) for at in range(6)
            )
    plain = json.loads(run("compare", "hotpotqa", "gold.json", "a.csv", "b.csv", *QUICK).out)
    assert plain["scores"]["a"][plain["main_score"]] == pytest.approx((3 + 4) / 12)
    assert {spread[plain["main_score"]]["runs"] for spread in plain["runs"].values()} == {2}


def test_systems_may_have_names(run, folder):
    unnamed = compared(run, "qa", "gold.json", "a1.json,a2.json", "b1.json")
    plain = compared(run, "qa", "gold.json", "first=a1.json,a2.json", "other system=b1.json")
    assert (plain["baseline"], plain["systems"]) == ("first", ["other system"])
    assert plain["scores"]["first"] == unnamed["scores"]["a"]
    for asked in ("second", "second=b1.json", "b1.json"):
        found = compared(run, "qa", "gold.json", "a1.json", "second=b1.json", "--baseline", asked)
        assert (found["baseline"], found["systems"]) == ("second", ["a1"])


def test_saved_runs_may_have_names_and_stand_in_folders(run, folder):
    (folder / "a").mkdir()
    for name, path in (("a1", "a/1.run.json"), ("a2", "a/2.run.json"), ("b1", "x=y.json"), ("b2", "b2.run.json")):
        assert run("score", "qa", "gold.json", f"{name}.json", "-f", "full", "-o", path).code == 0
    found = compared(run, "ours=a/1.run.json,a/2.run.json", "x=y.json", "theirs=b2.run.json")
    assert [found["baseline"], *found["systems"]] == ["ours", "x=y", "theirs"]
    assert compared(run, "ours=a", "x=y.json", "theirs=b2.run.json") == found
    assert compared(run, "ours=a/", "./x=y.json", "theirs=b2.run.json") == found


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("=a1.json", "b1.json"), "'=a1.json' has no name before the '='"),
        (("a=", "b1.json"), "'a=' has no file after the '='"),
        (("a=a1.json", "a=b1.json"), "two systems are called 'a'"),
        (("a=none.json", "b1.json"), "none.json: there is no such file"),
    ],
)
@pytest.mark.parametrize("before", [(), ("qa", "gold.json")], ids=["saved runs", "predictions"])
def test_names_that_are_refused(run, folder, before, words, said):
    ended = run("compare", *before, *words)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
