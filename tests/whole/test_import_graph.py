"""The table of rooms in docs/architecture.md, held against the imports in the code."""

from __future__ import annotations

import ast
import graphlib
import re
import sys
from functools import cache, lru_cache
from pathlib import Path

from tests.every_case import every_case

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "fullmarks"
FREE = {
    "errors",
    "checks",
    "options",
    "frozen",
    "types",
    "version",
    "optional",
    "atomic_file",
    "regular_file",
    "remote_file",
    "registry",
    "showing",
    "data_frames",
}
REQUIRED_PACKAGES = {"click", "msgspec", "numpy", "rich", "zstandard"}
IMPORTED_BY_THEIR_TOOL = {"adapters/pytest_plugin.py": {"pytest"}}
"""Files that only the tool itself imports, by its entry points, so that it is there."""
ENTRANCES = {SOURCE / "__init__.py", SOURCE / "__main__.py"}
FILES = sorted(path for path in SOURCE.rglob("*.py") if path not in ENTRANCES)
EACH_FILE = {str(path.relative_to(SOURCE)): (path,) for path in FILES}


@lru_cache(maxsize=1)
def rooms() -> dict[str, set[str] | None]:
    """The table: every room with the rooms it may import, None standing for all of them."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    body = text.split("| room | holds | may import |", 1)[1].split("\n\n", 1)[0]
    table: dict[str, set[str] | None] = {}
    for line in body.splitlines()[2:]:
        room, _, allowed = (cell.strip() for cell in line.strip("|").split("|"))
        assert allowed in ("everything", "nothing") or "`" in allowed, line
        table[room.strip("`")] = None if allowed == "everything" else set(re.findall(r"`(\w+)`", allowed))
    return table


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


@cache
def imported_modules(path: Path) -> dict[str, int]:
    """The modules that a file imports, wherever in it, with the line."""
    found: dict[str, int] = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            names = (
                [f"fullmarks.{name.name}" for name in node.names] if node.module == "fullmarks" else [node.module or ""]
            )
        elif isinstance(node, ast.Import):
            names = [name.name for name in node.names]
        for name in names:
            found.setdefault(name, node.lineno)  # type: ignore[attr-defined]
    return found


def imported_rooms(path: Path) -> dict[str, int]:
    """The rooms that a file imports, with the line."""
    found: dict[str, int] = {}
    for name, line in imported_modules(path).items():
        parts = name.split(".")
        if parts[0] == "fullmarks" and len(parts) > 1:
            found.setdefault(parts[1], line)
    return found


def top_level_packages(path: Path) -> set[str]:
    """The packages imported when the module is, `if TYPE_CHECKING:` apart."""
    packages: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            packages |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            packages.add(node.module.split(".")[0])
    return packages


def test_every_room_is_in_the_table_and_every_line_has_its_room() -> None:
    assert set(rooms()) == {room_of(path) for path in FILES}


@every_case(EACH_FILE)
def test_imports_stay_within_the_table(path: Path) -> None:
    room = room_of(path)
    allowed = rooms()[room]
    for other, line in imported_rooms(path).items():
        assert other in rooms(), f"{path}:{line}: imports '{other}', which is no room"
        assert other != "cli" or room == "cli", f"{path}:{line}: nothing imports cli"
        assert allowed is None or other in {room, *FREE, *allowed}, f"{path}:{line}: {room} may not import {other}"


@every_case(EACH_FILE)
def test_a_benchmark_imports_no_other_benchmark(path: Path) -> None:
    parts = path.relative_to(SOURCE).parts
    is_inside = parts[0] == "protocols" and len(parts) > 2
    home = parts[1] if is_inside else room_of(path)  # a module of a benchmark's name is its public face
    for name, line in imported_modules(path).items():
        names = name.split(".")
        if names[:2] != ["fullmarks", "protocols"] or len(names) < 3:
            continue
        is_benchmark = (SOURCE / "protocols" / names[2]).is_dir()
        assert not is_benchmark or names[2] == home, f"{path}:{line}: imports the benchmark '{names[2]}'"


def test_free_rooms_import_only_free_rooms() -> None:
    for path in FILES:
        if room_of(path) in FREE:
            assert set(imported_rooms(path)) <= FREE


def test_rooms_form_no_circle() -> None:
    graph = {room: allowed for room, allowed in rooms().items() if allowed is not None}
    assert list(graphlib.TopologicalSorter(graph).static_order())


@every_case(EACH_FILE)
def test_optional_packages_wait_until_they_are_needed(path: Path) -> None:
    others = top_level_packages(path) - set(sys.stdlib_module_names) - {"fullmarks"}
    assert others <= REQUIRED_PACKAGES | IMPORTED_BY_THEIR_TOOL.get(path.relative_to(SOURCE).as_posix(), set())
