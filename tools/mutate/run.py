"""The mutator: `make mutate`, with ROOM=, COUNT=, SEED= and NEAR=.

    python -m tools.mutate.run [--room NAME ...] [--count N] [--seed N] [--only FILE] [--near]

Of every room so many mutants are drawn; each is put into a copy of the package, against which the room's tests run. A
mutant that no test notices survives: either a test is missing, or nothing that can be seen has changed. Those of the
second kind are listed in tools/mutate/equivalent.txt, each with its reason, and are not counted. Exit code 1 where
fewer than 95 % of the others were killed, 2 where the tests fail on the code as it is. `--near` keeps to the tests
nearest to a mutant's file: quicker, but what survives them may yet be noticed by others.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

from tools.kernel_build import KEYS, ROOT, TEXT, build_kernel, copied_package
from tools.mutate.c_mutants import c_mutants
from tools.mutate.python_mutants import Mutant, python_mutants
from tools.mutate.rooms import KERNEL, SOURCE, Room, find_rooms

WANTED = 0.95
PATIENCE = 3
"""How many times as long as on the code as it is the tests may take; a mutant that hangs is noticed."""
EQUIVALENT = Path(__file__).with_name("equivalent.txt")
PASSED, NO_TESTS = 0, 5
"""Exit codes of pytest; all others, a crash of the interpreter included, mean that something was noticed."""


def main() -> int:
    """0 where every room reaches the share that is wanted."""
    rooms = find_rooms()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--room", nargs="+", choices=list(rooms), default=list(rooms))
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="mutants of files with this in their name alone")
    parser.add_argument("--near", action="store_true", help="the nearest tests alone")
    options = parser.parse_args()
    shares = [_of_room(rooms[name], options) for name in options.room]
    return 0 if all(share >= WANTED for share in shares) else 1


def _of_room(room: Room, options: argparse.Namespace) -> float:
    """The share of a room's mutants that are killed, those drawn."""
    equivalent = known_equivalents()
    drawn = [each for each in _drawn(room, options) if _name(*each) not in equivalent]
    ends: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        place = copied_package(Path(folder))
        _build(place)
        started = time.monotonic()
        wanted = {test for file, _ in drawn for stage in room.stages(file, options.near) for test in stage}
        if wanted and _tests(sorted(wanted), place, None) != PASSED:
            print(f"{room.name}: the tests do not pass on the code as it is, so they say nothing about mutants")
            sys.exit(2)
        longest = 30 + PATIENCE * (time.monotonic() - started)
        for file, mutant in drawn:
            started = time.monotonic()
            target = place / "fullmarks" / file.relative_to(SOURCE)
            target.write_text(mutant.text)
            end = _end(room, room.stages(file, options.near), place, longest)
            target.write_text(file.read_text())
            ends[end] += 1
            if end == "survived":
                print(f"survived: {_name(file, mutant)}  [line {mutant.line}]", flush=True)
            else:
                print(
                    f"{end}: {file.name}:{mutant.line} ({time.monotonic() - started:.0f} s)",
                    file=sys.stderr,
                    flush=True,
                )
    counted = ends["killed"] + ends["survived"]
    share = ends["killed"] / counted if counted else 1.0
    print(
        f"{room.name}: {counted} mutants, {ends['killed']} killed, {ends['survived']} survived: {share:.0%}", flush=True
    )
    return share


def _drawn(room: Room, options: argparse.Namespace) -> list[tuple[Path, Mutant]]:
    """So many mutants of all files together, in the order of files and lines."""
    make = c_mutants if room.name == KERNEL else python_mutants
    files = [file for file in room.files if options.only in file.name]
    every = [(file, mutant) for file in files for mutant in make(file.read_text())]
    chosen = Random(f"{options.seed}:{room.name}").sample(range(len(every)), min(options.count, len(every)))
    return [every[at] for at in sorted(chosen)]


def _end(room: Room, stages: list[list[str]], place: Path, longest: float) -> str:
    """Whether a test notices, the nearest ones first."""
    if room.name == KERNEL and _build(place):
        return "not viable"
    ran = False
    for tests in stages:
        code = _tests(tests, place, longest) if tests else NO_TESTS
        if code not in (PASSED, NO_TESTS):
            return "killed"
        ran = ran or code == PASSED
    return "survived" if ran else "without tests"


def _tests(tests: list[str], place: Path, longest: float | None) -> int:
    plain = ["-m", "not deep and not neural and not cluster"]
    words = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *plain, *tests]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(place), str(ROOT))), "PYTHONDONTWRITEBYTECODE": "1"}
    existing = [*words[: -len(tests)], *(each for each in tests if (ROOT / each).exists())]
    started = subprocess.Popen(
        existing,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return started.wait(longest)
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, 9)
        started.wait()
        return 1


def _build(place: Path) -> int:
    """Whether the C compiler failed; without -O the endless loops of mutants are not made away with."""
    return max(build_kernel(place, ("-O2", "-w"), source=source).returncode for source in (TEXT, KEYS))


def _name(file: Path, mutant: Mutant) -> str:
    """What tells a mutant from others and does not change with the lines around it: file, line, change."""
    parts = (str(file.relative_to(SOURCE)), *named(file.read_text(), mutant))
    return " ;; ".join(parts)


def named(text: str, mutant: Mutant) -> tuple[str, str]:
    """The line of a mutant as it stands in the file, and what is changed there."""
    line = " ".join(text.splitlines()[mutant.line - 1].split())
    before, after = (" ".join(each.split()) for each in (mutant.before, mutant.after))
    return line, after if before == line else f"{before} -> {after}"


def known_equivalents() -> set[str]:
    """The mutants that change nothing which can be seen; after `#` stands why."""
    if not EQUIVALENT.exists():
        return set()
    return {line.partition("  # ")[0].strip() for line in EQUIVALENT.read_text().splitlines() if line.strip()}


if __name__ == "__main__":
    sys.exit(main())
