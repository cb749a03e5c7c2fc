"""No command writes over what it reads, nor over what else it writes, by whatever name."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.run_cli import PROBABILITIES, SQUAD2, START

SCORE = ("score", "squad2", "gold.json", "predictions.json")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Inputs, with a link, a second name and a folder by two names."""
    monkeypatch.chdir(tmp_path)
    for path in (*SQUAD2, PROBABILITIES):
        shutil.copy(path, tmp_path)
    shutil.copy(SQUAD2[1], "other.json")
    Path("link").symlink_to("gold.json")
    os.link("predictions.json", "second")
    Path("real").mkdir()
    Path("also").symlink_to("real")
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


OVER_INPUT = {
    "gold": (*SCORE, "-o", "gold.json"),
    "gold by another path": (*SCORE, "-o", "real/../gold.json"),
    "gold by a link": (*SCORE, "-o", "link"),
    "gold that is a link": ("score", "squad2", "link", "predictions.json", "-o", "gold.json"),
    "predictions": (*SCORE, "-f", "full", "-o", "predictions.json"),
    "predictions by a second name": (*SCORE, "-o", "second"),
    "probabilities": (*SCORE, "-n", "na_probs.json", "-o", "na_probs.json"),
    "JUnit": (*SCORE, "--junit", "gold.json"),
    "JUnit with an equals sign": (*SCORE, "--junit=link"),
    "JUnit over an option's file": (*SCORE, "-n", "na_probs.json", "--junit", "na_probs.json"),
    "JUnit with wrong words": (*SCORE, "--junit", "gold.json", "--frobnicate"),
    "JUnit over an earlier result": (*SCORE, "--fail-if-worse", "other.json:f1:2", "--junit", "other.json"),
    "an earlier result": (*SCORE, "--fail-if-worse", "other.json:f1", "-o", "other.json"),
    "comparison": ("compare", "squad2", "gold.json", "predictions.json", "other.json", "-o", "other.json"),
    "comparison over gold": ("compare", "squad2", "gold.json", "predictions.json", "other.json", "-o", "link"),
}


@pytest.mark.parametrize("words", OVER_INPUT.values(), ids=OVER_INPUT)
def test_inputs_are_never_overwritten(words, folder, run):
    before = contents(folder)
    ended = run(*words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.count("\n") == 1
    if "--frobnicate" not in words:
        assert "this is the same file as the" in ended.err
        assert "which would be overwritten. Name another file" in ended.err
    assert contents(folder) == before


def test_records_are_not_written_over_a_table(folder, run):
    Path("table.jsonl").write_text('{"id": 1, "prediction": "a", "references": ["a"]}\n')
    before = contents(folder)
    assert run("score", "qa", "table.jsonl", "--per-example", "table.jsonl").code == 2
    assert run("score", "qa", "table.jsonl", "--per-example", "each.jsonl", "-o", "./table.jsonl").code == 2
    assert contents(folder) == before


def test_standard_input_is_a_file_too(folder):
    before = contents(folder)
    with Path("gold.json").open("rb") as gold:
        words = [*START, "score", "squad2", "-", "predictions.json", "-o", "link"]
        ended = subprocess.run(words, stdin=gold, capture_output=True, check=False, timeout=60)
    assert ended.returncode == 2
    assert b"--out-file link: this is the same file as the gold '-'" in ended.stderr
    assert contents(folder) == before


def test_runs_are_not_overwritten(folder, run):
    assert run(*SCORE, "-f", "full", "-o", "one.json").code == 0
    assert run("score", "squad2", "gold.json", "other.json", "-f", "full", "-o", "two.json").code == 0
    before = contents(folder)
    for words in (
        ("compare", "one.json", "two.json", "-o", "two.json"),
        ("report", "one.json", "two.json", "-f", "markdown", "-o", "one.json"),
        ("report", "one.json", "-f", "html", "-o", "real/../one.json"),
    ):
        ended = run(*words)
        assert ended.code == 2
        assert "this is the same file as the saved run" in ended.err
    assert contents(folder) == before


TWICE = {
    "the same name": ("-o", "x.jsonl", "--per-example", "x.jsonl"),
    "the same place": ("-o", "real/x.jsonl", "--per-example", "also/x.jsonl"),
    "JUnit": ("-o", "x.xml", "--junit", "./x.xml"),
    "a file that is there, by a link": ("-o", "new", "--junit", "new-link"),
}


@pytest.mark.parametrize("words", TWICE.values(), ids=TWICE)
def test_two_outputs_are_two_files(words, folder, run):
    Path("new").write_text("old")
    Path("new-link").symlink_to("new")
    before = contents(folder)
    ended = run(*SCORE, *words)
    assert (ended.code, ended.out) == (2, "")
    assert "this is the same file as that of --out-file, and only one would be kept. Name another file" in ended.err
    assert contents(folder) == before


def test_a_summary_is_not_lost(folder, run, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "real/summary.md")
    ended = run(*SCORE, "-f", "markdown", "-o", "also/summary.md", "--github-summary")
    assert ended.code == 2
    assert "$GITHUB_STEP_SUMMARY real/summary.md: this is the same file as that of --out-file" in ended.err


def test_plots_have_their_folder_to_themselves(folder, run):
    ended = run(*SCORE, "-n", "na_probs.json", "-p", "real", "-o", "also/pr_exact.png")
    assert ended.code == 2
    assert "the folder real is for plots" in ended.err
    assert list(Path("real").iterdir()) == []


def test_devices_may_be_named_twice(folder, run):
    assert run(*SCORE, "-o", "/dev/null", "--junit", "/dev/null").code == 0


def test_an_input_that_is_missing_is_what_is_told(folder, run):
    ended = run("score", "squad2", "nowhere.json", "predictions.json", "-o", "nowhere.json")
    assert ended.code == 2
    assert "nowhere.json: there is no such file" in ended.err


def test_an_output_may_be_written_again(folder, run):
    for _ in range(2):
        assert run(*SCORE, "-o", "out.json", "--junit", "junit.xml").code == 0


def test_the_files_of_a_folder_or_pattern_are_inputs(folder, run):
    Path("parts").mkdir()
    text = '{"id": "a", "prediction": "x", "references": ["x"]}\n'
    Path("parts/a.jsonl").write_text(text)
    for gold in ("parts", "parts/*.jsonl"):
        ended = run("score", "qa", gold, "--per-example", "./parts/a.jsonl")
        assert ended.code == 2
        assert "--per-example ./parts/a.jsonl: this is the same file as the gold 'parts/a.jsonl'" in ended.err
    assert Path("parts/a.jsonl").read_text() == text
    assert run("score", "qa", "parts/*.jsonl", "--per-example", "b.jsonl").code == 0
