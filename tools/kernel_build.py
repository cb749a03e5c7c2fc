"""Builds the compiled parts anywhere, with any flags, without installing them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FLAGS = ("-O1", "-g", "-ffp-contract=off", "-fPIC", "-shared", "-Wall", "-Wextra", "-Wno-cast-function-type")
TEXT, KEYS = "text/_speed.c", "readers/_keys.c"


def copied_package(folder: Path) -> Path:
    """A fresh copy of the package below the folder, without what was compiled; the place for PYTHONPATH."""
    place = folder / "src"
    shutil.rmtree(place, ignore_errors=True)
    ignored = shutil.ignore_patterns("__pycache__", "*.so", "*.egg-info")
    shutil.copytree(ROOT / "src" / "fullmarks", place / "fullmarks", ignore=ignored)
    return place


def build_kernel(
    place: Path, flags: Sequence[str] = (), *, source: str = TEXT, timeout: float = 120
) -> subprocess.CompletedProcess[str]:
    """Compile a kernel of a copied package in its place; the compiler's own end and words come back."""
    file = place / "fullmarks" / source
    target = file.with_suffix(sysconfig.get_config_var("EXT_SUFFIX"))
    headers = f"-I{sysconfig.get_path('include')}"
    command = [compiler(), *FLAGS, *flags, headers, str(file), "-o", str(target), "-lm"]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout)


def compiler() -> str:
    """The C compiler: that of the environment, or the system's."""
    return os.environ.get("CC", "cc")
