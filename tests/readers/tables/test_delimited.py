"""Delimiters that the header tells: semicolons and tabs in .csv, whatever the cells hold."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import fullmarks
from fullmarks.errors import InputError

ROWS = [("1", "a, b", "a, b"), ("2", "0,5", "0,5"), ("3", 'say "x"', "no")]


def written(
    delimiter: str, *, quoted: bool = False, header: tuple[str, ...] = ("id", "prediction", "references")
) -> str:
    def cell(text: str) -> str:
        return '"' + text.replace('"', '""') + '"' if quoted or '"' in text or delimiter in text else text

    return "".join(delimiter.join(map(cell, row)) + "\r\n" for row in (header, *ROWS))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"], ids=["commas", "semicolons", "tabs"])
@pytest.mark.parametrize("quoted", [False, True], ids=["plain", "quoted"])
@pytest.mark.parametrize("before", ["", "\r\n\r\n", "\ufeff"], ids=["at once", "blank lines", "byte-order mark"])
def test_the_header_tells_the_delimiter(delimiter: str, quoted: bool, before: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes((before + written(delimiter, quoted=quoted)).encode())
    result = fullmarks.score("qa", path)
    assert [record["prediction"] for record in result.per_example] == [row[1] for row in ROWS]
    assert [record["id"] for record in result.per_example] == ["1", "2", "3"]


def test_compressed_and_as_predictions(tmp_path: Path) -> None:
    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(written(";").encode()))
    gold = [{"id": row[0], "references": [row[2]]} for row in ROWS]
    assert fullmarks.score("qa", gold, path).official == fullmarks.score("qa", path).official


def test_a_header_with_commas_has_commas(tmp_path: Path) -> None:
    """What was read by commas before is read so still: a semicolon in a name does not make it another delimiter."""
    path = tmp_path / "table.csv"
    path.write_text("id,prediction,references,a;b\n1,x;y,x;y,z\n")
    assert fullmarks.score("qa", path, by="a;b").official["ExactMatch"] == 1.0


def test_errors_name_the_line_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text('id;prediction;references\n1;a;b\n2;"a"x;b\n')
    with pytest.raises(InputError, match=r"table\.csv: line 3: not a valid table"):
        fullmarks.score("qa", path)
    path.write_text("id;prediction;references\n1;a;b\n2;a\n")
    with pytest.raises(InputError, match=r"record 2: 2 cells where the header has 3"):
        fullmarks.score("qa", path)
    path.write_text("id;prediction;prediction\n1;a;b\n")
    with pytest.raises(InputError, match="no column 'references'"):
        fullmarks.score("qa", path)
    path.write_bytes(b"id;prediction;references\n1;a;b\n2;\xff;b\n")
    with pytest.raises(InputError, match="byte 0xff in or after line"):
        fullmarks.score("qa", path)
