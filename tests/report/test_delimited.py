"""CSV that reads back as it was, and CSV that no spreadsheet runs."""

from __future__ import annotations

import csv
import io

import pytest

from fullmarks.report.delimited import delimited

CELLS = ["=1+1", "+1", "-2", "@SUM(A1)", "\tx", "\rx", "a\rb", "a\nb", 'say "x"', "a,b", "", "-0.5", "+", "-1e-05"]


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_every_cell_reads_back_as_it_was(delimiter):
    text = delimited([CELLS, ["second", *CELLS[1:]]], delimiter)
    assert list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)) == [CELLS, ["second", *CELLS[1:]]]
    assert text.endswith("\n")
    assert not text.endswith("\r\n")


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd", "'+cmd"),
        ("-cmd|x", "'-cmd|x"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("-0.5", "-0.5"),
        ("+1", "+1"),
        ("-1e-05", "-1e-05"),
        ("-inf", "'-inf"),
        ("-1_0", "'-1_0"),
        ("-٣", "'-٣"),
        ("a=1", "a=1"),
        ("", ""),
        (-0.5, "-0.5"),
    ],
)
def test_for_a_spreadsheet_only_texts_like_formulas_change(cell, shown):
    (row,) = csv.reader(io.StringIO(delimited([[cell, "x"]], spreadsheet=True), newline=""))
    assert row == [shown, "x"]


def test_half_characters_are_escaped():
    assert delimited([["\ud800"]]) == "\\ud800\n"
