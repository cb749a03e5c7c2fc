"""The tests of the adapters, those of each environment with the real tools in a virtual environment of its own.

A folder `tests/adapters/NAME` with a `requirements.txt` is an environment. It is made under `build/adapters/NAME`, and
made anew when something that it was made of changes. Every test in it has to run: one that is skipped fails the whole.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
import venv
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests" / "adapters"
BUILT = ROOT / "build" / "adapters"
CHOSEN = "FULLMARKS_ADAPTERS"
"""The variable that tells `tests/adapters/conftest.py` whose tests are to be collected."""
OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_EVALUATE_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "WANDB_MODE": "offline",
    "WANDB_SILENT": "true",
    "OMP_NUM_THREADS": "1",
}
RUNNERS = ("pytest>=8", "hypothesis>=6.100")
PINNED = re.compile(r"^([\w.-]+)(?:\[[^\]]*\])?==(\S+)", re.MULTILINE)
REQUIRES_TORCH = re.compile(r"^torch\b(?!-)", re.MULTILINE)


@dataclass(frozen=True)
class Environment:
    """Tools that can be installed together, and the tests that need them."""

    name: str
    torch: str

    @property
    def folder(self) -> Path:
        """Where it is built."""
        return BUILT / self.name

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    @property
    def requirements(self) -> str:
        """What is installed there besides the project, as pip reads it."""
        return (TESTS / self.name / "requirements.txt").read_text(encoding="utf-8")

    @property
    def fingerprint(self) -> str:
        """A digest of all that it is made of."""
        project = (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("\n[tool.")[0]
        parts = [self.requirements, self.torch, sys.version, str(ROOT), *RUNNERS, project]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    @property
    def is_current(self) -> bool:
        """Whether it is built, of what it is made of today."""
        stamp = self.folder / ".made_of"
        return stamp.is_file() and stamp.read_text(encoding="utf-8") == self.fingerprint

    def build(self) -> None:
        """Make it, in place of an older one; torch comes first, so that nothing brings another one along."""
        shutil.rmtree(self.folder, ignore_errors=True)
        venv.create(self.folder, with_pip=False, symlinks=os.name != "nt")
        if REQUIRES_TORCH.search(self.requirements):
            self._install(self.torch)
        self._install("--editable", str(ROOT), "--requirement", str(TESTS / self.name / "requirements.txt"), *RUNNERS)
        (self.folder / ".made_of").write_text(self.fingerprint, encoding="utf-8")

    def _install(self, *words: str) -> None:
        pip = [sys.executable, "-m", "pip", "--python", str(self.python), "install", "-qq", "--no-compile"]
        subprocess.run([*pip, *words], check=True)

    def versions(self) -> str:
        """The tools that its requirements pin, with the versions that are there."""
        names = [name for name, _ in PINNED.findall(self.requirements)]
        if REQUIRES_TORCH.search(self.requirements):
            names.append("torch")
        script = "import sys, importlib.metadata as m; print(', '.join(f'{n} {m.version(n)}' for n in sys.argv[1:]))"
        words = [str(self.python), "-c", script, *dict.fromkeys(names)]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()

    def test(self, options: list[str]) -> str:
        """Run its tests; what is wrong with the run, or nothing."""
        report = self.folder / "report.xml"
        report.unlink(missing_ok=True)
        words = [str(self.python), "-m", "pytest", "-q", f"tests/adapters/{self.name}", f"--junitxml={report}"]
        variables = {**os.environ, **OFFLINE, CHOSEN: self.name}
        variables.pop("PYTHONPATH", None)
        code = subprocess.run([*words, *options], cwd=ROOT, env=variables, check=False).returncode
        if not report.is_file():
            return f"pytest ended with {code} and no report"
        return _complaint(code, report)


def _complaint(code: int, report: Path) -> str:
    """What the report of pytest says against the run; empty if every test ran and passed."""
    suite = ElementTree.parse(report).getroot().find("testsuite")
    counts = {} if suite is None else {name: int(suite.get(name, "0")) for name in ("tests", "skipped")}
    if counts.get("skipped"):
        return f"{counts['skipped']} tests were skipped, and here every test has to run"
    if code:
        return f"pytest ended with {code}"
    return "" if counts.get("tests") else "no test ran"


def names_of_environments() -> list[str]:
    """The folders that say what they require."""
    return sorted(path.parent.name for path in TESTS.glob("*/requirements.txt"))


def main() -> int:
    """0 if all tests of the environments that were asked for ran and passed, otherwise 1."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="names of environments, with commas between them")
    parser.add_argument("--torch", default="torch", help="what pip is told where an environment requires torch")
    parser.add_argument("--build-only", action="store_true", help="make the environments and run nothing")
    parser.add_argument("options", nargs="*", help="for pytest, after --")
    given = parser.parse_args()
    known = names_of_environments()
    chosen = given.only.split(",") if given.only else known
    unknown = sorted(set(chosen) - set(known))
    if unknown:
        parser.error(f"no environment {', '.join(unknown)}; there are {', '.join(known)}")
    complaints = [run(Environment(name, given.torch), given.options, given.build_only) for name in chosen]
    print("\n".join(line for _, line in complaints))
    return int(any(is_bad for is_bad, _ in complaints))


def run(environment: Environment, options: list[str], build_only: bool) -> tuple[bool, str]:
    """Build the environment if need be and run its tests; whether something is wrong, and the line that says so."""
    started = time.monotonic()
    if not environment.is_current:
        print(f"{environment.name}: making {environment.folder.relative_to(ROOT)}", flush=True)
        try:
            environment.build()
        except subprocess.CalledProcessError as error:
            return True, f"{environment.name}: could not be installed (pip ended with {error.returncode})"
    built = time.monotonic()
    print(f"{environment.name}: {environment.versions()}", flush=True)
    complaint = "" if build_only else environment.test(options)
    seconds = f"{built - started:.0f} s to make, {time.monotonic() - built:.0f} s to test"
    return bool(complaint), f"{environment.name}: {complaint or 'passed'} ({seconds}; {environment.versions()})"


if __name__ == "__main__":
    sys.exit(main())
