"""`compare` and `crosscheck` from files, from saved runs, in all formats."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from tests.cli.run_cli import QA, SQUAD2, VQA

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


@pytest.mark.parametrize("words", [("squad2", *SQUAD2), ("vqa", *VQA), ("qa", *QA)])
@pytest.mark.parametrize("kind", ["text", "markdown", "json"])
def test_crosscheck_of_the_samples(run, words, kind):
    ended = run("crosscheck", *words, "-f", kind, "--examples", "1")
    assert (ended.code, ended.err) == (0, "")
    assert ("raw-text" if words[0] != "vqa" else "any-annotator") in ended.out
    if kind == "json":
        plain = json.loads(ended.out)
        assert all(len(rule["examples"]) == min(1, rule["differing"]) for rule in plain["rules"])


def test_crosscheck_numbers_are_in_the_official_scale(run):
    ended = run("crosscheck", "squad2", *SQUAD2, "-f", "markdown", "--examples", "0")
    assert "| official | 50.00 | 68.75 |  |" in ended.out
    assert "differing under" not in ended.out


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
