"""Which tests hold a file of the package to its behaviour, told by the names of files and by imports alone.

The test of `src/fullmarks/a/b.py` is `tests/a/test_b.py`, and so is that of a folder `a/b`. A mutant is tried
against the tests of its file or folder first, then those of its room, then those of the rooms that import its room.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tools.kernel_build import ROOT

SOURCE = ROOT / "src" / "fullmarks"
TESTS = ROOT / "tests"
KERNEL, SINGLE = "kernel", "single"
"""Two rooms that are no folders: all C files, and the modules directly in the package."""
NEURAL = ("bart_score", "clip_score", "fid")
"""Metrics whose tests need models."""
SKIPPED_ROOMS = ("adapters", "backends", "data")
"""Their tests need tools of others, or models."""
WHOLE = "tests/whole"


@dataclass(frozen=True)
class Room:
    """A room's files and its tests: its own and those from elsewhere that reach it."""

    name: str
    files: list[Path]
    own: tuple[str, ...]
    elsewhere: tuple[str, ...] = ()

    def nearest(self, file: Path) -> list[str]:
        """The tests that are named after the file, or else after the folder that it is in."""
        place = TESTS / file.relative_to(SOURCE).parent
        names = [place / f"test_{re.sub('^_(speed_)?', '', file.stem)}.py"]
        if place != TESTS:
            names.append(place.parent / f"test_{place.name}.py")
        return [str(path.relative_to(ROOT)) for path in names if path.is_file()]

    def stages(self, file: Path, near: bool = False) -> list[list[str]]:
        """The tests in the order in which they are tried: the nearest, the room's own, those from elsewhere."""
        nearest = self.nearest(file)
        return [nearest or list(self.own)] if near else [nearest, list(self.own), list(self.elsewhere)]


def find_rooms() -> dict[str, Room]:
    """All rooms but those whose tests need models or tools of others; the C files are a room of their own."""
    compiled = sorted(SOURCE.glob("*/*.[ch]"))
    rooms = {KERNEL: Room(KERNEL, compiled, tuple(dict.fromkeys(f"tests/{file.parent.name}" for file in compiled)))}
    for folder in sorted(path.parent for path in SOURCE.glob("*/__init__.py")):
        if folder.name not in SKIPPED_ROOMS:
            files = [path for path in sorted(folder.rglob("*.py")) if path.stem not in ("__init__", *NEURAL)]
            own = f"tests/{folder.name}"
            others = tuple(test for test in _tests_of_importers(folder.name) if test != own)
            rooms[folder.name] = Room(folder.name, files, (own,), others)
    single = [path for path in sorted(SOURCE.glob("*.py")) if not path.stem.startswith("__") and path.stem != "version"]
    own_single = tuple(str(path.relative_to(ROOT)) for path in sorted(TESTS.glob("test_*.py")))
    rooms[SINGLE] = Room(SINGLE, single, own_single, (WHOLE, "tests/cli", "tests/analysis"))
    return rooms


def _tests_of_importers(room: str) -> tuple[str, ...]:
    """The tests of the rooms that import a room, and those of the project as a whole."""
    named = sorted(name for name, imported in _imports().items() if room in imported)
    places = [
        place for name in named for place in (f"tests/{name}", f"tests/test_{name}.py") if (ROOT / place).exists()
    ]
    return (*places, WHOLE)


@cache
def _imports() -> dict[str, set[str]]:
    """For every room and single module, the rooms that it imports."""
    found: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        if room not in SKIPPED_ROOMS:
            imported = re.findall(
                r"^\s*(?:from|import) fullmarks\.(\w+)", path.read_text(encoding="utf-8"), re.MULTILINE
            )
            found.setdefault(room, set()).update(imported)
    return found
