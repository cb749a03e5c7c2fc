from __future__ import annotations

import json

import pytest

from fullmarks.errors import UsageError
from fullmarks.report.per_example import record_file


def test_a_lone_surrogate_costs_its_neighbours_nothing(tmp_path):
    path = tmp_path / "x.jsonl"
    records = [{"id": "1", "prediction": "Москва"}, {"id": "2", "prediction": "\ud800"}]
    with record_file(path) as write:
        write(records)
    assert [json.loads(line) for line in path.read_bytes().splitlines()] == records


def test_columns_are_those_of_the_first_record(tmp_path):
    path = tmp_path / "x.csv"
    with record_file(path) as write:
        write([{"a": 1, "b": [1, 'x"y']}])
        write([{"b": None, "a": 2}])
    assert path.read_text() == 'a,b\n1,"[1, ""x\\""y""]"\n2,\n'


def test_parquet_types_without_values(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra 'parquet'")
    path = tmp_path / "x.parquet"
    with record_file(path) as write:
        write([{"id": 1, "references": [], "note": None, "f1": 0.5}])
        write([{"id": 2, "references": ["\ud800a"], "note": "n", "f1": 1.0}])
    assert parquet.read_table(path).to_pylist() == [
        {"id": 1, "references": [], "note": None, "f1": 0.5},
        {"id": 2, "references": ["\\ud800a"], "note": "n", "f1": 1.0},
    ]


def test_parquet_of_mixed_kinds_is_refused(tmp_path):
    pytest.importorskip("pyarrow.parquet", reason="needs the extra 'parquet'")
    path = tmp_path / "x.parquet"
    with pytest.raises(UsageError, match=r"Write \.jsonl instead"), record_file(path) as write:
        write([{"id": 1}, {"id": "two"}])
    assert list(tmp_path.iterdir()) == []
