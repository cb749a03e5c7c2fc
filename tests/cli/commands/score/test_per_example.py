"""`--per-example`: the records of every example in a file, in each format."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path

import pytest
import zstandard

import fullmarks as library
from fullmarks.cli.commands.score import per_example
from tests.cli.run_cli import SQUAD2

RECORD = {
    "id": "bee-1",
    "prediction": "fifty to one hundred",
    "references": ["between fifty and one hundred", "fifty and one hundred"],
    "has_answer": True,
    "title": "Honey_bee",
    "paragraph": 1,
    "question": "How many flowers does a bee visit on a trip?",
    "exact": 0.0,
    "f1": 0.75,
}


def _records(path: Path) -> list[dict[str, object]]:
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    if path.suffix == ".zst":
        data = zstandard.ZstdDecompressor().decompressobj().decompress(data)
    return [json.loads(line) for line in data.splitlines()]


@pytest.mark.parametrize("name", ["each.jsonl", "each.ndjson", "each.jsonl.gz", "each.jsonl.zst"])
def test_per_example_as_json_lines(run, tmp_path, name):
    path = tmp_path / name
    assert run("score", "squad2", *SQUAD2, "--per-example", path).code == 0
    records = _records(path)
    assert len(records) == 8
    assert records[4] == RECORD
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(("name", "delimiter"), [("each.csv", ","), ("each.tsv", "\t"), ("each.csv.gz", ",")])
def test_per_example_as_table(run, tmp_path, name, delimiter):
    path = tmp_path / name
    assert run("score", "squad2", *SQUAD2, "--per-example", path).code == 0
    data = gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()
    rows = list(csv.DictReader(io.StringIO(data.decode()), delimiter=delimiter))
    assert len(rows) == 8
    assert {**rows[4], "references": json.loads(rows[4]["references"])} == {
        **RECORD,
        "has_answer": "True",
        "paragraph": "1",
        "exact": "0.0",
        "f1": "0.75",
    }


@pytest.mark.parametrize(
    ("count", "at_once"),
    [pytest.param(2_500, 1_000, id="few"), pytest.param(40_000, 1 << 14, id="many", marks=pytest.mark.deep)],
)
def test_per_example_written_in_blocks_equals_the_library(run, tmp_path, monkeypatch, count, at_once):
    monkeypatch.setattr(per_example, "RECORDS_AT_ONCE", at_once)
    table = tmp_path / "many.jsonl"
    lines = [{"id": n, "prediction": f"word {n % 7}", "references": [f"word {n % 5}"]} for n in range(count)]
    table.write_text("".join(json.dumps(line) + "\n" for line in lines))
    path = tmp_path / "each.jsonl"
    assert run("score", "qa", table, "--per-example", path).code == 0
    assert _records(path) == list(library.score("qa", table).per_example)


def test_per_example_read_back_as_input(run, tmp_path):
    path = tmp_path / "each.csv"
    shown = run("score", "squad2", *SQUAD2, "--per-example", path).out
    assert run("score", "squad2", path).out == shown


def test_per_example_keeps_nothing_after_an_error(run, tmp_path):
    table = tmp_path / "bad.jsonl"
    table.write_text('{"prediction": "a", "references": ["a"]}\n{"prediction": 3, "references": ["a"]}\n')
    folder = tmp_path / "out"
    folder.mkdir()
    assert run("score", "qa", table, "--per-example", folder / "each.jsonl").code == 2
    assert list(folder.iterdir()) == []


def test_per_example_needs_a_telling_name(run, tmp_path):
    ended = run("score", "squad2", *SQUAD2, "--per-example", tmp_path / "each.txt")
    assert ended.code == 2
    assert ".jsonl" in ended.err
    assert run("score", "squad2", *SQUAD2, "--per-example", tmp_path / "each.parquet.gz").code == 2


def test_lone_surrogates_reach_every_format(run, tmp_path):
    table = tmp_path / "odd.json"
    table.write_text('[{"id": "a", "prediction": "x \\ud800", "references": ["x \\ud800"]}]')
    for name in ("each.jsonl", "each.csv"):
        assert run("score", "qa", table, "--per-example", tmp_path / name).code == 0
        assert "ud800" in (tmp_path / name).read_text(encoding="utf-8")
    assert "ud800" in run("explain", "qa", table, "--id", "a", "-f", "json").out
    assert "ud800" in run("explain", "qa", table, "--id", "a", "-f", "text").out


def test_parquet(run, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra 'parquet'")
    path = tmp_path / "each.parquet"
    assert run("score", "squad2", *SQUAD2, "--per-example", path).code == 0
    assert parquet.read_table(path).to_pylist()[4] == RECORD
    assert run("score", "squad2", path).out == run("score", "squad2", *SQUAD2).out
