"""The tables of docs/statistics.md: as bench/coverage.py prints them, and keeping what the page promises."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
SIMULATION_ERROR = 3 * (0.05 * 0.95 / 2000) ** 0.5 * 100
"""Three standard errors of 5 % of 2,000 draws, in percent: 1.5."""


@pytest.fixture
def coverage() -> ModuleType:
    specification = spec_from_file_location("coverage_tables", ROOT / "bench/coverage.py")
    assert specification is not None
    assert specification.loader is not None
    module = module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def shown(title: str) -> tuple[list[str], dict[str, list[str]]]:
    """The header of a table of the page, and its lines by name."""
    text = (ROOT / "docs/statistics.md").read_text(encoding="utf-8")
    lines = text[text.index(f"**{title}**") :].split("\n\n")[1].splitlines()
    header, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return header, {" ".join(row[: len(row) - len(header) + 1]): row[1:] for row in rows}


@pytest.mark.parametrize("part", ["means", "buckets", "tests", "gate", "gate-kept", "ppi"])
def test_the_page_shows_what_the_program_prints(coverage: ModuleType, part: str) -> None:
    title, header, rows = coverage.PARTS[part](2, np.random.default_rng(0))
    known, lines = shown(title)
    assert known == header
    assert list(lines) == list(dict.fromkeys(row[0] for row in rows))


def numbers(cells: list[str]) -> list[float]:
    return [float(cell) for cell in cells if cell]


def test_intervals_hold_what_is_promised() -> None:
    _, lines = shown("95 % intervals of a mean hold the truth (%)")
    assert len(lines) == 18
    assert all(float(cells[0]) >= 93 for cells in lines.values())


def test_intervals_over_buckets_hold_as_much_as_those_over_examples() -> None:
    _, lines = shown("95 % intervals over buckets hold the truth (%)")
    assert len(lines) == 9
    for name, (*shares, ratio, spread) in lines.items():
        plain = lines[f"{name.split(', ', 1)[0]}, examples"]
        many = "64 buckets" not in name
        for found, wanted in zip(shares, plain, strict=False):
            assert abs(float(found) - float(wanted)) <= (SIMULATION_ERROR if many else 3), name
        assert 0.95 <= float(ratio) <= 1.05, name
        assert float(spread) <= 10, name


def test_no_p_value_finds_too_much() -> None:
    _, lines = shown("Equally good systems that are told apart at 0.05 (%)")
    assert len(lines) == 12
    assert max(max(numbers(cells)) for cells in lines.values()) <= 6.0


@pytest.mark.parametrize("how", ["all answers made anew", "80% of answers kept"])
def test_the_gate_gives_few_false_alarms(how: str) -> None:
    text = (ROOT / "docs/statistics.md").read_text(encoding="utf-8")
    rows = text[text.index(f"**Gates that fail, 500 examples, {how} (%)**") :].split("\n\n")[1].splitlines()[2:]
    seen = 0
    for row in rows:
        margin, loss, evidence, proof, _ = (float(cell) for cell in row.strip("|").split("|"))
        if loss <= 100 * margin:
            assert evidence <= 5 + SIMULATION_ERROR
            seen += 1
        if loss >= 100 * margin:
            assert 100 - proof <= 5 + SIMULATION_ERROR
    assert seen == 7
