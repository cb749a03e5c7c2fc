"""How the tests run the command: in this process, or as its users do, in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from fullmarks.cli.demo import SAMPLES

SQUAD2 = (str(SAMPLES / "squad2/gold.json"), str(SAMPLES / "squad2/predictions.json"))
PROBABILITIES = str(SAMPLES / "squad2/na_probs.json")
SQUAD1 = (str(SAMPLES / "squad1/gold.json"), str(SAMPLES / "squad1/predictions.json"))
VQA = (str(SAMPLES / "vqa/annotations.json"), str(SAMPLES / "vqa/results.json"))
QA = (str(SAMPLES / "qa/examples.jsonl"),)

START = [sys.executable, "-c", "import sys; from fullmarks.cli.main import main; sys.exit(main())"]


def fullmarks(
    *words: str | Path, stdin: bytes = b"", variables: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run the command in a process of its own, its output captured."""
    environment = {**os.environ, **(variables or {})}
    return subprocess.run(
        [*START, *map(str, words)], input=stdin, capture_output=True, check=False, env=environment, timeout=60
    )
