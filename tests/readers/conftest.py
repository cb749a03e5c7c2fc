"""Fixtures of the readers' tests."""

from __future__ import annotations

import pytest

from fullmarks.readers.frames import kinds
from fullmarks.readers.source import Source
from fullmarks.readers.tables import arrow, delimited, parquet, table

USUAL = 1 << 14
FEW = 1 << 7


@pytest.fixture(params=["few", pytest.param("usual", marks=pytest.mark.deep)])
def block_records(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many records a block of a table has at most: few of them and, in the deep tests, as many as usual."""
    assert {kinds.RECORDS, arrow.RECORDS, parquet.RECORDS, delimited._RECORDS, table._RECORDS} == {USUAL}
    if request.param == "usual":
        return USUAL
    for module in (kinds, arrow, parquet):
        monkeypatch.setattr(module, "RECORDS", FEW)
    for module in (delimited, table):
        monkeypatch.setattr(module, "_RECORDS", FEW)
    monkeypatch.setattr(Source.blocks, "__defaults__", (1 << 11,))  # bytes of JSON lines
    return FEW
