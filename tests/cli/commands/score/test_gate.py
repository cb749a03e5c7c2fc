"""`score` with intervals, as a saved run and as a gate: formats, exit codes, reasons, JUnit, job summaries."""

from __future__ import annotations

import json
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import fullmarks as library
from fullmarks.analysis.saved import load_run
from tests.cli.run_cli import SQUAD2, START, VQA

SCORE = ("score", "squad2", *SQUAD2)


def test_full_with_a_file_saves_the_run(run, tmp_path):
    ended = run(*SCORE, "-f", "full", "-o", tmp_path / "run.json", "--by", "title")
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    saved = load_run(tmp_path / "run.json")
    assert saved == library.score("squad2", *SQUAD2)
    assert "title" in saved.tally.slice_columns
    shown = json.loads(run(*SCORE, "-f", "full", "--by", "title").out)
    assert "examples" not in shown
    assert shown.items() <= json.loads((tmp_path / "run.json").read_text()).items()


@pytest.mark.parametrize("words", [("--ci",), ("--ci=0.95",), ("--ci", "0.95")])
def test_intervals_in_text(run, words):
    ended = run(*SCORE, "-f", "text", *words, "--resamples", "200", "--by", "has_answer")
    assert ended.code == 0
    assert ended.out.count("95 % interval") == 3  # beside the official numbers, and beside both scores of the slices
    assert re.search(r"\n  f1 +68\.7500  \[\d+\.\d{4}, \d+\.\d{4}\]  +\d", ended.out)
    assert re.search(r"\n  total +8\n", ended.out)
    assert re.search(r"\n  True +40\.0000  \[.*\]  70\.0000  \[.*\]  5\n", ended.out)
    assert " intervals: Wilson over" in ended.out
    assert all(len(line) <= 80 for line in ended.out.splitlines())


def test_intervals_before_the_protocol(run):
    ended = run("score", "--ci=0.9", "squad2", *SQUAD2, "-f", "text", "--resamples", "200")
    assert "90 % interval" in ended.out


def test_intervals_in_every_format(run, tmp_path):
    words = (*SCORE, "--ci", "--resamples", "200", "--ci-method", "percentile", "--seed", "3", "--cluster", "title")
    full = json.loads(run(*words, "-f", "full").out)["intervals"]
    assert full["sampling"] == {"level": 0.95, "method": "percentile", "resamples": 200, "seed": 3, "cluster": "title"}
    low = full["scores"]["f1"]["low"]
    assert f"f1.low,{100 * low!r}" in run(*words, "-f", "csv").out
    assert "### Intervals" in run(*words, "-f", "markdown").out
    assert "clusters of 'title'" in run(*words, "-f", "text").out
    run(*words, "-f", "full", "-o", tmp_path / "run.json")
    assert json.loads((tmp_path / "run.json").read_text())["intervals"] == full


def test_official_json_stays_official(run):
    ended = run(*SCORE, "-f", "json", "--ci")
    assert ended.code == 2
    assert "json is the official result alone" in ended.err
    # In a pipe json would be the default; intervals that were asked for are not dropped in silence.
    assert "intervals" in json.loads(run(*SCORE, "--ci", "--resamples", "100").out)
    assert list(json.loads(run(*SCORE).out)) == list(library.score("squad2", *SQUAD2).official)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--ci=95",), "no level between 0 and 1"),
        (("--ci", "high"), "no level between 0 and 1. Write --ci last"),
        (("--ci", "--resamples", "1"), "1 resamples say nothing"),
        (("--ci", "--seed", "-1"), "seed -1 is negative"),
        (("--ci", "--cluster", "colour"), "colour"),
        (("--cluster", "title"), "add --ci"),
        (("--fail-under", "f1"), "expected NAME=NUMBER"),
        (("--fail-under", "f2=1"), "no number 'f2'"),
        (("--fail-if-worse", "absent.json:f1"), "absent.json: there is no such file"),
        (("--worse-by", "proof"), "--worse-by says how --fail-if-worse judges: add --fail-if-worse FILE:NAME"),
        (("--github-summary",), "GITHUB_STEP_SUMMARY"),
    ],
)
def test_wrong_use(run, monkeypatch, words, message):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    ended = run(*SCORE, *words)
    assert ended.code == 2
    assert message in ended.err


def test_met(run):
    ended = run(*SCORE, "--fail-under", "f1=68.75", "--fail-under", "exact=10", "--fail-over", "total=8")
    assert ended.code == 0
    assert ended.err.splitlines() == [
        "fullmarks: met: f1 >= 68.75: f1 68.75 meets 68.75 exactly",
        "fullmarks: met: exact >= 10: exact 50.00 meets 10 by 40.00",
        "fullmarks: met: total <= 8: total 8 meets 8 exactly",
        "fullmarks: gate: met: all 3 conditions",
    ]
    assert json.loads(ended.out)["f1"] == 68.75


def test_a_single_condition_is_the_verdict(run):
    met = run(*SCORE, "--fail-under", "f1=60")
    assert (met.code, met.err) == (0, "fullmarks: gate: met: f1 >= 60: f1 68.75 meets 60 by 8.75\n")
    unmet = run(*SCORE, "--fail-over", "f1=60")
    assert (unmet.code, unmet.err) == (1, "fullmarks: gate: not met: f1 <= 60: f1 68.75 is over 60 by 8.75\n")


def test_a_quiet_run_says_only_what_is_not_met(run):
    assert run(*SCORE, "--fail-under", "f1=60", "--quiet").err == ""
    assert run(*SCORE, "--fail-under", "f1=70", "--quiet").err.startswith("fullmarks: gate: not met: f1 >= 70")


def test_unmet(run):
    ended = run(*SCORE, "--fail-under", "f1=68.76", "--fail-under", "exact=10")
    assert ended.code == 1
    assert ended.err.splitlines() == [
        "fullmarks: met: exact >= 10: exact 50.00 meets 10 by 40.00",
        "fullmarks: not met: f1 >= 68.76: f1 68.75 is under 68.76 by 0.01",
        "fullmarks: gate: not met: 1 of 2 conditions",
    ]
    assert json.loads(ended.out)["f1"] == 68.75


@pytest.mark.parametrize(
    ("bound", "code", "verdict"), [("60", 0, "gate: met: f1 >= 60"), ("70", 1, "gate: not met: f1 >= 70")]
)
def test_the_verdict_is_the_last_line_and_the_exit_code(bound, code, verdict):
    """Both streams into one, as a terminal and a build's log have them."""
    words = [*START, *SCORE, "-f", "text", "--fail-under", f"f1={bound}"]
    ended = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert ended.returncode == code
    assert ended.stdout.splitlines()[-1].startswith(f"fullmarks: {verdict}: f1 68.75")


def test_partial_never_passes(run, tmp_path):
    limited = run(*SCORE, "--limit", "4", "--fail-under", "f1=0")
    assert limited.code == 1
    assert "the run is partial: only the first 4 questions" in limited.err
    some = dict(list(json.loads(Path(SQUAD2[1]).read_text()).items())[:4])
    (tmp_path / "some.json").write_text(json.dumps(some))
    skipped = run("score", "squad2", SQUAD2[0], tmp_path / "some.json", "--on-missing", "skip", "--fail-under", "f1=0")
    assert skipped.code == 1
    assert "the run is partial: 4 of 8 questions were left out" in skipped.err


@pytest.mark.parametrize("words", [(), ("--on-missing", "skip")])
def test_empty_never_passes(run, tmp_path, words):
    (tmp_path / "none.json").write_text("{}")
    ended = run("score", "squad2", SQUAD2[0], tmp_path / "none.json", *words, "--fail-under", "f1=0")
    assert ended.code == 2
    assert ended.out == ""


def test_compared_with_an_earlier_run(run, tmp_path):
    base = tmp_path / "base.json"
    run(*SCORE, "-f", "full", "-o", base)
    assert run(*SCORE, "--fail-if-worse", f"{base}:f1").code == 0
    changed = tmp_path / "worse.json"
    known = json.loads(Path(SQUAD2[1]).read_text())
    changed.write_text(json.dumps(dict.fromkeys(known, "something else entirely")))
    ended = run("score", "squad2", SQUAD2[0], changed, "--fail-if-worse", f"{base}:f1:0.5")
    assert ended.code == 1
    assert "against 68.75 before: worse by more than the margin 0.5" in ended.err
    ended = run("score", "squad2", SQUAD2[0], changed, "--fail-if-worse", f"{base}:f1:100")
    assert ended.code == 2
    assert "a margin of 100 lets 100% of the whole range be lost" in ended.err


def test_junit(run, tmp_path):
    path = tmp_path / "junit.xml"
    assert run(*SCORE, "--fail-under", "f1=70", "--fail-under", "exact=50", "--junit", path).code == 1
    suite = ElementTree.parse(path).getroot().find("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    failed, passed = suite.findall("testcase")
    assert (failed.get("name"), failed.get("classname")) == ("f1 >= 70", "fullmarks.squad2")
    assert failed.find("failure").get("message") == "f1 68.75 is under 70.0"
    assert passed.find("failure") is None
    properties = {each.get("name"): each.get("value") for each in suite.iter("property")}
    assert properties["f1"] == "68.75"
    assert properties["signature"].startswith("squad2|")


def test_junit_without_conditions_and_after_an_error(run, tmp_path):
    path = tmp_path / "junit.xml"
    assert run("score", "vqa", *VQA, "--junit", path).code == 0
    assert ElementTree.parse(path).getroot().find("testsuite/testcase").get("name") == "scored"
    assert run("score", "squad2", SQUAD2[0], tmp_path / "<absent>.json", "--junit", path).code == 2
    root = ElementTree.parse(path).getroot()
    assert root.get("errors") == "1"
    assert "no such file" in root.find("testsuite/testcase/error").text


def test_markdown_shows_the_verdict(run):
    ended = run(*SCORE, "-f", "markdown", "--fail-under", "f1=70")
    assert "### Gate: failed" in ended.out
    assert "| f1 >= 70 | **not met** | f1 68.75 is under 70.0 |" in ended.out


def test_job_summary_only_when_asked(run, tmp_path, monkeypatch):
    path = tmp_path / "summary.md"
    path.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    run(*SCORE, "--fail-under", "f1=60")
    assert path.read_text() == "before\n"
    run(*SCORE, "--fail-under", "f1=60", "--github-summary")
    assert path.read_text().startswith("before\n## squad2\n")
    assert "### Gate: passed" in path.read_text()


@pytest.mark.parametrize("words", [("--ci=7",), ("--frobnicate",), ("--fail-under", "f1"), ("--seed", "x")])
def test_junit_tells_of_wrong_words_too(run, tmp_path, words):
    path = tmp_path / "verdict.xml"
    path.write_text("an older verdict, all passed")
    ended = run(*SCORE, f"--junit={path}", *words)
    assert (ended.code, ended.out) == (2, "")
    assert ElementTree.parse(path).getroot().get("errors") == "1"
    assert run("score", "--junit", path, "squad2", "nowhere.json", "nowhere.json").code == 2
    assert "nowhere.json" in path.read_text()


def test_an_unwritable_junit_file_hides_no_other_error(run):
    ended = run("score", "squad2", "nowhere.json", "nowhere.json", "--junit", "no/such/folder/x.xml")
    assert ended.code == 2
    assert "nowhere.json" in ended.err
    assert "Nor can the JUnit file be written: no/such/folder" in ended.err


def test_the_verdict_is_said_even_where_the_result_cannot_be(run, tmp_path, monkeypatch):
    """Where the summary cannot be written nothing is on standard output, and the reason has been said."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "no/such/file"))
    ended = run(*SCORE, "--github-summary", "--fail-under", "f1=99")
    assert (ended.code, ended.out) == (2, "")
    assert "not met: f1 >= 99" in ended.err
    assert "Check $GITHUB_STEP_SUMMARY" in ended.err


@pytest.mark.parametrize("option", ["--seed", "--resamples", "--ci-method", "--cluster"])
def test_how_to_resample_needs_intervals(run, option):
    value = {"--ci-method": "percentile", "--cluster": "title"}.get(option, "10")
    ended = run(*SCORE, option, value)
    assert ended.code == 2
    assert f"{option} says how intervals are made: add --ci" in ended.err


def test_slices_show_only_the_scores_they_have(run, tmp_path):
    pytest.importorskip("pymorphy3", reason="pymorphy3 is not installed")
    gold = {f"{task}{at}": [{"type": "text", "content": [str(at)]}] for task in "tm" for at in range(4)}
    answers = {key: [{"type": "text", "content": str(at % 3)}] for at, key in enumerate(gold)}
    files = {"gold": gold, "answers": answers, "ids": {key: int(key[0] == "m") for key in gold}}
    for name, content in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    words = ("score", "fusionbrain", tmp_path / "gold.json", tmp_path / "answers.json", "--ids", tmp_path / "ids.json")
    ended = run(*words, "--task", "TextQA,MathQA", "--ci", "--resamples", "50", "--by", "task", "-f", "text")
    assert ended.code == 0
    assert "undefined" not in ended.out
    assert "nan" not in ended.out
    rows = [line.split() for line in ended.out.split("task    score")[1].splitlines()[2:6]]
    assert [row[: -len(row) + 2] if len(row) == 7 else row[:1] for row in rows] == [
        ["TextQA", "score"],
        ["TextQA"],
        ["MathQA", "score"],
        ["MathQA"],
    ]
