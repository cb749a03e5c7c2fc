"""The direct way to score gives what the long way gives: output, warnings, errors and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fullmarks.cli.direct import direct_words
from tests.cli.run_cli import QA, SQUAD1, SQUAD2, VQA

CASES = {
    "squad2": ("squad2", *SQUAD2),
    "squad1": ("squad1", *SQUAD1),
    "vqa": ("vqa", *VQA),
    "no such file": ("squad2", SQUAD2[0], "nowhere.json"),
    "files that are no pair": ("squad1", SQUAD1[0], VQA[1]),
    "a table where predictions belong": ("squad2", SQUAD2[0], QA[0]),
    "an empty word": ("squad2", "", ""),
}


@pytest.mark.parametrize("words", CASES.values(), ids=CASES)
@pytest.mark.parametrize("wanted", [(), ("-f", "json"), ("--format", "json")], ids=["plain", "-f", "--format"])
def test_both_ways_end_alike(run, words, wanted):
    assert direct_words(["score", *words, *wanted]) == words
    long_way = ["score", *words, "--format=json"]
    assert direct_words(long_way) is None
    assert run("score", *words, *wanted) == run(*long_way)


def test_both_ways_warn_alike(run, tmp_path: Path):
    predictions = json.loads(Path(SQUAD1[1]).read_text(encoding="utf-8"))
    (tmp_path / "some.json").write_text(json.dumps(dict(list(predictions.items())[1:])), encoding="utf-8")
    direct = run("score", "squad1", SQUAD1[0], tmp_path / "some.json")
    assert direct.code == 0
    assert "warning: questions without a prediction: " in direct.err
    assert direct == run("score", "squad1", SQUAD1[0], tmp_path / "some.json", "--format=json")


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["score"],
        ["score", "squad2", "gold.json"],
        ["score", "nothing", "gold.json", "predictions.json"],
        ["validate", "squad2", "gold.json", "predictions.json"],
        ["score", "squad2", "gold.json", "-"],
        ["score", "squad2", "gold.json", "predictions.json", "-f", "text"],
        ["score", "squad2", "gold.json", "predictions.json", "-q"],
        ["score", "-f", "json", "squad2", "gold.json", "predictions.json"],
    ],
    ids=" ".join,
)
def test_anything_else_goes_the_long_way(words):
    assert direct_words(words) is None
