"""Names and texts that would run, break or disturb what is written: in messages, CSV and Markdown."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.cli.run_cli import QA, SQUAD2, fullmarks

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


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "run.json"
    assert fullmarks("score", "squad2", *SQUAD2, "-f", "full", "-o", path).returncode == 0
    return path


def test_messages_hold_no_control_characters(tmp_path):
    path = tmp_path / "a\x1b]0;title\x07\x1b[31mb.jsonl"
    ended = fullmarks("score", "qa", path)
    assert ended.returncode == 2
    assert rb"a\x1b]0;title\x07\x1b[31mb.jsonl: there is no such file" in ended.stderr
    path.write_text("id,predic\x1b[2Jtion\n1,a\n")
    renamed = path.rename(tmp_path / "b.csv")
    ended = fullmarks("score", "qa", renamed)
    assert ended.returncode == 2
    assert rb"predic\x1b[2Jtion" in ended.stderr
    assert ended.stderr.count(b"\n") == 1


def test_warnings_hold_no_control_characters(tmp_path):
    (tmp_path / "gold.json").write_text('{"a": ["x"]}')
    (tmp_path / "pred.json").write_text(json.dumps({"a": "x", "\x1b[31m": "y"}))
    (tmp_path / "\x1b[0m.json").write_text(json.dumps({"a": "x", "\x9b31m": "y"}))
    for words in (("score", "qa"), ("compare", "qa"), ("crosscheck", "qa")):
        others = [tmp_path / "\x1b[0m.json"] if words[0] == "compare" else []
        ended = fullmarks(*words, tmp_path / "gold.json", tmp_path / "pred.json", *others)
        assert ended.returncode == 0
        assert b"unknown questions" in ended.stderr
        assert not {0x1B, 0x9B} & set(ended.stderr.decode().encode("latin-1", "replace"))


FORMATS = {
    "score": ("text", "json", "full", "markdown", "csv"),
    "validate": ("text", "json"),
    "crosscheck": ("text", "json", "markdown"),
}


@pytest.mark.parametrize(("command", "kind"), [(command, kind) for command in FORMATS for kind in FORMATS[command]])
def test_half_characters_end_no_run(table, command, kind):
    by = ["--by", "title"] if command == "score" and kind != "json" else []
    ended = fullmarks(command, "qa", table, "-f", kind, *by)
    assert (ended.returncode, ended.stderr) == (0, b"")
    ended.stdout.decode()


def test_markdown_holds_no_tags_and_no_breaks(table):
    text = fullmarks("score", "qa", table, "-f", "markdown", "--by", "title").stdout.decode()
    assert "| &lt;img src=x onerror=alert(1)> |" in text
    assert "| [l\\](http://x)  |" in text
    assert "\r" not in text
    assert "<img" not in fullmarks("crosscheck", "qa", table, "-f", "markdown").stdout.decode()


def test_csv_is_exact_unless_it_is_for_a_spreadsheet(table, tmp_path):
    words = ("score", "qa", table, "-f", "csv", "--by", "title", "--per-example", tmp_path / "each.csv")
    for more, prefix in (((), ""), (("--spreadsheet",), "'")):
        text = fullmarks(*words, *more).stdout.decode()
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
        (("report", "RUN", "-f", "markdown", "--by", "title"), "no place for --by: write -f html"),
        (("report", "RUN", "-f", "latex", "--images", "."), "no place for --images"),
        (("report", "RUN", "-f", "csv", "--title", "x"), "no place for --title"),
        (("report", "RUN", "-f", "csv", "--context", SQUAD2[0]), "no place for --context"),
        (("report", "RUN", "-o", "page.html", "--no-intervals"), "are for tables"),
    ],
)
def test_what_has_no_room_in_a_format_is_refused(words, said, saved):
    ended = fullmarks(*(saved if word == "RUN" else word for word in words))
    assert ended.returncode == 2
    assert ended.stdout == b""
    assert said in ended.stderr.decode()


def test_slices_that_are_asked_for_are_in_a_file(tmp_path):
    shown = json.loads(fullmarks("score", "squad2", *SQUAD2, "--by", "title").stdout)
    assert len(shown["slices"]["title"]) > 1
    target = tmp_path / "out.json"
    assert fullmarks("score", "squad2", *SQUAD2, "--by", "title", "-o", target).returncode == 0
    assert json.loads(target.read_text())["slices"] == shown["slices"]
    alone = json.loads(fullmarks("score", "squad2", *SQUAD2).stdout)
    assert alone == shown["official"]
