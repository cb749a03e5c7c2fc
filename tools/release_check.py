"""Builds the archive and the wheel, and uses both as a stranger would: `make test-release`.

The wheel is built from the unpacked archive and installed, without extras, into an environment of its own. There every
command of the README is run, on files made of the built-in samples, and its Python examples; a line that `fullmarks
doctor` prints adds an optional part; and tests are run from the unpacked archive. pip needs the network.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GATES = ("--fail-under", "--fail-over", "--fail-if-worse")
TESTS = [
    "tests/whole/test_public_surface.py",
    "tests/whole/test_release_files.py",
    "tests/whole/test_documentation_snippets.py",
    "tests/whole/test_bench.py",
    "tests/whole/test_command_documentation.py",
    "tests/text/test_squad.py",
]
"""A part of all, those that read other files of the repository among them."""

COMPLETE = ("demo", "doctor", "list")
"""Commands that need no word more; others are only spoken of."""

NEEDED_BY_TESTS = ["hypothesis>=6.100", "pytest>=8", "pyyaml>=6", "setuptools>=77"]
DOCTESTS = """
import doctest, re, sys
from pathlib import Path
text = re.sub(r"^```\\w*$", "", Path(sys.argv[1]).read_text(encoding="utf-8"), flags=re.MULTILINE)
ran = doctest.DocTestRunner().run(doctest.DocTestParser().get_doctest(text, {}, "README.md", None, 0))
assert ran.attempted > 10, ran
sys.exit(bool(ran.failed))
"""


class ReleaseError(Exception):
    """Something is wrong with the release; the message says what."""


def say(text: str) -> None:
    print(f"{time.monotonic() - START:5.0f} s  {text}", flush=True)


def run(words: Sequence[object], *, cwd: Path, codes: Sequence[int] = (0,), path: Path | None = None) -> str:
    """Standard output of a command, which must end with one of these codes."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    if path is not None:
        variables["PATH"] = f"{path}{os.pathsep}{variables['PATH']}"
    done = subprocess.run([*map(str, words)], cwd=cwd, env=variables, capture_output=True, text=True, check=False)
    if done.returncode not in codes:
        shown = "\n".join((done.stdout + done.stderr).splitlines()[-40:])
        raise ReleaseError(
            f"{shlex.join(map(str, words))}\nexit code {done.returncode}, expected {list(codes)}\n{shown}"
        )
    return done.stdout


def new_environment(folder: Path) -> Path:
    """The folder of the programs of a fresh environment."""
    venv.create(folder, with_pip=True)
    return folder / ("Scripts" if os.name == "nt" else "bin")


def install(programs: Path, *words: object) -> None:
    run(
        [programs / "python", "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check", *words],
        cwd=ROOT.parent,
    )


def build(programs: Path, source: Path, kind: str, to: Path) -> Path:
    """The archive ("sdist") or wheel of the source."""
    run([programs / "python", "-m", "build", f"--{kind}", "--no-isolation", "--outdir", to, source], cwd=to)
    (made,) = to.glob("*.tar.gz" if kind == "sdist" else "*.whl")
    return made


def check_archive(archive: Path, to: Path) -> Path:
    """The folder of the unpacked archive, which holds every file of the repository."""
    with tarfile.open(archive) as packed:
        packed.extractall(to, filter="data") if sys.version_info >= (3, 12) else packed.extractall(to)
    (source,) = to.iterdir()
    if (ROOT / ".git").exists():
        tracked = run(["git", "ls-files", "-z"], cwd=ROOT).split("\0")
        missing = [name for name in tracked if name and (ROOT / name).exists() and not (source / name).exists()]
        if missing:
            raise ReleaseError(
                f"the archive lacks {len(missing)} files of the repository: {', '.join(missing[:5])}. See MANIFEST.in"
            )
    return source


def readme_commands(readme: str) -> list[list[str]]:
    """The words of every command that the README shows, in code blocks and in its tables."""
    blocks = re.findall(r"^ {4}(?:\$ )?(fullmarks [^\n#]+)", readme, re.MULTILINE)
    quoted = re.findall(r"`(fullmarks [a-z-]+[^`\n]*)`", readme)
    shown = dict.fromkeys(line.strip() for line in [*blocks, *quoted])
    return [words for words in map(shlex.split, shown) if len(words) > 2 or words[1] in COMPLETE]


def make_files(folder: Path, sample: Path, wanted: str) -> None:
    """The files that the README's commands speak of, made of SQuAD 2.0's sample; `wanted` is the id it explains."""
    folder.mkdir()
    gold = (sample / "gold.json").read_text(encoding="utf-8").replace('"bee-1"', json.dumps(wanted))
    first = json.loads((sample / "predictions.json").read_text(encoding="utf-8"))
    first[wanted] = first.pop("bee-1")
    second = {**first, "bee-3": "", "light-3": "twenty metres"}
    for name in ("gold.json", "dev-v2.0.json"):
        (folder / name).write_text(gold, encoding="utf-8")
    for name in ("pred.json", "predictions.json", "a.json", "a1.json", "b2.json"):
        (folder / name).write_text(json.dumps(first), encoding="utf-8")
    for name in ("b.json", "a2.json", "b1.json"):
        (folder / name).write_text(json.dumps(second), encoding="utf-8")
    judged = [{"id": at, "gpt": at % 3 > 0, "me": at % 4 > 0 if at < 40 else None} for at in range(200)]
    (folder / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in judged), encoding="utf-8")
    shutil.copy(ROOT / "tests/readers/logs/inspect/success.eval", folder / "log.eval")


def save_runs(command: Path, folder: Path) -> None:
    """Saved runs under the names of the README."""
    for name, predictions in {"run.json": "a.json", "baseline.run.json": "a.json"}.items():
        run([command, "score", "squad2", "gold.json", predictions, "-f", "full", "-o", name], cwd=folder)
    for system in "ab":
        (folder / "runs" / system).mkdir(parents=True)
        saved = Path("runs", system, "squad2.run.json")
        run([command, "score", "squad2", "gold.json", f"{system}.json", "-f", "full", "-o", saved], cwd=folder)


def check_readme(programs: Path, work: Path) -> int:
    """Run every command and every example of the README; how many commands."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = readme_commands(readme)
    if len(commands) < 15:
        raise ReleaseError(f"only {len(commands)} commands were found in README.md, expected 15 or more")
    ids = [words[words.index("--id") + 1] for words in commands if "--id" in words]
    sample = run([programs / "python", "-c", SAMPLE_FOLDER], cwd=work).strip()
    make_files(work / "readme", Path(sample), ids[0])
    save_runs(programs / "fullmarks", work / "readme")
    for words in commands:
        codes = (0, 1) if any(word in GATES for word in words) else (0,)
        printed = run(words, cwd=work / "readme", codes=codes, path=programs)
        if not printed and "-o" not in words:
            raise ReleaseError(f"{shlex.join(words)}\nprinted nothing")
    run([programs / "python", "-c", DOCTESTS, ROOT / "README.md"], cwd=work)
    return len(commands)


SAMPLE_FOLDER = "from fullmarks.protocols.sample import sample_folder; print(sample_folder('squad2'))"
COMPILED = "from fullmarks.text import kernel; assert kernel.IMPLEMENTATION == 'c', kernel.IMPLEMENTATION"
START = time.monotonic()


def check(work: Path) -> None:
    builder = new_environment(work / "builder")
    install(builder, "build", "setuptools>=77")
    for folder in ("sdist", "wheel", "unpacked"):
        (work / folder).mkdir()
    archive = build(builder, ROOT, "sdist", work / "sdist")
    source = check_archive(archive, work / "unpacked")
    say(f"{archive.name} holds every file of the repository")
    wheel = build(builder, source, "wheel", work / "wheel")
    bare = new_environment(work / "bare")
    install(bare, wheel)
    run([bare / "python", "-m", "pip", "check"], cwd=work)
    run([bare / "python", "-c", COMPILED], cwd=work)
    say(f"{wheel.name} is installed, with its compiled parts and without extras")
    say(f"{check_readme(bare, work)} commands of the README work, and its Python examples")
    install(bare, "fullmarks[regex]")
    if not json.loads(run([bare / "fullmarks", "doctor", "-f", "json"], cwd=work))["extras"]["regex"]["present"]:
        raise ReleaseError("pip install 'fullmarks[regex]', as doctor says, did not install the extra 'regex'")
    say("an optional part is added by the line that doctor prints")
    install(bare, *NEEDED_BY_TESTS)
    shown = run([bare / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS], cwd=source)
    say(f"tests from the unpacked archive: {shown.strip().splitlines()[-1]}")


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="fullmarks-release-") as folder:
        try:
            check(Path(folder))
        except ReleaseError as failure:
            print(f"release: {failure}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
