"""What a command does where nothing was said: formats by where the output goes, paths as they are typed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from fullmarks.cli.options.max_size import VARIABLE
from fullmarks.cli.output import streams
from fullmarks.version import __version__
from tests.cli.run_cli import SQUAD2

QUICK = ("--resamples", "50")


def test_the_version_ends_the_command(run):
    ended = run("--version", "list")
    assert (ended.code, ended.out) == (0, f"fullmarks {__version__}\n")


def test_a_card_in_a_pipe_is_markdown(run):
    plain = run("card", "squad2").out
    assert plain == run("card", "squad2", "-f", "markdown").out
    assert plain.startswith("# ")
    assert plain != run("card", "squad2", "-f", "text").out


def test_a_comparison_in_a_file_is_json_wherever_it_is_started(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    other = tmp_path / "other.json"
    other.write_text(Path(SQUAD2[1]).read_text())
    monkeypatch.setattr(streams, "on_terminal", lambda: True)
    assert run("compare", "squad2", *SQUAD2, other, *QUICK, "-o", tmp_path / "out.json").code == 0
    assert json.loads((tmp_path / "out.json").read_text())["protocol"] == "squad2"
    assert "difference" in run("compare", "squad2", *SQUAD2, other, *QUICK).out
    with pytest.raises(json.JSONDecodeError):
        json.loads(run("compare", "squad2", *SQUAD2, other, *QUICK).out)


def test_samples_are_named_from_the_folder_that_holds_them(run):
    shown = run("demo", "squad2").out
    assert "$ fullmarks score squad2 squad2/sample/gold.json squad2/sample/predictions.json" in shown


def test_a_folder_for_plots_that_cannot_be_made_is_told_before_anything_is_written(run, tmp_path: Path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    saved = tmp_path / "run.json"
    assert run("score", "squad2", *SQUAD2, "-f", "full", "-o", saved).code == 0
    ended = run("report", saved, "-o", tmp_path / "page.html", "--plots", saved / "plots")
    assert ended.code == 2
    assert "cannot be made a folder" in ended.err
    assert not (tmp_path / "page.html").exists()


def test_a_text_in_a_file_has_no_colour_whatever_the_terminal(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    other = tmp_path / "other.json"
    other.write_text(Path(SQUAD2[1]).read_text())
    monkeypatch.setattr(streams, "on_terminal", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert run("compare", "squad2", *SQUAD2, other, *QUICK, "-f", "text", "-o", tmp_path / "out.txt").code == 0
    assert "\x1b[" not in (tmp_path / "out.txt").read_text()
    assert "\x1b[" in run("compare", "squad2", *SQUAD2, other, *QUICK, "-f", "text").out


def test_what_is_doubtful_is_said_in_every_format(run, tmp_path: Path):
    given = json.loads(Path(SQUAD2[1]).read_text())
    more = tmp_path / "more.json"
    more.write_text(json.dumps({**given, "nobody asked": "this"}))
    for form in ("text", "json", "full", "markdown", "csv"):
        assert "warning: " in run("score", "squad2", SQUAD2[0], more, "-f", form).err
        assert "predictions for unknown questions: 1" in run("score", "squad2", SQUAD2[0], more, "-f", form).err


def test_a_limit_holds_for_one_command_alone(run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert run("score", "squad2", *SQUAD2, "--max-size", "100").code == 2
    assert VARIABLE not in os.environ
    assert run("score", "squad2", *SQUAD2).code == 0
