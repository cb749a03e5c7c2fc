"""The two steps of this repository's GitHub action (action.yml): `install`, and `score` with its gate.

What the action is given comes from variables GATE_...; lists have one entry on each line. Every word reaches pip and
fullmarks as it is, through no shell. Needs Python alone, and for `score` an installed fullmarks.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

TITLE = "fullmarks"
CHECKOUT = "checkout"
SCORED = (0, 1)
"""Exit codes with which there is a result."""


def given(name: str) -> str:
    return os.environ.get(f"GATE_{name}", "").strip()


def listed(name: str) -> list[str]:
    return [line.strip() for line in given(name).splitlines() if line.strip()]


def install() -> int:
    """Install what is asked for; "checkout" is the folder that this file came in."""
    here = str(Path(__file__).resolve().parents[1])
    wanted = [here if word == CHECKOUT else word for word in listed("INSTALL")]
    if not wanted:
        return 0
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--quiet", "--", *wanted]
    return subprocess.run(pip, check=False).returncode


def words(run_file: Path, verdict: Path) -> list[str]:
    """The arguments of `fullmarks`; files come after `--`, so that none is taken for an option."""
    options = ["-f", "full", "-o", str(run_file), "--junit", str(verdict)]
    for name in ("FAIL_UNDER", "FAIL_OVER", "FAIL_IF_WORSE"):
        options += [f"--{name.lower().replace('_', '-')}={condition}" for condition in listed(name)]
    if os.environ.get("GITHUB_STEP_SUMMARY"):
        options.append("--github-summary")
    files = [file for file in (given("GOLD"), given("PREDICTIONS")) if file]
    return ["score", given("PROTOCOL"), *listed("ARGUMENTS"), *options, "--", *files]


def score() -> int:
    """Score, annotate what is not met, hand over the outputs, and end as the command ended."""
    for name in ("PROTOCOL", "GOLD"):
        if not given(name):
            annotate("error", f"the input '{name.lower()}' is empty; the action needs it")
            return 2
    with tempfile.TemporaryDirectory() as folder:
        run_file = Path(given("RUN_FILE") or Path(folder, "run.json"))
        verdict = Path(folder, "verdict.xml")
        command = [sys.executable, "-m", "fullmarks", *words(run_file, verdict)]
        done = subprocess.run(
            command, stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="replace", check=False
        )
        with without_commands():
            print(done.stderr, end="")
        scored = done.returncode in SCORED and verdict.is_file()
        for reason in not_met(verdict) or ([] if scored else [last_line(done.stderr)]):
            annotate("error", reason)
        if scored:
            hand_over(run_file, passed=done.returncode == 0)
    return done.returncode


def not_met(verdict: Path) -> list[str]:
    """Why the gate, or the run, failed: the failures and errors of the JUnit file."""
    if not verdict.is_file():
        return []
    cases = ElementTree.parse(verdict).getroot().iter("testcase")
    return [
        f"{case.get('name')}: {found.get('message')}" if found.tag == "failure" else str(found.get("message"))
        for case in cases
        for found in case
        if found.tag in ("failure", "error")
    ]


def last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "fullmarks ended without a word"


def hand_over(run_file: Path, *, passed: bool) -> None:
    """Print the result, and make it an output of the step."""
    import fullmarks

    run = fullmarks.load_run(run_file)
    result = json.dumps(run.official)
    with without_commands():
        print(json.dumps(run.official, indent=2))
        print(run.signature)
    outputs = os.environ.get("GITHUB_OUTPUT")
    if not outputs:
        return
    with Path(outputs).open("a", encoding="utf-8") as stream:
        for name, value in {"result": result, "signature": run.signature, "passed": str(passed).lower()}.items():
            end = f"end-{secrets.token_hex(16)}"  # no value can hold it
            stream.write(f"{name}<<{end}\n{value}\n{end}\n")


def annotate(level: str, message: str) -> None:
    """A message that GitHub shows at the top of the run."""
    escaped = message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    print(f"::{level} title={TITLE}::{escaped}", flush=True)


@contextmanager
def without_commands() -> Iterator[None]:
    """Nothing that is printed here is taken for a command to GitHub, whatever ids and texts it holds."""
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}", flush=True)
    try:
        yield
    finally:
        print(f"\n::{token}::", flush=True)


if __name__ == "__main__":
    STEPS = {"install": install, "score": score}
    if len(sys.argv) != 2 or sys.argv[1] not in STEPS:
        sys.exit("expected one word: install or score")
    sys.exit(STEPS[sys.argv[1]]())
