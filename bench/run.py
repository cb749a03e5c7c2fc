"""Measures fullmarks against its peers: `make bench`, or `make bench-quick` for two minutes of it.

    python bench/run.py [--quick | --full] [--only SUBJECT ...] [--renew] [--torch] [--here]

Installs into bench/.venv, checks that results are equal and prints ratios with their spread. A run of everything
(neither --quick nor --only) also writes bench/results.json, docs/performance.svg and the tables of docs/performance.md;
--only with --renew replaces the lines of these subjects there.
Exit code 1 where results differ, 3 where a promised ratio is missed.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported: one core for everyone
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")

import argparse
import sys
import tempfile
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import environment

SUBJECTS = (
    "kernel",
    "public_calls",
    "recipes",
    "multihop",
    "drop",
    "qasper",
    "short_answers",
    "conversations_and_languages",
    "whole_command",
    "jsonl_rows",
    "frames",
    "slices",
    "vqa",
    "votes",
    "choice",
    "bleu",
    "thresholds",
    "bootstrap",
    "comparison",
    "meteor",
    "edit_distance",
    "short_visual",
    "frechet",
    "engines",
    "torchmetrics_squad",
    "yes_no",
)
ELSEWHERE = {"webqa": "needs spaCy, its model and a file of outputs: python bench/webqa.py OUTPUTS.tsv MODEL"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="small sizes and few turns: two minutes")
    size.add_argument("--full", action="store_true", help="with a table of five million rows")
    parser.add_argument("--only", nargs="+", choices=(*SUBJECTS, "memory"), default=None)
    parser.add_argument("--renew", action="store_true", help="with --only: keep these lines in place of former ones")
    parser.add_argument("--torch", action="store_true", help="install torchmetrics and torch too (large)")
    parser.add_argument("--here", action="store_true", help="use this interpreter as it is, install nothing")
    options = parser.parse_args()
    if not (options.here or environment.is_inside()):
        more = ("torch", "torchmetrics") if options.torch else ()
        return environment.enter(sys.argv[1:], (*environment.PEERS, *more))
    with tempfile.TemporaryDirectory() as folder:
        return run(options, Path(folder))


def run(options: argparse.Namespace, folder: Path) -> int:
    import memory
    import report
    from case import Measured, Settings, SkippedError, UnequalError, measure

    settings = Settings(options.quick, options.full, folder)
    measured: list[Measured] = []
    skipped = dict(ELSEWHERE)
    unequal = []
    for subject in options.only or SUBJECTS:
        if subject == "memory":
            continue
        try:
            for case in import_module(subject).cases(settings):
                found = measure(case, case.rounds or settings.rounds(case.size))
                measured += found
                for each in found:
                    print(report.line(each), flush=True)
        except SkippedError as reason:
            skipped[subject] = str(reason)
        except UnequalError as difference:
            unequal.append(str(difference))
            print(f"FAILED: {difference}", flush=True)
    sizes = memory.measure_sizes(settings) if options.only is None or "memory" in options.only else []
    report.print_sizes(sizes)
    broken = [f"{report.line(each)}: wanted {each.wanted:g}" for each in measured if not each.is_kept]
    broken += memory.broken_promises(sizes)
    report.print_rest(skipped, settings.absent, broken)
    is_complete = options.only is None and not options.quick
    if is_complete and not unequal:
        report.write(measured, sizes, skipped, settings.absent)
    elif options.renew and not options.quick and not unequal:
        report.renew(measured)
    return 1 if unequal else 3 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
