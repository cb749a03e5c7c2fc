"""What all commands have in common: the formats of their output."""

from __future__ import annotations

import json

import pytest

from tests.cli.run_cli import SQUAD2


@pytest.mark.parametrize(
    "words",
    [
        ("doctor",),
        ("list",),
        ("validate", "squad2", *SQUAD2),
        ("explain", "squad2", *SQUAD2, "--id", "bee-1"),
    ],
    ids=lambda words: words[0],
)
def test_what_is_there_to_be_read_stays_text_in_a_pipe(run, words):
    assert run(*words).out == run(*words, "-f", "text").out
    assert json.loads(run(*words, "-f", "json").out)


@pytest.mark.parametrize(
    "words", [("score", "squad2", *SQUAD2), ("crosscheck", "squad2", *SQUAD2)], ids=lambda words: words[0]
)
def test_numbers_are_json_in_a_pipe(run, words):
    assert run(*words).out == run(*words, "-f", "json").out
