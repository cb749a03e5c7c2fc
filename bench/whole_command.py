"""The whole command on SQuAD's development set, from the shell's point of view: start, read, score, print."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from case import Case, Settings
from data import SQUAD_QUESTIONS, squad_files

OFFICIAL = Path(__file__).with_name("official_squad2.py")


def command() -> list[str]:
    """fullmarks in an environment of its own, as its users have it; this one's where there is none."""
    alone = Path(sys.prefix) / "alone" / "bin" / "fullmarks"
    return [str(alone if alone.exists() else Path(sys.prefix) / "bin" / "fullmarks")]


def output(*words: str | Path) -> Any:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    ended = subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, check=True, env=environment)
    return json.loads(ended.stdout)


def cases(settings: Settings) -> Iterator[Case]:
    name, gold, predictions = squad_files(settings.folder)
    python = Path(command()[0]).with_name("python")
    yield Case(
        "whole command, fullmarks score squad2",
        name,
        SQUAD_QUESTIONS,
        lambda: output(*command(), "score", "squad2", gold, predictions),
        {
            "plain program, NumPy imported": lambda: output(python, OFFICIAL, gold, predictions, "--import-numpy"),
            "plain program": lambda: output(python, OFFICIAL, gold, predictions),
        },
        wanted={"plain program, NumPy imported": 9},
        turns=3,
    )
