"""`crosscheck`: the samples under the rules of other tools, in all formats."""

from __future__ import annotations

import json

import pytest

from tests.cli.run_cli import QA, SQUAD2, VQA


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
