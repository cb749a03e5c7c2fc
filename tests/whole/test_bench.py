"""The measuring program keeps its results in the repository only when everything was measured."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The program with nothing to measure, writing into a folder of the test."""
    before = set(sys.modules)
    for name, value in (("OPENBLAS_NUM_THREADS", "1"), ("TRANSFORMERS_VERBOSITY", "error")):
        monkeypatch.setenv(name, value)  # the program sets them where they are not
    monkeypatch.syspath_prepend(str(BENCH))
    monkeypatch.setattr(sys, "path", list(sys.path))
    program, report, memory = (import_module(name) for name in ("run", "report", "memory"))
    subject = ModuleType("nothing")
    subject.cases = lambda settings: []  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "nothing", subject)
    monkeypatch.setattr(program, "SUBJECTS", ("nothing",))
    monkeypatch.setattr(memory, "measure_sizes", lambda settings: [])
    monkeypatch.setattr(report, "plot", lambda measured, sizes: None)
    for name, file in (("RESULTS", "results.json"), ("PAGE", "performance.md")):
        (tmp_path / file).write_text(f"as it was\n{report.BEGIN}\n{report.END}\n", encoding="utf-8")
        monkeypatch.setattr(report, name, tmp_path / file)
    yield program
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "") or "").startswith(str(BENCH)):
            del sys.modules[name]


@pytest.mark.parametrize(
    ("options", "is_kept"),
    [
        ({"only": None, "quick": False, "full": False}, True),
        ({"only": None, "quick": True, "full": False}, False),
        ({"only": ["nothing"], "quick": False, "full": True}, False),
    ],
)
def test_partial_runs_leave_the_kept_results_alone(
    bench: ModuleType, tmp_path: Path, options: dict[str, object], is_kept: bool
) -> None:
    assert bench.run(Namespace(**options, renew=False), tmp_path) == 0
    assert ("machine" in (tmp_path / "results.json").read_text(encoding="utf-8")) == is_kept
    assert ("Measured with" in (tmp_path / "performance.md").read_text(encoding="utf-8")) == is_kept


def test_renewed_lines_take_the_place_of_former_ones(bench: ModuleType, tmp_path: Path) -> None:
    del bench
    report = import_module("report")
    former = [line("old", 2.0), line("other", 3.0)]
    kept = {"machine": {}, "ratios": former, "sizes": [], "not_measured": {}}
    (tmp_path / "results.json").write_text(json.dumps(kept), encoding="utf-8")
    measured = [SimpleNamespace(to_dict=lambda: line("old", 5.0)), SimpleNamespace(to_dict=lambda: line("new", 7.0))]
    report.renew(measured)
    found = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["ratios"]
    assert [(each["subject"], each["ratio"]["median"]) for each in found] == [
        ("old", 5.0),
        ("other", 3.0),
        ("new", 7.0),
    ]
    assert "| new | made | 10 | plain | 7.0 (7.0 to 7.0) |" in (tmp_path / "performance.md").read_text(encoding="utf-8")


def line(subject: str, ratio: float) -> dict[str, Any]:
    ratios = {"lowest": ratio, "median": ratio, "highest": ratio}
    return {"subject": subject, "data": "made", "size": 10, "peer": "plain", "ratio": ratios}
