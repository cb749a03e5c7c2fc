"""`compare FOLDER`: systems on several benchmarks in every format."""

from __future__ import annotations

import csv
import io
import json
import random

import pytest

import fullmarks

QUICK = ("--resamples", "200")


@pytest.fixture
def folder(tmp_path):
    for system, right in (("alpha", 0.5), ("beta", 0.9), ("gamma", 0.5)):
        for name in ("dev", "test_a", "hard"):
            source = random.Random(f"{system} {name}")
            gold = [{"id": f"{name}{at}", "references": ["yes"]} for at in range(100)]
            told = [{"id": row["id"], "prediction": "yes" if source.random() < right else "no"} for row in gold]
            place = tmp_path / "runs" / system / f"{name}.run.json"
            place.parent.mkdir(parents=True, exist_ok=True)
            fullmarks.save_run(fullmarks.score("squad1", gold, told), place)
    return tmp_path / "runs"


def test_text_fits_the_terminal(run, folder):
    ended = run("compare", folder, *QUICK, "-f", "text")
    assert (ended.code, ended.err) == (0, "")
    tables = [line for line in ended.out.splitlines() if line.startswith("  ")]
    assert all(len(line) <= 80 for line in tables)
    assert " squad1 hard: 100 examples" in ended.out
    assert "3 of 3" in ended.out
    assert "average ranks differ where they are more than 1.91 apart (Nemenyi, 0.05)" in ended.out


def test_json_and_csv_agree(run, folder):
    plain = json.loads(run("compare", folder, *QUICK, "--baseline", "gamma").out)
    assert plain["baseline"] == "gamma"
    rows = {row["system"]: row for row in csv.DictReader(io.StringIO(run("compare", folder, *QUICK, "-f", "csv").out))}
    assert list(rows) == plain["systems"] == ["alpha", "beta", "gamma"]
    for benchmark in plain["benchmarks"]:
        for system, cell in benchmark["systems"].items():
            shown = float(rows[system][f"{benchmark['name']} {benchmark['score']}"])
            assert shown == pytest.approx(100 * cell["value"])
    assert float(rows["beta"]["average rank"]) == plain["overall"]["average_ranks"]["beta"] == 1.0


def test_tables_for_papers(run, folder, tmp_path):
    (folder / "gamma" / "hard.run.json").unlink()
    out = run("compare", folder, *QUICK, "-f", "markdown").out
    assert "| **1.00** |" in out
    (row,) = [line for line in out.splitlines() if line.startswith("| gamma")]
    assert row.split("|")[3].strip() == row.split("|")[5].strip() == "-"  # the run that is missing, and the rank
    assert "Missing: gamma on squad1 hard; it is left out" in out
    assert run("compare", folder, *QUICK, "-f", "latex", "-o", tmp_path / "table.tex").code == 0
    latex = (tmp_path / "table.tex").read_text()
    assert r"squad1 test\_a exact\_match & average rank \\" in latex
    assert latex.count(r"\\") == 4
    assert r"\label{tab:benchmarks}" in latex


def test_what_is_missing_is_said(run, folder):
    (folder / "gamma" / "hard.run.json").unlink()
    out = run("compare", folder, *QUICK, "-f", "text").out
    assert "missing: gamma on squad1 hard; it is left out of what is said of all benchmarks" in out
    ended = run("compare", folder, *QUICK, "--baseline", "gamma")
    assert (ended.code, ended.out) == (2, "")
    assert "'gamma' cannot be the baseline" in ended.err


def test_no_run_is_written_over(run, folder):
    target = folder / "alpha" / "dev.run.json"
    before = target.read_bytes()
    ended = run("compare", folder, *QUICK, "-o", target)
    assert ended.code == 2
    assert "which would be overwritten" in ended.err
    assert target.read_bytes() == before


def test_other_files_are_counted(run, folder):
    (folder / "alpha" / "notes.json").write_text("{}")
    assert "warning: 1 files of JSON are no saved runs" in run("compare", folder, *QUICK).err


def test_a_folder_that_is_not_there(run, tmp_path):
    ended = run("compare", f"{tmp_path}/nowhere/")
    assert ended.code == 2
    assert "this is no folder" in ended.err


def test_the_level_is_the_one_asked_for(run, folder):
    usual = json.loads(run("compare", folder, *QUICK).out)["benchmarks"][0]["systems"]["beta"]["interval"]
    wide = json.loads(run("compare", folder, *QUICK, "--ci=0.99").out)["benchmarks"][0]["systems"]["beta"]["interval"]
    assert wide["low"] < usual["low"] <= usual["high"] < wide["high"]
