"""`compare` and `crosscheck` from files, from saved runs, in all formats."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from run_cli import QA, SQUAD2, VQA

QUICK = ("--resamples", "200")


@pytest.fixture
def other(tmp_path):
    """The sample's predictions with every second one made wrong."""
    known = json.loads(Path(SQUAD2[1]).read_text())
    path = tmp_path / "other.v2.json"
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


def test_options_of_one_system_are_not_offered(run):
    assert "--na-prob-file" not in run("compare", "squad2", "--help").out
    assert "--na-prob-file" in run("score", "squad2", "--help").out


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
