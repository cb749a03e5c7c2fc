"""Lines on standard error: colour where it is wanted, and no control characters of files and names."""

from __future__ import annotations

import json

import pytest

from tests.cli.run_cli import SQUAD1, SQUAD2

SCORE = ("score", "squad2", *SQUAD2, "-f", "text", "--fail-under", "f1=60")


@pytest.fixture
def variables(monkeypatch):
    """Set the variables that decide about colour, and no others of them."""

    def give(**given: str) -> None:
        for name, value in ({"NO_COLOR": "", "FORCE_COLOR": "", "TERM": "xterm"} | given).items():
            monkeypatch.setenv(name, value)

    return give


@pytest.mark.parametrize(
    ("given", "coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "0"}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True),
    ],
    ids=str,
)
def test_in_a_pipe(run, variables, given, coloured):
    variables(**given)
    ended = run(*SCORE)
    assert ended.code == 0
    assert ("\x1b[" in ended.out, "\x1b[" in ended.err) == (coloured, coloured)
    if coloured:
        assert "fullmarks: \x1b[32mgate: met\x1b[0m: f1 >= 60" in ended.err


def test_forced_colour_changes_no_json(run, variables):
    variables()
    plain = run("score", "squad2", *SQUAD2).out
    variables(FORCE_COLOR="1")
    assert run("score", "squad2", *SQUAD2).out == plain


@pytest.mark.parametrize(
    ("words", "lead"),
    [
        (("score", "squad2", "absent.json", "absent.json"), "\x1b[31merror\x1b[0m: absent.json"),
        ((*SCORE[:-1], "f1=99"), "\x1b[31mgate: not met\x1b[0m: f1 >= 99"),
        (("score", "squad1", *SQUAD1), "\x1b[33mwarning\x1b[0m: questions without a prediction: 1"),
    ],
    ids=["error", "not met", "warning"],
)
def test_the_first_words_of_a_message_have_the_colour(run, variables, words, lead):
    variables(FORCE_COLOR="1")
    assert f"fullmarks: {lead}" in run(*words).err


def test_texts_of_files_bring_no_colour_of_their_own(run, variables, tmp_path):
    variables()
    assert "\x1b" not in run("score", "qa", tmp_path / "\x1b[32mmet: x.json").err


def test_errors_hold_no_control_characters(run, tmp_path):
    ended = run("score", "squad2", "\x1b[31mred\n\x9b.json", SQUAD2[1])
    assert ended.code == 2
    assert "\\x1b[31mred\\n\\x9b.json: there is no such file" in ended.err
    path = tmp_path / "a\x1b]0;title\x07\x1b[31mb.jsonl"
    ended = run("score", "qa", path)
    assert ended.code == 2
    assert r"a\x1b]0;title\x07\x1b[31mb.jsonl: there is no such file" in ended.err
    path.write_text("id,predic\x1b[2Jtion\n1,a\n")
    ended = run("score", "qa", path.rename(tmp_path / "b.csv"))
    assert ended.code == 2
    assert r"predic\x1b[2Jtion" in ended.err
    assert ended.err.count("\n") == 1


def test_warnings_hold_no_control_characters(run, tmp_path):
    (tmp_path / "gold.json").write_text('{"a": ["x"]}')
    (tmp_path / "pred.json").write_text(json.dumps({"a": "x", "\x1b[31m": "y"}))
    (tmp_path / "\x1b[0m.json").write_text(json.dumps({"a": "x", "\x9b31m": "y"}))
    for words in (("score", "qa"), ("compare", "qa"), ("crosscheck", "qa")):
        others = [tmp_path / "\x1b[0m.json", "--resamples", "50"] if words[0] == "compare" else []
        ended = run(*words, tmp_path / "gold.json", tmp_path / "pred.json", *others)
        assert ended.code == 0
        assert "unknown questions" in ended.err
        assert not {"\x1b", "\x9b"} & set(ended.err)
