"""The environment of the benchmarks: bench/.venv with fullmarks and its peers, and inside it one with fullmarks alone.

The second one is what a user of the command has: packages of peers would only make its start slower.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
FOLDER = REPOSITORY / "bench" / ".venv"
FRAMES = ("pyarrow", "pandas", "polars", "duckdb", "datasets")
PEERS = ("scipy", "nltk", "sacrebleu", "rapidfuzz", "transformers<5", *FRAMES)


def is_inside() -> bool:
    return Path(sys.prefix) == FOLDER


def enter(words: list[str], peers: tuple[str, ...] = PEERS) -> int:
    """Make or refresh the environment and run the benchmarks in it."""
    for folder, extra, others in ((FOLDER, "[plots]", peers), (FOLDER / "alone", "", ())):
        if not (folder / "bin" / "python").exists():
            print(f"making {folder.relative_to(REPOSITORY)}", flush=True)
            venv.create(folder, with_pip=True)
        install(folder, f"{REPOSITORY}{extra}")
        install(folder, "--force-reinstall", "--no-deps", str(REPOSITORY))
        for peer in others:
            install(folder, peer, is_needed=False)
    script = REPOSITORY / "bench" / "run.py"
    return subprocess.run([FOLDER / "bin" / "python", script, *words], check=False).returncode


def install(folder: Path, *what: str, is_needed: bool = True) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    words = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *what]
    ended = subprocess.run(words, check=False, env=environment, stderr=subprocess.PIPE, text=True)
    if ended.returncode:
        reason = (ended.stderr.strip().splitlines() or ["no reason given"])[-1]
        print(f"could not install {what[-1]}: {reason}", flush=True)
        if is_needed:
            sys.exit(1)
