"""tests/ mirrors src/: the test of src/fullmarks/a/b.py, or of the folder a/b, is tests/a/test_b.py."""

from __future__ import annotations

from tests.repository import ROOT

TESTS, SOURCE = ROOT / "tests", ROOT / "src" / "fullmarks"
MIRRORED_ELSEWHERE = {"tools": ROOT / "tools", "bench": ROOT / "bench"}
"""Folders whose tests are those of programs beside the package."""
OF_THE_WHOLE = ("whole", "cluster", "adapters")
"""Tests of the project as a whole, of its work on Ray, and with the real tools that the adapters are for."""


def test_every_test_is_named_after_what_it_tests() -> None:
    strays = []
    for path in sorted(TESTS.rglob("test_*.py")):
        place = path.relative_to(TESTS)
        if place.parts[0] in OF_THE_WHOLE:
            continue
        top = MIRRORED_ELSEWHERE.get(place.parts[0])
        tested = (SOURCE / place.parent if top is None else top / place.relative_to(place.parts[0]).parent) / path.stem[5:]
        if not tested.is_dir() and not tested.with_suffix(".py").is_file():
            strays.append(f"{place}: there is neither a module nor a folder {tested.relative_to(ROOT)}")
    assert not strays, "\n".join(strays)
