"""`explain`: one example step by step, as text and JSON."""

from __future__ import annotations

import json
import re

from tests.cli.run_cli import PROBABILITIES, SQUAD2, VQA


def test_explain(run):
    words = ("explain", "squad2", *SQUAD2, "--id", "bee-1", "-n", PROBABILITIES)
    document = json.loads(run(*words, "-f", "json").out)
    assert document["scores"] == {"exact": 0.0, "f1": 0.75}
    assert document["normalised"] == "fifty to one hundred"
    assert document["references"][1]["reference"] == "fifty and one hundred"
    text = run(*words, "-f", "text").out
    assert re.search(r"best reference +fifty and one hundred", text)
    assert "0.1 (threshold 1.0" in text


def test_explain_shows_every_annotator_and_number_ids(run):
    text = run("explain", "vqa", *VQA, "--id", "20", "-f", "text").out
    assert text.count("dog") >= 7
    assert "terrier" in text


def test_explain_of_an_unknown_id(run):
    ended = run("explain", "squad2", *SQUAD2, "--id", "nobody")
    assert (ended.code, ended.out) == (2, "")
    assert "nobody" in ended.err


def test_explain_shows_markup_and_control_characters_as_they_are(run, tmp_path):
    table = tmp_path / "odd.jsonl"
    record = {"id": "[red]x[/red]", "prediction": "[bold]a[/bold] \x1b[31m\n", "references": ["[link=x]a[/link]"]}
    table.write_text(json.dumps(record))
    text = run("explain", "qa", table, "--id", record["id"], "-f", "text").out
    assert "id [red]x[/red]" in text
    assert "[bold]a[/bold] \\x1b[31m\\n" in text
    assert "\x1b" not in text
