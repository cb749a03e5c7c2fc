"""Sheets of workbooks are tables: their cells are the texts that CSV would have, and what cannot be read is named."""

from __future__ import annotations

import datetime
import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.cli.main import main
from fullmarks.errors import InputError, MissingDependencyError
from fullmarks.readers.limits import VARIABLE
from fullmarks.readers.source import Source
from fullmarks.readers.tables.columns import Chooser
from fullmarks.readers.tables.table import read_blocks

openpyxl = pytest.importorskip("openpyxl", reason="workbooks are read by openpyxl")


def book(path: Path, rows: list[list[Any]], **others: list[list[Any]]) -> Path:
    made = openpyxl.Workbook()
    made.active.title = "Answers"
    for row in rows:
        made.active.append(row)
    for name, cells in others.items():
        sheet = made.create_sheet(name)
        for row in cells:
            sheet.append(row)
    made.save(path)
    return path


def cells(path: Path | str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for block in read_blocks(Source(path, "table"), Chooser(lambda names: {name: name for name in names}, ())):
        for name, values in block.columns.items():
            found.setdefault(name, []).extend(values)
    return found


ROWS = [["id", "prediction", "references"], [1, "Paris", "Paris"], [2, 42, "42"], ["q3", None, "x"]]


def test_a_sheet_scores_as_the_same_cells_in_csv(tmp_path):
    path = book(tmp_path / "t.xlsx", ROWS)
    (tmp_path / "t.csv").write_text("id,prediction,references\n1,Paris,Paris\n2,42,42\nq3,,x\n")
    found, wanted = (fullmarks.score("qa", tmp_path / name) for name in ("t.xlsx", "t.csv"))
    assert found.official == wanted.official
    assert found.per_example[1] == wanted.per_example[1]
    assert fullmarks.score("qa", path, path).official == wanted.official


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        (3.0, "3"),
        (0.1, "0.1"),
        (-2.50, "-2.5"),
        (1e20, "1e+20"),
        (12345678901234, "12345678901234"),
        ("007", "007"),
        ("  x ", "  x "),
        ("#REF!", "#REF!"),
        (True, "TRUE"),
        (datetime.datetime(2024, 3, 1), "2024-03-01"),
        (datetime.datetime(2024, 3, 1, 13, 5), "2024-03-01 13:05:00"),
        (datetime.time(13, 5), "13:05:00"),
        (None, ""),
    ],
)
def test_cells_are_the_texts_of_csv(value, text, tmp_path):
    path = book(tmp_path / "t.xlsx", [["id", "value"], [1, value]])
    if value == "#REF!":  # as a text: openpyxl itself would write an error
        made = openpyxl.load_workbook(path)
        made.active["B2"].data_type = "s"
        made.save(path)
    assert cells(path) == {"id": ["1"], "value": [text]}


def test_empty_rows_and_columns_at_the_end_are_nothing(tmp_path):
    rows = [[], [None, None], ["id", "prediction", None], [1, "x"], [None, None], [2, "y", None], []]
    assert cells(book(tmp_path / "t.xlsx", rows)) == {"id": ["1", "2"], "prediction": ["x", "y"]}


def test_a_named_sheet(tmp_path, capsys):
    path = book(tmp_path / "t.xlsx", [["id"], ["first"]], Second=[["id"], ["second"]])
    assert cells(path) == {"id": ["first"]}
    assert cells(f"{path}#Second") == {"id": ["second"]}
    with pytest.raises(InputError, match="there is no sheet 'Third'; its sheets are 'Answers', 'Second'"):
        cells(f"{path}#Third")
    odd = book(tmp_path / "a#b.xlsx", [["id"], ["hash in the name"]])
    assert cells(odd) == {"id": ["hash in the name"]}
    before = path.read_bytes()
    assert main(["score", "qa", f"{path}#Second", "-o", str(path)]) == 2
    assert "would be overwritten" in capsys.readouterr().err
    assert path.read_bytes() == before


@pytest.mark.parametrize("error", ["#DIV/0!", "#REF!", "#N/A", "#NAME?"])
def test_the_error_of_a_formula_is_named_with_its_cell(error, tmp_path):
    path = book(
        tmp_path / "t.xlsx", [["id", "prediction", "references", "other"], [1, "a", "a", "x"], [2, error, "b", "x"]]
    )
    with pytest.raises(
        InputError, match=r"sheet 'Answers': cell B3: the cell holds the error " + error.replace("?", r"\?")
    ):
        fullmarks.score("qa", path)
    ignored = book(tmp_path / "u.xlsx", [["id", "prediction", "references", "other"], [1, "a", "a", error]])
    assert fullmarks.score("qa", ignored).official["ExactMatch"] == 1.0


def test_a_formula_that_was_never_computed_is_no_empty_cell(tmp_path):
    path = book(tmp_path / "t.xlsx", [["id", "prediction", "references"], [1, "=1+1", "2"]])
    with pytest.raises(InputError, match=r"cell B2: this formula was never computed\. Open the workbook"):
        fullmarks.score("qa", path)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([], "it is empty, expected a row with column names"),
        ([["id", "prediction", "references"]], "there is no question in it"),
        ([["id", "prediction"], [1, "a"]], "no column 'references'; its columns are 'id', 'prediction'"),
        ([["id", "prediction", "prediction", "references"], [1, "a", "b", "c"]], "names the column 'prediction' twice"),
        ([["id", "prediction", "references"], [1, "a", "b", "c"]], "cell D2: the header has no name for its column"),
    ],
    ids=["empty", "header alone", "no references", "twice", "beyond the header"],
)
def test_sheets_of_another_shape(rows, says, tmp_path):
    with pytest.raises(InputError) as caught:
        fullmarks.score("qa", book(tmp_path / "t.xlsx", rows))
    assert says in str(caught.value)


def test_files_that_are_no_workbook(tmp_path):
    path = tmp_path / "t.xlsx"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    with pytest.raises(InputError, match=r"an old or password-protected Excel workbook.*Save it as \.xlsx without"):
        fullmarks.score("qa", path)
    path.write_text("id,prediction\n")
    with pytest.raises(InputError, match="this is no Excel workbook, though its name says so"):
        fullmarks.score("qa", path)
    whole = book(tmp_path / "whole.xlsx", ROWS).read_bytes()
    for size in (len(whole) // 2, len(whole) - 30):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError, match=r"not a readable ZIP archive.*cut off or damaged"):
            fullmarks.score("qa", path)
    path.write_bytes(whole[:200] + bytes(40) + whole[240:])
    with pytest.raises(InputError, match="cut off or damaged"):
        fullmarks.score("qa", path)


def repacked(path: Path, part: str, content: bytes) -> None:
    held = {}
    with zipfile.ZipFile(path) as old:
        held = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new:
        for name, data in held.items():
            new.writestr(name, content if name == part else data)


def test_entities_are_refused(tmp_path):
    path = book(tmp_path / "t.xlsx", ROWS)
    sheet = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]><worksheet><sheetData/></worksheet>'
    repacked(path, "xl/worksheets/sheet1.xml", sheet)
    with pytest.raises(InputError, match="it defines entities, as no workbook does"):
        fullmarks.score("qa", path)


def test_a_part_that_is_no_xml(tmp_path):
    path = book(tmp_path / "t.xlsx", ROWS)
    repacked(path, "xl/worksheets/sheet1.xml", b"<worksheet><sheetData><row>")
    with pytest.raises(InputError, match="not a readable workbook"):
        fullmarks.score("qa", path)


def test_a_part_that_holds_too_much(tmp_path, monkeypatch):
    path = book(tmp_path / "t.xlsx", ROWS)
    repacked(path, "xl/worksheets/sheet1.xml", b" " * (70 << 20))
    with pytest.raises(InputError, match=r"hold .* when decompressed.*--max-size"):
        fullmarks.score("qa", path)
    monkeypatch.setenv(VARIABLE, "1M")
    with pytest.raises(InputError, match=r"hold 1\.\d+ MiB when decompressed"):
        fullmarks.score("qa", path)


def test_without_openpyxl_the_message_says_what_to_install(tmp_path, monkeypatch):
    path = book(tmp_path / "t.xlsx", ROWS)
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(MissingDependencyError, match=r"needs 'openpyxl'.*pip install 'fullmarks\[xlsx\]'"):
        fullmarks.score("qa", path)


def test_import_turns_a_sheet_into_json_lines(tmp_path, capsys):
    assert main(["import", str(book(tmp_path / "t.xlsx", ROWS))]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == '{"id":"1","prediction":"Paris","references":"Paris"}'
    assert len(lines) == 3


def test_a_workbook_of_standard_input_is_told(tmp_path):
    data = book(tmp_path / "t.xlsx", ROWS).read_bytes()
    with pytest.raises(InputError, match="an Excel workbook, expected text"):
        fullmarks.score("qa", io.BytesIO(data))
