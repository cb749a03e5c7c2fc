"""A judge's opinions of all and a person's of some, from tables as people write them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.errors import InputError, UsageError

# the rows of tests/stats/test_prediction_powered.py, whose mean is that of ppi-python 0.2.3
PERSON = [0, 0, *[1] * 7, 0, 1, 1, 1, 0, 0, 0, *[1] * 6, 0, 1, 1, 0, 1, 0, 0, 1, 0, *[1] * 5, 0, 1, 1, 1]
JUDGE = [0, 0, *[1] * 12, 0, *[1] * 7, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1]
ROWS: list[dict[str, Any]] = [
    *({"gpt": judge, "ann": person} for judge, person in zip(JUDGE, PERSON, strict=True)),
    *({"gpt": int(at < 262)} for at in range(400)),
]


def test_a_list_of_rows() -> None:
    found = fullmarks.ppi(ROWS, judge="gpt", human="ann")
    assert found.estimate.mean == pytest.approx(0.63517587, abs=1e-8)
    assert (found.estimate.labelled, found.estimate.judged, found.rows) == (40, 400, 440)
    assert found.estimate.agreement == 0.875
    assert found.warnings == ()
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["mean"] == found.estimate.mean
    assert (plain["judge"], plain["human"], plain["rows"]) == ("gpt", "ann", 440)
    assert plain["worth"] > 60


@pytest.mark.parametrize("kind", ["jsonl", "csv", "tsv", "parquet", "bool", "late", "null"])
def test_every_kind_of_table_says_the_same(kind: str, tmp_path: Path) -> None:
    rows, path = ROWS, tmp_path / f"rows.{kind if kind in ('csv', 'tsv', 'parquet') else 'jsonl'}"
    if kind == "late":
        rows = rows[::-1]
    elif kind == "null":
        rows = [{"gpt": row["gpt"], "ann": row.get("ann")} for row in rows]
    elif kind == "bool":
        rows = [{name: bool(value) for name, value in row.items()} for row in rows]
    if kind == "parquet":
        arrow = pytest.importorskip("pyarrow", reason="needs PyArrow: make install")
        parquet = pytest.importorskip("pyarrow.parquet")
        columns = {name: [row.get(name) for row in rows] for name in ("gpt", "ann")}
        parquet.write_table(arrow.table(columns), path)
    elif kind in ("csv", "tsv"):
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, ["gpt", "ann"], delimiter="," if kind == "csv" else "\t")
            writer.writeheader()
            writer.writerows(rows)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = fullmarks.ppi(str(path), judge="gpt", human="ann")
    assert found.estimate.mean == pytest.approx(0.63517587, abs=1e-8)
    assert found.estimate.labelled == 40


def warned(rows: list[dict[str, Any]]) -> str:
    return " / ".join(fullmarks.ppi(rows, judge="j", human="h").warnings)


def rows_of(person: list[Any], judge: list[Any], others: list[Any]) -> list[dict[str, Any]]:
    labelled = [{"j": theirs, "h": ours} for ours, theirs in zip(person, judge, strict=True)]
    return [*labelled, *({"j": value} for value in others)]


def test_what_is_doubtful() -> None:
    assert "only 4 labelled rows" in warned(rows_of([1, 0, 1, 1], [1, 0, 1, 0], [1, 0, 1]))
    same = warned(rows_of([1] * 30, [1, 0] * 15, [1, 0, 1]))
    assert same.startswith("the person says the same of every labelled row")
    assert "labelled rows" not in same.replace("labelled row:", "")
    assert warned(rows_of([1, 0] * 15, [1] * 30, [1] * 9)).startswith("the judge says the same of every row")
    assert warned(rows_of([1, 0] * 15, [0, 1] * 15, [1, 0] * 9)).startswith("the judge does not go with the person")
    assert warned(rows_of([1, 0] * 15, [1, 0] * 15, [1, 0] * 9)).startswith("judge and person never differ")
    assert warned(rows_of([1, 0.5] * 15, [1, 0] * 15, [1, 0] * 9)).startswith("not all opinions are 0 or 1")


def test_no_variation_has_a_width() -> None:
    found = fullmarks.ppi(rows_of([1] * 30, [1, 0] * 15, [1, 0] * 50), judge="j", human="h")
    assert (found.estimate.mean, found.estimate.high) == (1.0, 1.0)
    assert found.estimate.low < 0.9


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"j": 1, "h": 1}, {"j": 2, "h": 1}], "record 2: 'j' is 2; expected 0 or 1, true or false"),
        ([{"j": 1, "h": 1}, {"j": 1, "h": "good"}], "record 2: 'h' is 'good'; expected 0 or 1"),
        ([{"j": 1, "h": 1}, {"h": 1}], "record 2: 'j' is empty; expected the judge's opinion of every row"),
        ([{"j": 1, "h": [1]}], "record 1: 'h' is a list; expected 0 or 1"),
        ([{"j": 1}], "table: no row has a column 'h'. Name the human's column with --human"),
        ([{"j": 1, "h": 1}, {"j": 1}], "'h' has 1 labels in 2 rows"),
        ([{"j": 1, "h": 1}, {"j": 1, "h": 0}], "'h' has a label in every one of 2 rows"),
    ],
)
def test_errors_say_where(rows: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(InputError) as caught:
        fullmarks.ppi(rows, judge="j", human="h")
    assert message in str(caught.value)


def test_errors_in_files_say_the_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"j": 1, "h": 1}\n\n{"j": 7}\n')
    with pytest.raises(InputError, match=r"rows\.jsonl: line 3: 'j' is 7"):
        fullmarks.ppi(path, judge="j", human="h")
    table = tmp_path / "rows.csv"
    table.write_text("j,k\n1,1\n")
    with pytest.raises(InputError, match="no row has a column 'h'"):
        fullmarks.ppi(table, judge="j", human="h")


def test_wrong_use() -> None:
    with pytest.raises(UsageError, match="at once"):
        fullmarks.ppi(ROWS, judge="gpt", human="gpt")
    with pytest.raises(UsageError, match="level"):
        fullmarks.ppi(ROWS, judge="gpt", human="ann", level=95)
    with pytest.raises(UsageError, match="judge must be a text"):
        fullmarks.ppi(ROWS, judge=1, human="ann")  # type: ignore[arg-type]
