"""The process that runs cases one after the other; the supervisor reads a line from it before and after each."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tools.fuzz.case import make_case
from tools.fuzz.run_case import violations
from tools.fuzz.samples import find_samples


def main() -> None:
    """Cases from a number on, every so many-th, until the count is reached or the pipe is closed."""
    seed, start, step, end = map(int, sys.argv[1:5])
    folder = Path(sys.argv[5])
    samples = find_samples()
    wanted = set(sys.argv[6].split(",")) if len(sys.argv) > 6 else set()
    samples = [sample for sample in samples if not wanted or sample.protocol in wanted]
    report = sys.stdout
    sys.stdout = sys.stderr  # whatever a command prints past its redirection must not reach the supervisor
    for number in range(start, end, step):
        print(json.dumps({"number": number}), file=report, flush=True)
        case = make_case(samples, seed, number)
        found = violations(case, folder)
        told = {"number": number, "protocol": case.protocol, "form": case.form, "found": found}
        print(json.dumps(told), file=report, flush=True)


if __name__ == "__main__":
    main()
