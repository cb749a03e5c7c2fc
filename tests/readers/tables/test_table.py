"""Files that are something else are called what they are; what Parquet can hold is read or named."""

from __future__ import annotations

import decimal
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.errors import InputError

SQUAD: dict[str, Any] = {"data": [{"paragraphs": [{"qas": [{"id": "a", "answers": [{"text": "x"}]}]}]}]}


def archive(path: Path, entry: str) -> Path:
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(entry, "{}")
    return path


def refused(protocol: str, *files: Any) -> str:
    with pytest.raises(InputError) as caught:
        fullmarks.score(protocol, *files)
    return str(caught.value)


def test_archives(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl", reason="without it, that is the first thing to be said")
    book = archive(tmp_path / "book.xlsx", "xl/x")
    assert refused("qa", book).endswith("this ZIP archive is no Excel workbook. Check the file.")
    named = archive(tmp_path / "named.csv", "[Content_Types].xml")
    assert "an Excel workbook, expected text. Pass it as a file that ends in .xlsx" in refused("qa", named)
    log = archive(tmp_path / "log.eval", "x")
    assert "this ZIP archive is no log of Inspect" in refused("squad1", SQUAD, log)
    other = archive(tmp_path / "log.json", "_journal/start.json")
    assert "a packed log of Inspect, expected text. Pass it as a file that ends in .eval" in refused("qa", other)
    assert "a ZIP archive, expected text. Unpack it" in refused("squad1", SQUAD, archive(tmp_path / "z.json", "x"))


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("t.csv", "id|prediction|references\n1|a|a\n", "separated by vertical bars, expected commas"),
        ("t.csv", "id;prediction\treferences\n1;a\ta\n", "separated by semicolons or tabs, expected commas"),
        ("t.tsv", "id;prediction;references\n1;a;a\n", "separated by semicolons, expected tabs"),
        ("t.tsv", "id,prediction,references\n1,a,a\n", "separated by commas, expected tabs. Name the file .csv"),
        ("t.json", json.dumps(SQUAD, indent=2), "this is one JSON object, expected a table"),
        ("t.json", '{\n"id": [1,\n', "seems to be cut off"),
    ],
)
def test_tables_of_another_shape(name: str, text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    assert says in refused("qa", tmp_path / name)


def test_a_saved_run_is_told_wherever_it_is_given(tmp_path: Path) -> None:
    from fullmarks.analysis.saved import save_run

    run = tmp_path / "run.json"
    save_run(fullmarks.score("squad1", SQUAD, {"a": "x"}), run)
    for files in ((run,), (run, {"a": "x"}), (SQUAD, run)):
        assert "this is a saved run, which is scored already" in refused("squad1", *files)
    with pytest.raises(InputError, match="this is a saved run"):
        fullmarks.explain("squad1", run, id="a")


def test_lone_surrogates_are_read_or_named(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"id": "\\ud800", "prediction": "\\udc00", "references": ["\\udc00"], "k\\ud801": "\\ud802"}\n')
    result = fullmarks.score("squad1", path, by="k\ud801")
    assert result.official["exact_match"] == 100.0
    assert list(result.by("k\ud801")) == ["\ud802"]
    (tmp_path / "g.json").write_text(json.dumps(SQUAD).replace('"id"', '"\\ud800": 1, "id"'))
    assert "holds half of a character" in refused("squad1", tmp_path / "g.json", {"a": "x"})


def table(folder: Path, **columns: Any) -> Path:
    arrow = pytest.importorskip("pyarrow", reason="needs the extra 'parquet'")
    parquet = pytest.importorskip("pyarrow.parquet")
    values = {"id": [1, 2], "prediction": ["a", "b"], "references": [["a"], ["c"]], **columns}
    parquet.write_table(arrow.table(values), folder / "t.parquet")
    return folder / "t.parquet"


@pytest.mark.parametrize(
    ("kind", "values", "labels"),
    [
        (("timestamp", "ns"), [1, None], ["1970-01-01 00:00:00.000000001", None]),
        (("timestamp", "us"), [1, 2], ["1970-01-01 00:00:00.000001", "1970-01-01 00:00:00.000002"]),
        (("date32",), [0, 1], ["1970-01-01", "1970-01-02"]),
        (("time64", "ns"), [0, 1], ["00:00:00.000000000", "00:00:00.000000001"]),
        (("duration", "ns"), [3, 4], [3, 4]),
        (("decimal128", 5, 2), [decimal.Decimal("1.10"), None], ["1.10", None]),
        (("binary",), [b"x", "ё".encode()], ["x", "ё"]),
        (("dictionary", "int32", "string"), ["x", "y"], ["x", "y"]),
    ],
)
def test_parquet_types(kind: tuple[Any, ...], values: list[Any], labels: list[Any], tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="needs the extra 'parquet'")
    name, *facts = kind
    made = getattr(arrow, name)(*(getattr(arrow, fact)() if name == "dictionary" else fact for fact in facts))
    path = table(tmp_path, kind=arrow.array(values, made))
    assert list(fullmarks.score("squad1", path, by="kind").by("kind")) == labels


def test_parquet_that_cannot_be_used(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="needs the extra 'parquet'")
    path = table(tmp_path, kind=arrow.array([b"\xff", b"x"]), parts=arrow.array([{"x": 1}, {"x": 2}]))
    with pytest.raises(InputError, match="column 'kind': it holds bytes that are not UTF-8"):
        fullmarks.score("squad1", path, by="kind")
    with pytest.raises(InputError, match="holds lists or objects"):
        fullmarks.score("squad1", path, by="parts")
    whole = path.read_bytes()
    for damaged in (whole[:-50], whole[:30] + b"\xff" * 40 + whole[70:], b"", b"PAR1"):
        path.write_bytes(damaged)
        message = refused("squad1", path)
        assert "not a readable Parquet file" in message
        assert "\n" not in message
    twice = arrow.Table.from_arrays([arrow.array(["a"])] * 3, ["prediction", "references", "prediction"])
    pytest.importorskip("pyarrow.parquet").write_table(twice, path)
    assert "has the column 'prediction' twice" in refused("squad1", path)
