"""Samples for the command, and the command in a process of its own: in a pipe, by a shell, or on a terminal.

The fixture `run` runs it in the process of the tests, which takes a tenth of the time: a process is for what needs one.
"""

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
MOST_SECONDS = 120
"""A safety net: no test waits longer for a process, however busy the machine is."""


def fullmarks(
    *words: str | Path, stdin: bytes = b"", variables: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run the command in a process of its own, its output captured."""
    environment = {**os.environ, **(variables or {})}
    return subprocess.run(
        [*START, *map(str, words)], input=stdin, capture_output=True, check=False, env=environment, timeout=MOST_SECONDS
    )


def in_a_shell(redirections: str, *words: str | Path, start: list[str] = START) -> subprocess.CompletedProcess[bytes]:
    """Run the command with streams that a shell redirects, as in `2>&-`; those that it leaves are captured."""
    shell = ["sh", "-c", f'exec "$@" {redirections}', "sh", *start, *map(str, words)]
    return subprocess.run(shell, capture_output=True, check=False, timeout=MOST_SECONDS)


def on_terminal(words: list[str], variables: dict[str, str] | None = None) -> str:
    """What a process shows on a terminal of its own, 80 columns wide."""
    import pty

    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", **(variables or {})}
    for name in {"NO_COLOR", "FORCE_COLOR"} - set(variables or ()):
        environment.pop(name, None)
    process = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, close_fds=True)
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 1 << 16):
            shown += piece
    except OSError:  # how Linux reports that the other side is closed
        pass
    assert process.wait(timeout=MOST_SECONDS) == 0, shown
    os.close(ours)
    return shown.decode()
