"""How the tests run the command: in this process, or as its users do, in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from fullmarks.protocols.sample import sample_folder

SQUAD2 = (str(sample_folder("squad2") / "gold.json"), str(sample_folder("squad2") / "predictions.json"))
PROBABILITIES = str(sample_folder("squad2") / "na_probs.json")
SQUAD1 = (str(sample_folder("squad1") / "gold.json"), str(sample_folder("squad1") / "predictions.json"))
VQA = (str(sample_folder("vqa") / "annotations.json"), str(sample_folder("vqa") / "results.json"))
QA = (str(sample_folder("qa") / "examples.jsonl"),)

START = [sys.executable, "-c", "import sys; from fullmarks.cli.main import main; sys.exit(main())"]


def fullmarks(
    *words: str | Path, stdin: bytes = b"", variables: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run the command in a process of its own, its output captured."""
    environment = {**os.environ, **(variables or {})}
    return subprocess.run(
        [*START, *map(str, words)], input=stdin, capture_output=True, check=False, env=environment, timeout=60
    )
