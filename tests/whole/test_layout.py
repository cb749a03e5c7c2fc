"""tests/ mirrors src/: the test of src/fullmarks/a/b.py, or of the folder a/b, is tests/a/test_b.py."""

from __future__ import annotations

from pathlib import Path

from tests.repository import ROOT

TESTS, SOURCE = ROOT / "tests", ROOT / "src" / "fullmarks"
OF_THE_WHOLE = ("whole", "adapters")
"""Tests of the project as a whole, and those with the real tools that the adapters are for."""


def candidates(test: Path) -> list[Path]:
    """What a test may be named after: a module, a folder, a C file or a script of the page."""
    place = test.relative_to(TESTS)
    folder = (ROOT if place.parts[0] == "tools" else SOURCE) / place.parent
    name = test.stem.removeprefix("test_")
    return [folder / name, folder / f"{name}.py", folder / f"_{name}.c", folder / f"{name}.js"]


def test_every_test_is_named_after_what_it_tests() -> None:
    tests = [path for path in TESTS.rglob("test_*.py") if path.relative_to(TESTS).parts[0] not in OF_THE_WHOLE]
    strays = [test for test in sorted(tests) if not any(path.exists() for path in candidates(test))]
    assert not strays, f"these are named after no module or folder: {', '.join(map(str, strays))}"
