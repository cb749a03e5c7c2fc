"""Where a command writes, and how: the terminal, pipes and files, plain or compressed, whatever the texts hold."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import zstandard

from fullmarks.cli.output import streams
from tests.cli.run_cli import SQUAD2, START, on_terminal

QUICK = ("--resamples", "50")
DECOMPRESS = {"gz": gzip.decompress, "zst": lambda data: zstandard.ZstdDecompressor().decompress(data)}


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """The sample's predictions by another name."""
    path = tmp_path / "other.json"
    path.write_text(Path(SQUAD2[1]).read_text())
    return path


def test_on_a_terminal_the_result_is_a_table_in_colour():
    shown = on_terminal([*START, "score", "squad2", *SQUAD2])
    assert "\x1b[1m" in shown
    assert "68.7500" in shown
    assert '"f1"' not in shown


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_no_colour_where_it_is_not_wanted(variables):
    shown = on_terminal([*START, "score", "squad2", *SQUAD2], variables)
    assert "68.7500" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize("compression", DECOMPRESS)
@pytest.mark.parametrize("kind", ["json", "csv", "markdown", "text", "full"])
def test_every_format_of_a_result_is_compressed_where_its_name_says_so(kind, compression, run, tmp_path):
    path = tmp_path / f"result.{kind}.{compression}"
    plain = tmp_path / f"result.{kind}"
    for file in (path, plain):
        assert run("score", "squad2", *SQUAD2, "-f", kind, "-o", file).code == 0
    assert DECOMPRESS[compression](path.read_bytes()) == plain.read_bytes()


@pytest.mark.parametrize("compression", DECOMPRESS)
def test_a_compressed_result_is_a_baseline(compression, run, tmp_path):
    path = tmp_path / f"base.json.{compression}"
    run("score", "squad2", *SQUAD2, "-o", path)
    assert run("score", "squad2", *SQUAD2, "--fail-if-worse", f"{path}:f1").code == 0


@pytest.mark.parametrize("compression", DECOMPRESS)
def test_comparisons_and_verdicts_are_compressed_too(compression, run, tmp_path):
    first, second = tmp_path / "a.run.json", tmp_path / "b.run.json"
    for path in (first, second):
        run("score", "squad2", *SQUAD2, "-f", "full", "-o", path, "--quiet")
    compared, verdict = tmp_path / f"compared.json.{compression}", tmp_path / f"verdict.xml.{compression}"
    assert run("compare", first, second, "-o", compared, *QUICK).code == 0
    assert json.loads(DECOMPRESS[compression](compared.read_bytes()))["baseline"] == "a"
    run("score", "squad2", *SQUAD2, "--junit", verdict)
    assert b"<testsuite" in DECOMPRESS[compression](verdict.read_bytes())


def test_a_comparison_in_a_file_is_json_wherever_it_is_started(run, other, tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "on_terminal", lambda: True)
    assert run("compare", "squad2", *SQUAD2, other, *QUICK, "-o", tmp_path / "out.json").code == 0
    assert json.loads((tmp_path / "out.json").read_text())["protocol"] == "squad2"
    shown = run("compare", "squad2", *SQUAD2, other, *QUICK).out
    assert "difference" in shown
    with pytest.raises(json.JSONDecodeError):
        json.loads(shown)


def test_a_text_in_a_file_has_no_colour_whatever_the_terminal(run, other, tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "on_terminal", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    assert run("compare", "squad2", *SQUAD2, other, *QUICK, "-f", "text", "-o", tmp_path / "out.txt").code == 0
    assert "\x1b[" not in (tmp_path / "out.txt").read_text()
    assert "\x1b[" in run("compare", "squad2", *SQUAD2, other, *QUICK, "-f", "text").out


def test_what_is_doubtful_is_said_in_every_format(run, tmp_path):
    given = json.loads(Path(SQUAD2[1]).read_text())
    more = tmp_path / "more.json"
    more.write_text(json.dumps({**given, "nobody asked": "this"}))
    for form in ("text", "json", "full", "markdown", "csv"):
        said = run("score", "squad2", SQUAD2[0], more, "-f", form).err
        assert "warning: " in said, form
        assert "predictions for unknown questions: 1" in said, form


FORMATS = {
    "score": ("text", "json", "full", "markdown", "csv"),
    "validate": ("text", "json"),
    "crosscheck": ("text", "json", "markdown"),
}


@pytest.mark.parametrize(("command", "kind"), [(command, kind) for command in FORMATS for kind in FORMATS[command]])
def test_half_characters_end_no_run(run, tmp_path, command, kind):
    table = tmp_path / "rows.jsonl"
    table.write_text(json.dumps({"id": "1", "prediction": "\ud800x", "references": ["a"], "title": "\ud800"}) + "\n")
    by = ["--by", "title"] if command == "score" and kind != "json" else []
    ended = run(command, "qa", table, "-f", kind, *by)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out
