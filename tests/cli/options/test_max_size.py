"""`--max-size`: a limit for one command."""

from __future__ import annotations

import os

from fullmarks.cli.options.max_size import VARIABLE
from tests.cli.run_cli import SQUAD2


def test_a_limit_holds_for_one_command_alone(run, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert run("score", "squad2", *SQUAD2, "--max-size", "100").code == 2
    assert VARIABLE not in os.environ
    assert run("score", "squad2", *SQUAD2).code == 0
