"""Which tests hold a room's code to its behaviour: its own first, then those that reach it from outside."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tools.kernel_build import ROOT

SOURCE = ROOT / "src" / "fullmarks"
KERNEL = "kernel"
ELSEWHERE: dict[str, tuple[str, ...]] = {
    "text": ("tests/metrics", "tests/protocols"),
    "lexicons": ("tests/metrics", "tests/protocols"),
    "metrics": ("tests/protocols", "tests/analysis", "tests/test_qa_classes.py", "tests/test_wrong_types.py"),
    "readers": ("tests/bad_input", "tests/protocols", "tests/analysis", "tests/test_wrong_types.py"),
    "protocols": ("tests/bad_input", "tests/analysis", "tests/cli", "tests/test_evaluate.py"),
    "engines": ("tests/test_evaluate.py",),
    "stats": ("tests/analysis", "tests/protocols/test_fusionbrain_distance.py", "tests/test_bounds_of_options.py"),
    "analysis": ("tests/cli", "tests/report"),
    "report": ("tests/cli",),
    "cli": ("tests/test_documentation_snippets.py", "tests/bad_input"),
    "single": ("tests/cli", "tests/analysis", "tests/bad_input", "tests/metrics"),
}
"""The room "single" is that of the modules which are no folder."""


class Room(NamedTuple):
    """A room's files and its tests."""

    name: str
    files: list[Path]
    tests: tuple[str, ...]

    def nearest(self, file: Path) -> list[str]:
        """The tests that are named for the file, which most mutants do not get past."""
        stem = file.stem.strip("_")
        own = [path for folder in self.tests for path in sorted((ROOT / folder).rglob(f"test*{stem}*.py"))]
        return [str(path.relative_to(ROOT)) for path in own]


def find_rooms() -> dict[str, Room]:
    """All rooms but the neural ones, whose tests need models; the C kernel is a room of its own."""
    rooms = {
        KERNEL: Room(
            KERNEL,
            sorted((SOURCE / "text").glob("_speed*.[ch]")),
            ("tests/text/test_kernel_edges.py", "tests/text/test_kernel.py"),
        )
    }
    for name, elsewhere in ELSEWHERE.items():
        if name == "single":
            files = [
                path for path in sorted(SOURCE.glob("*.py")) if path.stem not in ("__init__", "__main__", "version")
            ]
            own = tuple(str(path.relative_to(ROOT)) for path in sorted((ROOT / "tests").glob("test_*.py")))
            rooms[name] = Room(name, files, (*own, *elsewhere))
            continue
        files = [path for path in sorted((SOURCE / name).rglob("*.py")) if path.stem != "__init__"]
        rooms[name] = Room(name, files, (f"tests/{name}", *elsewhere))
    return rooms
