"""`compare` from files and saved runs, with one run of a system or several, in all formats."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from tests.cli.run_cli import SQUAD2, VQA

QUICK = ("--resamples", "200")


@pytest.fixture
def other(tmp_path):
    """The sample's predictions with every second one made wrong."""
    known = json.loads(Path(SQUAD2[1]).read_text())
    path = tmp_path / "other.run.json"
    path.write_text(json.dumps({key: text if at % 2 else "wrong" for at, (key, text) in enumerate(known.items())}))
    return path


def test_text_fits_the_terminal(run, other):
    ended = run("compare", "squad2", *SQUAD2, other, *QUICK, "-f", "text")
    assert (ended.code, ended.err) == (0, "")
    assert "difference from predictions" in ended.out
    assert "broken by other" in ended.out
    assert all(len(line) <= 80 for line in ended.out.splitlines())


def test_json_and_csv_agree(run, other):
    words = ("compare", "squad2", *SQUAD2, other, *QUICK)
    plain = json.loads(run(*words).out)
    assert (plain["baseline"], plain["systems"]) == ("predictions", ["other"])
    rows = list(csv.DictReader(io.StringIO(run(*words, "-f", "csv").out)))
    assert [row["score"] for row in rows if not row["column"]] == ["exact", "f1"]
    assert float(rows[0]["difference"]) == 100 * plain["differences"][0]["difference"]
    assert float(rows[0]["p_holm"]) == plain["differences"][0]["p_holm"]
    assert {row["column"] for row in rows if row["column"]} == {each["column"] for each in plain["slices"]}


def test_markdown(run, other):
    out = run("compare", "squad2", *SQUAD2, other, *QUICK, "-f", "markdown", "--examples", "1").out
    assert out.startswith("## squad2: other against predictions\n")
    assert "### broken by other: 1 example\n" in out


@pytest.mark.parametrize("name", ["other", "path"])
def test_baseline_by_name_or_file(run, other, name):
    chosen = str(other) if name == "path" else name
    plain = json.loads(run("compare", "squad2", *SQUAD2, other, *QUICK, "--baseline", chosen).out)
    assert plain["baseline"] == "other"
    assert plain["differences"][0]["difference"] > 0


def test_three_systems_and_options_first(run, other, tmp_path):
    third = tmp_path / "third.json"
    third.write_text(Path(SQUAD2[1]).read_text())
    words = ("compare", "--resamples", "200", "--by", "title", "--score", "f1", "squad2", *SQUAD2, other, third)
    plain = json.loads(run(*words).out)
    assert plain["systems"] == ["other", "third"]
    assert plain["main_score"] == "f1"
    assert {each["column"] for each in plain["slices"]} == {"title"}
    equal = [each for each in plain["differences"] if each["system"] == "third"]
    assert [each["p_holm"] for each in equal] == [1.0, 1.0]


def test_saved_runs_need_no_gold(run, other, tmp_path):
    for name, path in (("a", SQUAD2[1]), ("b", other)):
        run("score", "squad2", SQUAD2[0], path, "-f", "full", "-o", tmp_path / f"{name}.json.zst")
    saved = json.loads(run("compare", tmp_path / "a.json.zst", tmp_path / "b.json.zst", *QUICK).out)
    fresh = json.loads(run("compare", "squad2", *SQUAD2, other, *QUICK).out)
    assert (saved["baseline"], saved["systems"]) == ("a", ["b"])
    for each in (*saved["differences"], *fresh["differences"]):
        del each["system"]
    assert saved["differences"] == fresh["differences"]


def test_out_file(run, other, tmp_path):
    words = ("compare", "squad2", *SQUAD2, other, *QUICK)
    shown = run(*words, "-f", "markdown").out
    ended = run(*words, "-f", "markdown", "-o", tmp_path / "out.md")
    assert (ended.code, ended.out) == (0, "")
    assert (tmp_path / "out.md").read_text() == shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("compare", "squad2", *SQUAD2), "at least two files of predictions"),
        (("compare", "squad2", *SQUAD2, SQUAD2[1]), "is given twice"),
        (("compare", "absent.json", "gone.json"), "absent.json: there is no such file (the saved run)"),
        (("compare", SQUAD2[1], SQUAD2[0]), "this is not a saved run"),
        (("compare", SQUAD2[1]), "at least two saved runs"),
        (("compare", "squad7", "a", "b", "c"), "unknown protocol 'squad7'"),
        (("compare",), "name a protocol"),
    ],
)
def test_wrong_use_of_compare(run, words, message):
    ended = run(*words)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err


def test_names_of_systems_keep_their_dots(run, tmp_path):
    names = ["qwen2.5", "llama-3.1-8b", "Phi.GGUF"]
    endings = [".json", ".run.json", ".JSON"]
    paths = []
    for name, ending in zip(names, endings, strict=True):
        paths.append(tmp_path / f"{name}{ending}")
        paths[-1].write_text(Path(SQUAD2[1]).read_text())
    plain = json.loads(run("compare", "squad2", SQUAD2[0], *paths, *QUICK).out)
    assert [plain["baseline"], *plain["systems"]] == names


def test_warnings_about_the_input_are_said_for_each_system(run, other, tmp_path):
    known = json.loads(Path(SQUAD2[1]).read_text())
    part = tmp_path / "part.json"
    part.write_text(json.dumps(dict(list(known.items())[:3])))
    words = ("compare", "squad2", *SQUAD2, part, "--on-missing", "zero", *QUICK)
    ended = run(*words)
    assert "fullmarks: warning: part: questions without a prediction: 5" in ended.err
    assert list(json.loads(ended.out)["warnings"]) == ["part"]
    ended = run("crosscheck", "squad2", SQUAD2[0], part, "--on-missing", "zero")
    assert "fullmarks: warning: questions without a prediction: 5" in ended.err
    assert json.loads(ended.out)["audit"]["findings"][0]["count"] == 5


def test_slices_of_a_single_cluster_are_left_out_and_counted(run, other):
    words = ("compare", "squad2", *SQUAD2, other, *QUICK, "--cluster", "title")
    plain = json.loads(run(*words).out)
    assert {each["column"] for each in plain["slices"]} == {"has_answer"}
    (said,) = plain["left_out"]
    assert said == "2 slices by 'title' are left out, each of a single value of 'title': their spread cannot be known"
    assert said in run(*words, "-f", "text").out
    (said,) = json.loads(run(*words[:-2], "--by", "question").out)["left_out"]
    assert said.startswith("8 slices by 'question' are left out, each of a single example")


def test_what_is_known_about_single_intervals_is_said(run, tmp_path):
    for name, text in (("gold", ["a cat"]), ("one", "cat"), ("two", "dog")):
        (tmp_path / f"{name}.json").write_text(json.dumps([text]))
    words = ("compare", "qa", *(tmp_path / f"{name}.json" for name in ("gold", "one", "two")), *QUICK)
    assert "exact_match, token_f1, bleu_1 and 1 more: a single unit" in run(*words, "-f", "text").out
    rows = list(csv.DictReader(io.StringIO(run(*words, "-f", "csv").out)))
    assert rows[0]["note"] == "a single unit: its spread cannot be known"
    assert (rows[0]["p_bootstrap"], rows[0]["p_permutation"]) == ("", "1.0")


@pytest.mark.parametrize("score", ["accuracy", "overall"])
def test_scores_go_by_either_name(run, score, tmp_path):
    copy = tmp_path / "copy.json"
    copy.write_text(Path(VQA[1]).read_text())
    assert json.loads(run("compare", "vqa", *VQA, copy, *QUICK, "--score", score).out)["main_score"] == "accuracy"


def test_csv_has_the_official_digits(run, other):
    rows = csv.DictReader(io.StringIO(run("compare", "squad2", *SQUAD2, other, *QUICK, "-f", "csv").out))
    official = json.loads(run("score", "squad2", SQUAD2[0], other).out)
    for row in rows:
        if not row["column"]:
            assert float(row["value_system"]) == official[row["score"]]


def test_gold_on_standard_input_is_refused(run, other):
    ended = run("compare", "squad2", "-", SQUAD2[1], other)
    assert ended.code == 2
    assert "standard input can be read only once, and every system needs the gold" in ended.err


def test_options_of_one_system_are_not_offered(run, other):
    for option in ("--precision-recall", "--na-prob-file"):
        assert f"No such option '{option}'" in run("compare", "squad2", *SQUAD2, other, option, "x").err
    assert "--na-prob-file" in run("score", "squad2", "--help").out
    shown = run("compare", "fusionbrain", "--help").out
    assert not any(f"{option} " in shown for option in ("--images", "--hidden", "--save-stats"))


def test_equivalence_is_told_for_the_margin_asked_for(run, other):
    words = ("compare", "squad2", *SQUAD2, other, *QUICK, "--equivalence", "90")
    text = run(*words, "-f", "text").out
    assert re.search(r"other exact: (equivalent|not shown to be equivalent) within 90 \(p = ", text)
    plain = json.loads(run(*words).out)
    exact = plain["differences"][0]
    assert plain["equivalence"] == 90.0
    assert (exact["p_equivalence"] <= 0.05) == (exact["equivalent_within"] < 0.9)
    row = next(csv.DictReader(io.StringIO(run(*words, "-f", "csv").out)))
    assert float(row["equivalent_within"]) == 100 * exact["equivalent_within"]
    assert float(row["p_equivalence"]) == exact["p_equivalence"]
    assert run(*words[:-1], "0").code == 2


def test_slices_show_both_p_values_and_none_by_the_bootstrap(run, other):
    words = ("compare", "squad2", *SQUAD2, other, *QUICK)
    text = run(*words, "-f", "text").out
    assert "slices by how surely exact differs" in text
    assert "joint intervals of slices: sure of all slices and systems at once" in text
    plain = json.loads(run(*words).out)
    assert {each["p_bootstrap"] for each in plain["slices"]} == {None}
    assert plain["slice_level"] > plain["sampling"]["level"]


# Several runs of a system: groups of files, groups of saved runs, tables with a column of runs.
N = 24
RUNS = {"a1": 3, "a2": 4, "b1": 2, "b2": 5}
"""Every how manieth answer of a run is wrong."""


def answers(step):
    return {f"q{at}": "wrong" if at % step == 0 else f"answer {at}" for at in range(N)}


@pytest.fixture
def run_files(tmp_path, monkeypatch):
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
    ended = run("compare", *words, *QUICK, "-f", "json")
    assert (ended.code, ended.err) == (0, "")
    return json.loads(ended.out)


def test_a_group_of_files_is_one_system(run, run_files):
    plain = compared(run, "qa", "gold.json", "a1.json,a2.json", "b1.json,b2.json")
    assert (plain["baseline"], plain["systems"]) == ("a", ["b"])
    assert plain["runs"]["a"]["exact_match"]["runs"] == 2
    shares = [sum(text != "wrong" for text in answers(RUNS[name]).values()) / N for name in ("a1", "a2")]
    assert plain["scores"]["a"]["exact_match"] == pytest.approx(sum(shares) / 2)
    assert plain["differences"][0]["permutation_method"] == "runs"


@pytest.mark.parametrize("ending", [".jsonl", ".csv", "_list.json"])
def test_a_table_with_a_column_of_runs_is_the_same(run, run_files, ending):
    files = compared(run, "qa", "gold.json", "a1.json,a2.json", "b1.json,b2.json")
    table = compared(run, "qa", "gold.json", f"a{ending}", f"b{ending}")
    for plain in (files, table):
        for each in (*plain["differences"], *plain["slices"]):
            del each["system"]
    assert table["differences"] == files["differences"]
    assert list(table["runs"].values()) == list(files["runs"].values())


def test_the_column_may_have_another_name(run, run_files):
    text = (run_files / "a.csv").read_text().replace("prediction,run", "prediction,seed", 1)
    (run_files / "seeds.csv").write_text(text)
    (run_files / "others.csv").write_text(text)
    plain = compared(run, "qa", "gold.json", "seeds.csv", "others.csv", "--columns", "run=seed")
    assert [spread["exact_match"]["runs"] for spread in plain["runs"].values()] == [2, 2]
    ended = run("compare", "qa", "gold.json", "seeds.csv", "a.csv", "--columns", "run=seed", *QUICK, "-f", "json")
    assert ended.code == 2
    assert "a.csv: there is no column 'seed' to tell runs apart by. Check --columns run=NAME." in ended.err


def test_groups_of_saved_runs(run, run_files):
    for name in RUNS:
        run("score", "qa", "gold.json", f"{name}.json", "-f", "full", "-o", f"{name}.run.json")
    saved = compared(run, "a1.run.json,a2.run.json", "b1.run.json")
    fresh = compared(run, "qa", "gold.json", "a1.json,a2.json", "b1.json")
    assert saved == fresh
    assert saved["notes"] == ["b1 has a single run: how far its runs would lie apart is unknown, and counts as nothing"]


def test_a_file_whose_name_has_a_comma_is_that_file(run, run_files):
    (run_files / "a1.json,a2.json").write_text((run_files / "a1.json").read_text())
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
def test_groups_that_are_refused(run, run_files, words, said):
    ended = run("compare", "qa", "gold.json", *words)
    assert ended.code == 2
    assert said in ended.err


def test_a_run_that_lacks_questions_is_named(run, run_files):
    rows = [line for line in (run_files / "a.jsonl").read_text().splitlines() if '"q3"' not in line or '"a1"' in line]
    (run_files / "a.jsonl").write_text("\n".join(rows))
    ended = run("compare", "qa", "gold.json", "a.jsonl", "b.jsonl")
    assert ended.code == 2
    assert "run a2 of a.jsonl: questions without a prediction: 1 (first ids: 'q3')" in ended.err


def test_a_record_without_its_run_is_an_error(run, run_files):
    lines = (run_files / "a.jsonl").read_text().splitlines()
    (run_files / "a.jsonl").write_text("\n".join([*lines, json.dumps({"id": "q0", "prediction": "x", "run": None})]))
    ended = run("compare", "qa", "gold.json", "a.jsonl", "b.jsonl")
    assert ended.code == 2
    assert f"a.jsonl: record {2 * N + 1}: 'run' must name the run, found None" in ended.err


def test_names_are_told_apart(run, run_files):
    (run_files / "aa.json").write_text(json.dumps(answers(6)))
    plain = compared(run, "qa", "gold.json", "a1.json,a2.json", "aa.json,b1.json")
    assert (plain["baseline"], plain["systems"]) == ("a", ["aa,b1"])
    (run_files / "x").mkdir()
    for name in ("a1", "a2"):
        (run_files / "x" / f"{name}.json").write_text((run_files / f"{name}.json").read_text())
    plain = compared(run, "qa", "gold.json", "a1.json,a2.json", "x/a1.json,x/a2.json")
    assert (plain["baseline"], plain["systems"]) == ("a1.json,a2.json", ["x/a1.json,x/a2.json"])


@pytest.mark.parametrize("rule", ["error", "first", "last"])
@pytest.mark.parametrize("ending", [".jsonl", ".csv", "_list.json"])
def test_no_rule_for_repeats_takes_runs_for_one(run, run_files, rule, ending):
    ended = run("score", "qa", "gold.json", f"a{ending}", "--on-duplicate", rule)
    assert (ended.code, ended.out) == (2, "")
    assert f"a{ending}: predictions of several runs: {N}" in ended.err
    assert "the column 'run' has 2 values for the same questions" in ended.err


def test_a_table_of_both_with_runs_is_refused_too(run, run_files):
    rows = [
        {"id": f"q{at}", "prediction": "x", "references": ["x"], "run": number} for number in (1, 2) for at in range(3)
    ]
    (run_files / "both.jsonl").write_text("\n".join(map(json.dumps, rows)))
    ended = run("score", "qa", "both.jsonl", "--on-duplicate", "last")
    assert ended.code == 2
    assert "predictions of several runs" in ended.err


def test_true_repeats_and_other_meanings_of_the_column_stay(run, run_files):
    rows = [{"id": key, "prediction": text, "run": at} for at, (key, text) in enumerate(answers(3).items())]
    (run_files / "numbers.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert "runs" not in compared(run, "qa", "gold.json", "numbers.jsonl", "b1.json")
    repeated = [{"id": key, "prediction": text, "run": 1} for key, text in [*answers(3).items(), ("q0", "again")]]
    (run_files / "again.jsonl").write_text("\n".join(map(json.dumps, repeated)))
    ended = run("score", "qa", "gold.json", "again.jsonl")
    assert "predictions with a repeated id: 1 (first ids: 'q0')" in ended.err
    assert run("score", "qa", "gold.json", "again.jsonl", "--on-duplicate", "last").code == 0


def test_several_runs_in_other_formats(run, run_files):
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
    plain = json.loads(run("compare", "hotpotqa", "gold.json", "a.csv", "b.csv", *QUICK, "-f", "json").out)
    assert plain["scores"]["a"][plain["main_score"]] == pytest.approx((3 + 4) / 12)
    assert {spread[plain["main_score"]]["runs"] for spread in plain["runs"].values()} == {2}


def test_systems_of_several_runs_may_have_names(run, run_files):
    unnamed = compared(run, "qa", "gold.json", "a1.json,a2.json", "b1.json")
    plain = compared(run, "qa", "gold.json", "first=a1.json,a2.json", "other system=b1.json")
    assert (plain["baseline"], plain["systems"]) == ("first", ["other system"])
    assert plain["scores"]["first"] == unnamed["scores"]["a"]
    for asked in ("second", "second=b1.json", "b1.json"):
        found = compared(run, "qa", "gold.json", "a1.json", "second=b1.json", "--baseline", asked)
        assert (found["baseline"], found["systems"]) == ("second", ["a1"])


def test_saved_runs_may_have_names_and_stand_in_folders(run, run_files):
    (run_files / "a").mkdir()
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
def test_names_that_are_refused(run, run_files, before, words, said):
    ended = run("compare", *before, *words)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
