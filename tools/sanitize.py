"""The tests of the compiled parts, with both of them built under AddressSanitizer and UndefinedBehaviorSanitizer.

Whatever they find ends the run at once, so a passing run means that nothing was found. Python's own allocator is
switched off: it hands out pieces of large blocks, in which an overrun would not be seen.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tools.kernel_build import ROOT, build_kernel, compiler, copied_package

FLAGS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-Werror")
TESTS = (
    "tests/text/test_kernel.py",
    "tests/text/test_speed.py",
    "tests/text/test_squad.py",
    "tests/text/test_codes.py",
    "tests/text/test_folds.py",
    "tests/text/test_hashes.py",
    "tests/text/test_sets.py",
    "tests/text/test_containment.py",
    "tests/text/test_number_readings.py",
    "tests/text/test_votes.py",
    "tests/text/test_yes_no.py",
    "tests/text/test_meteor.py",
    "tests/text/test_porter.py",
    "tests/metrics/test_relaxed_accuracy.py",
    "tests/readers/test_repeated_keys.py",
    "tests/readers/test_objects.py",
)
MEASURES_MEMORY = "leave_nothing_behind"
"""A test that bounds what Python's allocator holds, which is switched off here."""
ASAN = "detect_leaks=0:abort_on_error=0:quarantine_size_mb=4:allocator_may_return_null=1"


def main() -> int:
    """The exit code of the tests; 2 where the kernel cannot be built so."""
    place = copied_package(ROOT / "build" / "sanitize")
    for source in ("text/_speed.c", "readers/_keys.c"):
        built = build_kernel(place, FLAGS, source=source)
        if built.returncode:
            print(built.stderr, file=sys.stderr)
            return 2
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(place), str(ROOT / "tests"))),
        "PYTHONMALLOC": "malloc",
        "LD_PRELOAD": _runtime("libasan.so"),
        "ASAN_OPTIONS": ASAN,
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    probe = "import fullmarks.readers._keys; from fullmarks.text import _speed; print(_speed.__file__)"
    loaded = subprocess.run([sys.executable, "-c", probe], env=environment, capture_output=True, text=True, check=False)
    if not Path(loaded.stdout.strip()).is_relative_to(place):
        print(f"the sanitized kernel was not loaded: {loaded.stdout}{loaded.stderr}", file=sys.stderr)
        return 2
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS, "-k", f"not {MEASURES_MEMORY}"]
    return subprocess.run(words, env=environment, cwd=ROOT, check=False).returncode


def _runtime(name: str) -> str:
    """The path of the compiler's library, which has to be loaded before everything else."""
    found = subprocess.run([compiler(), f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    return str(Path(found.stdout.strip()).resolve())


if __name__ == "__main__":
    sys.exit(main())
