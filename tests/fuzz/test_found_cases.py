"""Inputs that once broke an invariant, each in a folder of `cases`, as `make fuzz` keeps them."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="the fuzzer writes Parquet")
pytest.importorskip("resource", reason="the fuzzer measures memory as POSIX has it")

from tools.fuzz.case import Case
from tools.fuzz.run_case import violations

CASES = sorted(path.parent for path in (Path(__file__).parent / "cases").glob("*/case.json"))


@pytest.mark.parametrize("folder", CASES, ids=[folder.name for folder in CASES])
def test_nothing_is_violated(folder: Path, tmp_path: Path) -> None:
    assert violations(Case.load(folder), tmp_path / "case") == []
