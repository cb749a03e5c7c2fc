"""Results in each format: names and texts that would run, break or disturb them, and what has no room in them."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.cli.run_cli import QA, SQUAD2

ROWS = [
    {"id": "1", "prediction": "=1+1", "references": ["a"], "title": "=cmd|x"},
    {"id": "2", "prediction": "a\rb", "references": ["a"], "title": "<img src=x onerror=alert(1)>"},
    {"id": "3", "prediction": "\ud800x", "references": ["a"], "title": "\ud800"},
    {"id": "4", "prediction": "a", "references": ["a"], "title": "[l](http://x)\r\n"},
]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def test_markdown_holds_no_tags_and_no_breaks(run, table):
    text = run("score", "qa", table, "-f", "markdown", "--by", "title").out
    assert "| &lt;img src=x onerror=alert(1)> |" in text
    assert "| [l\\](http://x)  |" in text
    assert "\r" not in text
    assert "<img" not in run("crosscheck", "qa", table, "-f", "markdown").out


def test_csv_is_exact_unless_it_is_for_a_spreadsheet(run, table, tmp_path):
    words = ("score", "qa", table, "-f", "csv", "--by", "title", "--per-example", tmp_path / "each.csv")
    for more, prefix in (((), ""), (("--spreadsheet",), "'")):
        text = run(*words, *more).out
        rows = list(csv.reader(io.StringIO(text, newline="")))
        labels = {row[1] for row in rows if row[0] == "title"}
        assert {f"{prefix}=cmd|x", "<img src=x onerror=alert(1)>", "[l](http://x)\r\n"} <= labels
        each = (tmp_path / "each.csv").read_bytes().decode()
        records = list(csv.DictReader(io.StringIO(each, newline="")))
        assert [record["prediction"] for record in records] == [f"{prefix}=1+1", "a\rb", "\\ud800x", "a"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("score", "squad2", *SQUAD2, "--by", "title", "-f", "json"), "no place for slices: write -f full"),
        (("score", "squad2", *SQUAD2, "--by", "title", "--ci", "-f", "json"), "no place for intervals and slices"),
        (("score", "qa", *QA, "--spreadsheet"), "--spreadsheet is about cells of CSV"),
        (("compare", "squad2", *SQUAD2, SQUAD2[1], "--spreadsheet", "-f", "json"), "--spreadsheet is about cells"),
        (("compare", "squad2", *SQUAD2, SQUAD2[1], "--examples", "3", "-f", "csv"), "no place for examples"),
    ],
    ids=lambda value: " ".join(value[-3:]) if isinstance(value, tuple) else "",
)
def test_what_has_no_room_in_a_format_is_refused(run, words, said):
    ended = run(*words)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


def test_slices_that_are_asked_for_are_in_a_file(run, tmp_path):
    shown = json.loads(run("score", "squad2", *SQUAD2, "--by", "title").out)
    assert len(shown["slices"]["title"]) > 1
    target = tmp_path / "out.json"
    assert run("score", "squad2", *SQUAD2, "--by", "title", "-o", target).code == 0
    assert json.loads(target.read_text())["slices"] == shown["slices"]
    assert json.loads(run("score", "squad2", *SQUAD2).out) == shown["official"]
