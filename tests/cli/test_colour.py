"""Colour: on a terminal or where it is forced, on both streams, and never where it is not wanted."""

from __future__ import annotations

import pytest

from tests.cli.run_cli import SQUAD1, SQUAD2, fullmarks

SCORE = ("score", "squad2", *SQUAD2, "-f", "text", "--fail-under", "f1=60")
PLAIN = {"NO_COLOR": "", "FORCE_COLOR": "", "TERM": "xterm"}


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "0"}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True),
    ],
    ids=str,
)
def test_in_a_pipe(variables, coloured):
    ended = fullmarks(*SCORE, variables=PLAIN | variables)
    assert ended.returncode == 0
    assert (b"\x1b[" in ended.stdout, b"\x1b[" in ended.stderr) == (coloured, coloured)
    if coloured:
        assert b"fullmarks: \x1b[32mgate: met\x1b[0m: f1 >= 60" in ended.stderr


def test_forced_colour_changes_no_json():
    plain, forced = (
        fullmarks("score", "squad2", *SQUAD2, variables=PLAIN | {"FORCE_COLOR": value}).stdout for value in ("", "1")
    )
    assert plain == forced


@pytest.mark.parametrize(
    ("words", "lead"),
    [
        (("score", "squad2", "absent.json", "absent.json"), b"\x1b[31merror\x1b[0m: absent.json"),
        ((*SCORE[:-1], "f1=99"), b"\x1b[31mgate: not met\x1b[0m: f1 >= 99"),
        (("score", "squad1", *SQUAD1), b"\x1b[33mwarning\x1b[0m: questions without a prediction: 1"),
    ],
    ids=["error", "not met", "warning"],
)
def test_the_first_words_of_a_message_have_the_colour(words, lead):
    assert b"fullmarks: " + lead in fullmarks(*words, variables=PLAIN | {"FORCE_COLOR": "1"}).stderr


def test_texts_of_files_bring_no_colour_of_their_own(tmp_path):
    table = tmp_path / "\x1b[32mmet: x.json"
    ended = fullmarks("score", "qa", table, variables=PLAIN)
    assert b"\x1b" not in ended.stderr
