"""Time and memory against size: the command on ever larger tables, each in a process of its own.

Memory is the largest resident set of the process, time that of its processor. Files are made one after the other and
removed at once.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from case import Settings
from data import write_rows
from whole_command import command

MOST_MEGABYTES = 500
UNEVEN = 0.10
"""How much the time per row may differ from size to size, above 100,000 rows."""


LAUNCH = """
import os, sys
quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet)
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
"""
"""A small process that starts the command: a child's largest memory counts that of its parent when it was made."""


def run(*words: str | Path) -> tuple[float, float]:
    """Processor seconds and megabytes of a command."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    launcher = [sys.executable, "-I", "-S", "-c", LAUNCH, *map(str, words)]
    told = subprocess.run(launcher, check=True, env=environment, capture_output=True, text=True).stdout
    code, seconds, megabytes = told.split()
    if code != "0":
        sys.exit(f"{' '.join(map(str, words))} failed")
    return float(seconds), float(megabytes)


def measure_sizes(settings: Settings) -> list[dict[str, Any]]:
    """For every size the best time of several runs and the memory, without and with a file of records."""
    found = []
    start = _start_seconds(settings)
    for size in settings.sizes:
        path = write_rows(settings.folder / "sizes.jsonl", size)
        records = settings.folder / "records.jsonl"
        words = [*command(), "score", "squad2", str(path)]
        runs = [run(*words) for _ in range(5 if size <= 1_000_000 else 3)]
        with_records = run(*words, "--per-example", records)
        seconds = min(seconds for seconds, _ in runs)
        found.append(
            {
                "size": size,
                "seconds": seconds,
                "slowest": max(seconds for seconds, _ in runs),
                "megabytes": max(megabytes for _, megabytes in runs),
                "megabytes_with_records": with_records[1],
                "microseconds_per_row": max(0.0, seconds - start) / size * 1e6,
            }
        )
        path.unlink()
        records.unlink()
    return found


def _start_seconds(settings: Settings) -> float:
    """What a table of one row takes: all of it is the start."""
    path = write_rows(settings.folder / "one.jsonl", 1)
    return min(run(*command(), "score", "squad2", path)[0] for _ in range(20))


def broken_promises(found: list[dict[str, Any]]) -> list[str]:
    """What is larger or less even than it may be."""
    broken = [
        f"{each['size']:,} rows took {each[key]:.0f} MB, more than {MOST_MEGABYTES}"
        for each in found
        for key in ("megabytes", "megabytes_with_records")
        if each[key] > MOST_MEGABYTES
    ]
    return broken + _off_the_line([(each["size"], each["seconds"]) for each in found if each["size"] >= 100_000])


def _off_the_line(times: list[tuple[int, float]]) -> list[str]:
    """The sizes whose time is off the straight line from the smallest to the largest; start-up is part of that line."""
    if len(times) < 3:
        return []
    (least, first), (most, last) = times[0], times[-1]
    broken = []
    for size, seconds in times[1:-1]:
        expected = first + (last - first) * (size - least) / (most - least)
        if abs(seconds - expected) > UNEVEN * expected:
            broken.append(f"{size:,} rows took {seconds:.2f} s, {expected:.2f} s would be linear")
    return broken
