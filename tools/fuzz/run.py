"""The fuzzer: `make fuzz`, with ITERATIONS= or SECONDS=, SEED= and PROTOCOLS=.

    python -m tools.fuzz.run [--iterations N | --seconds S] [--seed N] [--protocols a,b] [--out FOLDER]
    python -m tools.fuzz.run --replay FOLDER [--subprocess]

Cases run in a process of their own, which is started anew where it dies or hangs: then the case that it was at is the
culprit. Every case that breaks an invariant is written to the folder; one moved to tests/tools/fuzz_cases is a test
from then on. Exit code 1 where anything was found.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import selectors
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tools.fuzz.case import Case, make_case
from tools.fuzz.run_case import HANG, Ended, violations
from tools.fuzz.samples import find_samples

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 2 * HANG
"""Longer than the worker's own alarm: only what no alarm can end comes to this."""
KEPT_OF_A_KIND = 3


def main() -> int:
    """0 where everything held, 1 otherwise."""
    options = _options()
    if options.replay:
        return _replay(options.replay, in_process=not options.subprocess)
    started = time.monotonic()
    state = _State(options)
    with tempfile.TemporaryDirectory() as folder:
        while not state.is_over():
            _run_worker(state, folder)
    print(state.summary(time.monotonic() - started))
    return 1 if state.kinds else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int, default=None)
    parser.add_argument("--seconds", type=float, default=None)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--protocols", default="")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "fuzz")
    parser.add_argument("--replay", type=Path, default=None)
    parser.add_argument("--subprocess", action="store_true", help="replay with a process for every command")
    options = parser.parse_args()
    if options.iterations is None and options.seconds is None:
        options.iterations = 2_000
    return options


class _State:
    """How far the run is, and what it found."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.next = 0
        self.deadline = None if options.seconds is None else time.monotonic() + options.seconds
        self.end = sys.maxsize if options.iterations is None else options.iterations
        self.done: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        wanted = set(filter(None, options.protocols.split(",")))
        self.samples = [each for each in find_samples() if not wanted or each.protocol in wanted]

    def is_over(self) -> bool:
        return self.next >= self.end or (self.deadline is not None and time.monotonic() > self.deadline)

    def take(self, told: dict[str, Any]) -> None:
        """One case is done."""
        self.next = told["number"] + 1
        self.done[f"{told['protocol']}, {told['form']}"] += 1
        if told["found"]:
            self.keep(told["number"], told["found"])

    def keep(self, number: int, found: list[str]) -> None:
        kind = kind_of(found[0])
        self.kinds[kind] += 1
        if self.kinds[kind] <= KEPT_OF_A_KIND:
            case = make_case(self.samples, self.options.seed, number)
            case.save(self.options.out / f"{case.protocol}-{self.options.seed}-{number}", found)
            print(f"case {number} ({case.protocol}, {case.form}): {found[0]}\n", flush=True)

    def summary(self, seconds: float) -> str:
        lines = [f"{name}: {count}" for name, count in sorted(self.done.items())]
        lines += [f"{sum(self.done.values())} cases in {seconds:.0f} s, seed {self.options.seed}"]
        lines += [f"{count} x {kind}" for kind, count in self.kinds.most_common()]
        lines += [f"{sum(self.kinds.values())} violations" + (f", kept in {self.options.out}" if self.kinds else "")]
        return "\n".join(lines)


def kind_of(text: str) -> str:
    """What two violations have in common: the command and the last line, without names and numbers."""
    lines = [line for line in text.splitlines() if line.strip()]
    place = next((line.strip() for line in reversed(lines) if line.strip().startswith("File")), "")
    where = re.sub(r'.*fullmarks/(\S+)", line (\d+).*', r" (\1:\2)", place)
    short = re.sub(r"'[^']*'|\"[^\"]*\"|/\S+|\d+", "_", lines[-1])[:110]
    return lines[0].partition(":")[0] + ": " + short + where


def _run_worker(state: _State, folder: str) -> None:
    """Cases until the end, or until the worker dies or hangs."""
    end = min(state.end, state.next + 100_000)
    words = [sys.executable, "-m", "tools.fuzz.worker", str(state.options.seed), str(state.next), "1", str(end)]
    words += [str(Path(folder) / "case"), *([state.options.protocols] if state.options.protocols else [])]
    quiet = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    worker = subprocess.Popen(words, cwd=ROOT, env=quiet, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert worker.stdout is not None
    at, why = state.next, ""
    with selectors.DefaultSelector() as ready:
        ready.register(worker.stdout, selectors.EVENT_READ)
        while not state.is_over():
            if not ready.select(PATIENCE):
                why = f"hangs: no end within {PATIENCE} s, not even by an alarm"
                break
            line = worker.stdout.readline()
            if not line:
                code = worker.wait()
                why = f"the process died with {code}" if state.next < end else ""
                break
            told = json.loads(line)
            at = told["number"]
            if "found" in told:
                state.take(told)
    worker.kill()
    worker.wait()
    if why:
        state.keep(at, [why])
        state.next = at + 1


def _replay(folder: Path, *, in_process: bool) -> int:
    with tempfile.TemporaryDirectory() as place:
        found = violations(Case.load(folder), Path(place) / "case", *(() if in_process else (run_process,)))
    print("\n".join(found) or "nothing is violated")
    return 1 if found else 0


def run_process(words: list[str]) -> Ended:
    """The command as its users run it."""
    start = [sys.executable, "-c", "import sys; from fullmarks.cli.main import main; sys.exit(main())"]
    ended = subprocess.run([*start, *words], capture_output=True, check=False, timeout=PATIENCE)
    out, err = (text.decode("utf-8", "surrogateescape") for text in (ended.stdout, ended.stderr))
    return Ended(ended.returncode, out, err)


if __name__ == "__main__":
    sys.exit(main())
